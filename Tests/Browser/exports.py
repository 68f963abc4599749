# SPDX-License-Identifier: Apache-2.0
"""A file as Atrest exports it, of records that a test makes up."""

import hashlib
import json

HEAD = {"format": "atrest-sync", "made_at": "2026-05-20T08:00:00Z", "version": 1}


def write(file, records):
    """Writes records, each as the export says it, and the seal that the page checks."""
    body = "".join(line(each) for each in [HEAD, *records])
    seal = {"count": len(records), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    file.write_text(body + line(seal))


def line(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n"
