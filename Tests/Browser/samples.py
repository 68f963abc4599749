# SPDX-License-Identifier: Apache-2.0
"""What a person may have after some weeks, brought in by a terminal."""

import datetime
import pathlib
import subprocess

import zone

# Days ago and hours of fasts.
FASTS = [(24, 16), (22, 18), (20, 12), (17, 16), (13, 20), (9, 16), (6, 14), (4, 17), (2, 16)]


def rows(fasts, today):
    """Fasts as another app's export."""
    lines = ["Start,End"]
    for days, hours in fasts:
        day = today - datetime.timedelta(days=days)
        end = datetime.datetime.combine(day, datetime.time(12, 10))
        lines.append(f"{end - datetime.timedelta(hours=hours)},{end}")
    return "\n".join(lines) + "\n"


def bring(terminal, fasts):
    export = pathlib.Path(terminal.folder) / "other-app.csv"
    export.write_text(rows(fasts, zone.now().date()))
    terminal.run("import", str(export), "--zone", zone.NAME, "--yes")


def weeks(terminal):
    """Nine fasts, one that goes on, and water."""
    bring(terminal, FASTS)
    terminal.run("fast", "start", "--at", "7h ago")
    terminal.run("water", "add", "500ml")


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
