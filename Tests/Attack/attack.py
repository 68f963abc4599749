# SPDX-License-Identifier: Apache-2.0
"""Runs the attacks, each against a fresh daemon beside a well-behaved client, and judges what that client and the
daemon went through."""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import attacker  # noqa: F401  Declares the attacks.
from atrest.sync.v1 import sync_pb2
from bounds import Verdict, judge, line, HEAD, markdown
from campaign import ATTACKS
from target import Meter, Target

HERE = pathlib.Path(__file__).parent
SHORT_SECONDS, FULL_SECONDS = 1.2, 60
# How long the daemon may take to give back what an attack took.
BACK_SECONDS = 25
QUIET_AT_ONCE = 7


class Child:
    """A Python process that says `ready`, begins when told, and ends with one line of JSON."""

    def __init__(self, program, facts):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", sys.executable, str(HERE / program), json.dumps(facts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def await_ready(self):
        assert self.process.stdout.readline() == "ready\n", f"{self.process.args[4]} did not get ready"

    def begin(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def result(self, seconds):
        out, _ = self.process.communicate(timeout=seconds)
        assert self.process.returncode == 0, f"{self.process.args[4]} failed"
        return json.loads(out)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def perform(attack, binaries, full):
    """One attack from the beginning to the end. Returns its verdict."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atrest-attack-"))
    target, children = Target(binaries, folder, attack.tls), []
    verdict = Verdict(attack)
    try:
        prepare(attack, target, children, full)
        measure(attack, target, children, verdict, full)
    except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
        verdict.wrong("calls", f"{type(problem).__name__}: {problem}")
    finally:
        for child in children:
            child.end()
        if target.process is not None and target.process.poll() is not None:
            verdict.wrong("calls", f"the daemon ended: {target.log_tail()}")
        status = target.stop()
        if status != 0:
            verdict.wrong("back", f"the daemon's exit status was {status}")
        shutil.rmtree(folder, ignore_errors=True)
    return verdict


def seconds_of(attack, full):
    if full:
        return max(FULL_SECONDS, attack.seconds)
    return max(SHORT_SECONDS, attack.seconds)


def prepare(attack, target, children, full):
    target.up()
    person, cursor = target.account("bystander")
    mallory, _ = target.account("mallory", 1)
    target.fill(mallory, attack.pages)
    facts = {"address": target.address, "tls": attack.tls}
    quiet_request = sync_pb2.ExchangeRequest(cursor=cursor).SerializeToString()
    children.append(
        Child("bystander.py", {**facts, "token": person.token, "cursor": quiet_request.hex()})
    )
    for index in range(attack.attackers):
        mine = {"name": attack.name, "index": index, "source": f"127.0.{index + 2}.1", "full": full}
        more = {"token": mallory.token, "seconds": seconds_of(attack, full)}
        children.append(Child("attacker.py", {**facts, **mine, **more}))
    for child in children:
        child.await_ready()


def measure(attack, target, children, verdict, full):
    bystander, attackers = children[0], children[1:]
    meter, seconds = Meter(target), seconds_of(attack, full)
    try:
        for child in children:
            child.begin()
        if attack.witness is not None:
            time.sleep(seconds * 0.7)  # In the middle of it.
            verdict.notes.append(attack.witness(target))
        reports = [child.result(seconds + 40) for child in attackers]
        found = bystander.result(20)
    finally:
        verdict.cpu = meter.stop()
    if attack.afterwards is not None:
        verdict.notes.append(attack.afterwards(target))
    verdict.base, verdict.most = meter.base, meter.most
    since = time.monotonic()
    while not verdict.is_back(target, meter) and time.monotonic() - since < BACK_SECONDS:
        time.sleep(0.05)  # The pace of polling.
    verdict.back_after = time.monotonic() - since
    judge(verdict, found, reports, target, meter)


def chosen(only, full):
    attacks = [a for a in ATTACKS.values() if full or not a.only_full]
    if only:
        attacks = [a for a in ATTACKS.values() if any(word.lower() in a.name.lower() for word in only)]
        if not attacks:
            sys.exit("There is no such attack. There are: " + ", ".join(ATTACKS))
    return attacks


def main():
    parser = argparse.ArgumentParser(prog="Tests/Attack/run")
    parser.add_argument("--binaries", type=pathlib.Path, required=True)
    parser.add_argument("--short", action="store_true", help="about a second each; the default")
    parser.add_argument("--full", action="store_true", help="a minute each")
    parser.add_argument("--only", action="append", metavar="NAME", help="a part of a name; may be repeated")
    parser.add_argument("--markdown", type=pathlib.Path, help="writes the table there, too")
    arguments = parser.parse_args()
    attacks, began = chosen(arguments.only, arguments.full), time.monotonic()
    order = [a for a in attacks if not a.quiet] + [a for a in attacks if a.quiet]
    verdicts, lock = [], threading.Lock()
    print(HEAD, flush=True)

    def show(attack):
        verdict = perform(attack, arguments.binaries, arguments.full)
        with lock:
            verdicts.append(verdict)
            print(line(verdict), flush=True)

    # What mostly waits runs at once; what needs the processor runs alone, or it would measure its neighbour.
    for attack in order:
        if not attack.quiet:
            show(attack)
    with concurrent.futures.ThreadPoolExecutor(QUIET_AT_ONCE) as pool:
        list(pool.map(show, [a for a in order if a.quiet]))

    failed = [v for v in verdicts if v.problems]
    if arguments.markdown:
        arguments.markdown.write_text(markdown(verdicts, order))
    known = sum(1 for v in verdicts if v.known)
    print(f"{len(verdicts)} attacks in {time.monotonic() - began:.0f} s: {len(failed)} failed, {known} known")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
