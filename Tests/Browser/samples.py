# SPDX-License-Identifier: Apache-2.0
"""What a person may have after some weeks."""

import datetime
import subprocess
import uuid

import exports
import zone

# Days ago and hours of fasts.
FASTS = [(24, 16), (22, 18), (20, 12), (17, 16), (13, 20), (9, 16), (6, 14), (4, 17), (2, 16)]


def bring(phone, fasts):
    """Fasts, as (days ago, hours), by the page that brings files in."""
    file = phone.new_folder() / "fasts.jsonl"
    noon = zone.now().replace(hour=12, minute=10, second=0, microsecond=0)
    exports.write(file, [fast(noon - datetime.timedelta(days=days), hours) for days, hours in fasts])
    phone.bring_in(file)


def fast(end, hours):
    start = end - datetime.timedelta(hours=hours)
    moments = {name: each.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for name, each in (("start", start), ("end", end))}
    return {"kind": "session", "id": str(uuid.uuid4()), "target_minutes": 16 * 60,
        "span": {**moments, "outcome": "completed" if hours >= 16 else "abandoned"}}


def weeks(phone):
    """Nine fasts, one running for seven hours, and water."""
    bring(phone, FASTS)
    phone.place("timer")
    phone.begin_before(7)
    phone.water("500 ml")


def garden(terminal):
    """A garden of some weeks."""
    def trunk(*words):
        subprocess.run([terminal.server.programs / "trunk", *words], check=True,
            capture_output=True, env=terminal.environment)

    def ago(days):
        return (zone.now() - datetime.timedelta(days=days)).strftime("%Y-%m-%dT08:00")

    for node, label in [("1", "Work"), ("2", "Friends"), ("3", "Body"), ("3.5", "Running"), ("5", "Family"), ("7", "Reading")]:
        trunk("label", node, label)
    trunk("settings", "--name", "Behind the house")
    trunk("plant", "Run ten kilometres", "--on", "3.5", "--season", "2w", "--at", ago(30))
    trunk("harvest", "kilometres", "--result", "4", "--note", "In the rain, in fifty-eight minutes.", "--at", ago(12))
    trunk("plant", "Read Middlemarch", "--on", "7.3", "--at", ago(24))
    trunk("plant", "Stretch every morning", "--on", "3.5", "--season", "2w", "--at", ago(9))
    trunk("draft", "Run a marathon in the autumn", "--on", "3.5", "--season", "1y", "--environment", "barren")
    trunk("water", "stretch", "It is easier on the carpet.", "--at", ago(2))
    trunk("water", "middlemarch", "Two chapters before breakfast.", "--at", ago(1))
