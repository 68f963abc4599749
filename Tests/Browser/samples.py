# SPDX-License-Identifier: Apache-2.0
"""What a person may have after some weeks, brought in by a terminal."""

import datetime
import pathlib

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
    export.write_text(rows(fasts, datetime.datetime.now(datetime.timezone.utc).date()))
    terminal.run("import", str(export), "--zone", "UTC", "--yes")


def weeks(terminal):
    """Nine fasts, one that goes on, and water."""
    bring(terminal, FASTS)
    terminal.run("fast", "start", "--at", "7h ago")
    terminal.run("water", "add", "500ml")
