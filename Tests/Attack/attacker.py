# SPDX-License-Identifier: Apache-2.0
"""One attacker in a process of its own: runs the attack it is named, and says what it noted."""

import json
import sys

import browsers  # noqa: F401  Each of these declares its attacks.
import crowds  # noqa: F401
import doors  # noqa: F401
import floods  # noqa: F401
import guesses  # noqa: F401
import headers  # noqa: F401
import messages  # noqa: F401
import questions  # noqa: F401
import resets  # noqa: F401
import revoked  # noqa: F401
import stalls  # noqa: F401
import storage  # noqa: F401
from campaign import ATTACKS, Run


def main():
    facts = json.loads(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    run = Run(facts)
    ATTACKS[facts["name"]].run(run)
    print(json.dumps(run.report), flush=True)


if __name__ == "__main__":
    main()
