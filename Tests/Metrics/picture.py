# SPDX-License-Identifier: Apache-2.0
"""Draws the dashboard's file over what a Prometheus has gathered: an SVG, panel by panel.

Grafana, for which the file is, draws more beautifully; this shows what each panel would have.
"""

import html
import json
import math
import urllib.parse

UNIT, GAP, MARGIN, WIDTH = 34, 12, 24, 1440
COLUMN = (WIDTH - 2 * MARGIN) / 24
COLOURS = ["#73bf69", "#5794f2", "#f2cc0c", "#ff9830", "#b877d9", "#f2495c", "#8ab8ff", "#c0d8ff"]


def words(value, unit):
    """A number as the dashboard's unit has it."""
    if not math.isfinite(value):
        return "none"
    if unit == "bytes":
        for name in ("B", "KiB", "MiB", "GiB"):
            if abs(value) < 1024:
                return f"{value:.3g} {name}"
            value /= 1024
        return f"{value:.3g} TiB"
    if unit == "s":
        for name, length in (("µs", 1e-6), ("ms", 1e-3), ("s", 1)):
            if abs(value) < 1000 * length:
                return f"{value / length:.3g} {name}"
        return f"{value / 86400:.0f} days"
    if unit == "percentunit":
        return f"{100 * value:.0f} %"
    if unit == "bool_yes_no":
        return "yes" if value else "no"
    return f"{value:.3g}" + ("/s" if unit == "reqps" else "")


def legend(pattern, labels):
    for name, value in labels.items():
        pattern = pattern.replace("{{" + name + "}}", value)
    return pattern


def gathered(panel, ask):
    """Each line of a panel: its name and its points."""
    for target in panel["targets"]:
        for series in ask(target["expr"]):
            points = [(at, float(value)) for at, value in series["values"]]
            points = [point for point in points if math.isfinite(point[1])]
            if points:
                yield legend(target.get("legendFormat", ""), series["metric"]), points


def text(x, y, words, size=12, fill="#ccccdc", anchor="start", weight="400"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{html.escape(words)}</text>'
    )


def graph(lines, unit, x, y, width, height, start, end):
    """Lines over time, with a scale at the left."""
    top = max((value for _, points in lines for _, value in points), default=0) * 1.1 or 1
    for part in range(5):
        level = y + height - height * part / 4
        yield f'<path d="M{x:.1f} {level:.1f}h{width:.1f}" stroke="#2f3038"/>'
        yield text(x - 8, level + 4, words(top * part / 4, unit), 11, "#9a9aa8", "end")
    for number, (_, points) in enumerate(lines):
        path = " ".join(
            f"{x + width * (at - start) / (end - start):.1f},"
            f"{y + height - height * max(value, 0) / top:.1f}"
            for at, value in points
        )
        colour = COLOURS[number % len(COLOURS)]
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'


def drawn(panel, lines, start, end):
    place = panel["gridPos"]
    x, y = MARGIN + place["x"] * COLUMN, MARGIN + 40 + place["y"] * UNIT
    width, height = place["w"] * COLUMN - GAP, place["h"] * UNIT - GAP
    unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "short")
    yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3" fill="#181b1f" stroke="#2a2b33"/>'
    yield text(x + 12, y + 22, panel["title"], 13, weight="600")
    if panel["type"] == "stat":
        name, points = lines[0]
        shown = words(points[-1][1], unit) if name in ("", "free") else name
        size = 34 if len(shown) < 14 else 16
        yield text(x + width / 2, y + height / 2 + 20, shown, size, COLOURS[0], "middle", "600")
        return
    yield from graph(lines, unit, x + 68, y + 40, width - 84, height - 90, start, end)
    at = x + 12
    for number, (name, points) in enumerate(lines[:6]):
        label = f"{name or 'value'} {words(points[-1][1], unit)}"
        if at + 24 + 6.4 * len(label) > x + width:
            break
        yield f'<rect x="{at:.1f}" y="{y + height - 27:.1f}" width="14" height="4" rx="2" fill="{COLOURS[number % len(COLOURS)]}"/>'
        yield text(at + 20, y + height - 21, label, 11)
        at += 36 + 6.4 * len(label)


def svg(dashboard, get, start, end):
    """The whole dashboard.

    `get(path)` asks the Prometheus; `start` and `end` are in seconds since 1970.
    """

    def ask(expression):
        text = expression.replace("$instance", ".*").replace("$__rate_interval", "20s")
        fields = {"query": text, "start": start, "end": end, "step": 1}
        answer = get("/api/v1/query_range?" + urllib.parse.urlencode(fields))
        return json.loads(answer)["data"]["result"]

    parts = []
    for panel in dashboard["panels"]:
        lines = list(gathered(panel, ask))
        assert lines, f"nothing to draw: {panel['title']}"
        parts += drawn(panel, lines, start, end)
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    height = 2 * MARGIN + 40 + rows * UNIT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, sans-serif">'
        f'<rect width="{WIDTH}" height="{height}" fill="#111217"/>'
        + text(MARGIN, MARGIN + 18, dashboard["title"], 18, weight="600")
        + "".join(parts)
        + "</svg>"
    )
