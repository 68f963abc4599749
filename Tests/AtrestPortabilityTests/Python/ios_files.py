#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of the iOS app, written and checked by somebody who shares no code with the Swift ones.

  ios_files.py examples DIRECTORY   writes the three files of Examples/Import
  ios_files.py random SEED COUNT    writes an export with so many fasts to standard output
  ios_files.py check FILE           fails unless FILE is an export as the app reads it
"""

import datetime
import hashlib
import json
import os
import random
import re
import sys
import uuid


def instant(seconds):
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text):
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
        raise ValueError("an instant is not ISO 8601 in UTC to the second")
    moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return int(moment.replace(tzinfo=datetime.timezone.utc).timestamp())


def number(value):
    """16.0 is written as 16."""
    return int(value) if value == int(value) else value


def canonical(payload):
    """Sorted keys, no white space, no escaped slashes."""
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def checksum(payload):
    return hashlib.sha256(canonical(payload)).hexdigest()


def session(generator, start, hours, target):
    fast = {
        "id": str(uuid.UUID(int=generator.getrandbits(128), version=4)).upper(),
        "start": instant(start),
        "end": instant(start + round(hours * 3600)),
    }
    if target is not None:
        fast["targetDurationHours"] = number(target)
    return fast


def sessions(generator, count, first=1_735_758_000):
    """One a day, from the evening of 1 January 2025."""
    result = []
    for day in range(count):
        target = generator.choice([12, 14.0, 16, 16.5, 18, 20, 24, 13.25, None])
        start = first + day * 90_000 + generator.randrange(3600)
        result.append(session(generator, start, generator.uniform(4, 23), target))
    return result


def export(fasts, generated):
    payload = {"sessions": fasts}
    return {
        "version": 1,
        "generatedAt": instant(generated),
        "payload": payload,
        "checksum": checksum(payload),
    }


def examples(directory):
    generator = random.Random(5)
    fasts = sessions(generator, 12)
    last = seconds_of(fasts[-1]["end"])
    state = {
        "sessions": fasts,
        "active": {
            "start": instant(last + 30_000),
            "lastEvent": instant(last + 30_000),
            "targetDurationHours": 16,
        },
        "completedCount": len(fasts),
    }
    water = [
        {
            "id": str(uuid.UUID(int=generator.getrandbits(128), version=4)).upper(),
            "date": instant(last - 3600 * hour),
            "amountMilliliters": generator.choice([150, 200, 250, 300, 500]),
        }
        for hour in range(8)
    ]
    files = {
        "atrest-export.json": export(fasts, last + 600),
        "session-state.json": state,
        "water-log.json": water,
    }
    for name, content in files.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2, sort_keys=True)
            file.write("\n")


def check(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    content = json.loads(text)
    if set(content) != {"version", "generatedAt", "payload", "checksum"}:
        raise ValueError("the file has other keys than the app's")
    if content["version"] != 1:
        raise ValueError("the version is not 1")
    seconds_of(content["generatedAt"])
    for fast in content["payload"]["sessions"]:
        if set(fast) - {"targetDurationHours"} != {"id", "start", "end"}:
            raise ValueError("a fast has other keys than the app's")
        if fast["id"] != str(uuid.UUID(fast["id"])).upper():
            raise ValueError("an id is not in upper case")
        if seconds_of(fast["end"]) - seconds_of(fast["start"]) < 4 * 3600:
            raise ValueError("a fast is shorter than 4 hours")
        if fast.get("targetDurationHours", 16) <= 0:
            raise ValueError("a target is not a length of time")
    if "\\/" in text or re.search(r"\d\.0\b", text):
        raise ValueError("a slash is escaped, or a whole number has a fraction")
    if checksum(content["payload"]) != content["checksum"]:
        raise ValueError("the checksum does not fit")
    print(len(content["payload"]["sessions"]))


def main():
    command, *arguments = sys.argv[1:] or [""]
    if command == "examples":
        examples(arguments[0])
    elif command == "random":
        generator = random.Random(int(arguments[0]))
        fasts = sessions(generator, int(arguments[1]), first=500_000_000)
        json.dump(export(fasts, 1_735_758_000), sys.stdout)
    elif command == "check":
        check(arguments[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
