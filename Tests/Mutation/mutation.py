# SPDX-License-Identifier: Apache-2.0
"""Mutations: mistakes that somebody could make one day, as replacements of text in the sources.

The sources themselves hold none of them. A replacement whose text is not found exactly once is an
error: whoever changes the sources mends the list.
"""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPEN, CLOSE = "«", "»"


class Rotten(Exception):
    """A replacement that does not fit the sources."""


@dataclass(frozen=True)
class Edit:
    """One replacement.

    `before` is text of the file, found once, with what is replaced between « and »; without these,
    all of it. Nothing between them inserts statements there. What is replaced is an expression, or
    whole statements (`statements`), or words inside a string literal (`literal`).
    """

    file: str
    before: str
    after: str
    statements: bool = False
    literal: bool = False

    def span(self, text: str) -> tuple[int, int]:
        """Where the replaced part lies in the file's text."""
        plain = self.before.replace(OPEN, "").replace(CLOSE, "")
        count = text.count(plain)
        if count != 1:
            raise Rotten(f"{self.file}: found {count} times: {plain.strip().splitlines()[0]!r}")
        start = text.index(plain)
        if OPEN not in self.before:
            return start, start + len(plain)
        head, _, rest = self.before.partition(OPEN)
        marked, _, _ = rest.partition(CLOSE)
        return start + len(head), start + len(head) + len(marked)

    def replaced(self, text: str) -> str:
        """The file with the mistake in it."""
        start, end = self.span(text)
        # What follows an inserted return must not be taken for its value.
        after = f"if true {{ {self.after} }}\n" if start == end else self.after
        return text[:start] + after + text[end:]

    def switched(self, name: str, before: str, is_insertion: bool) -> str:
        """The replaced part with the mistake beside it, made while its switch is on."""
        switch = f"Mutation.{name}.isActive"
        if is_insertion:
            return f"if {switch} {{ {self.after} }}\n{before}"
        if self.statements:
            return f"if {switch} {{ {self.after} }} else {{ {before} }}"
        if self.literal:
            return f'\\({switch} ? "{self.after}" : "{before}")'
        return f"({switch} ? {self.after} : {before})"


@dataclass(frozen=True)
class Mutation:
    """A mistake: its name, what it does, its replacements, and the tests that should notice."""

    name: str
    says: str
    edits: tuple[Edit, ...]
    tests: str = ""  # For `Scripts/run-tests --filter`; empty: those of the module.

    @property
    def files(self) -> list[str]:
        return sorted({edit.file for edit in self.edits})


def mutation(name: str, says: str, *edits: Edit, tests: str = "") -> Mutation:
    return Mutation(name, says, edits, tests)


def apply(one: Mutation, root: Path) -> None:
    """Puts a mutation into a tree."""
    for edit in one.edits:
        path = root / edit.file
        path.write_text(edit.replaced(path.read_text()))


def instrumented(text: str, edits: list[tuple[Mutation, Edit]]) -> str:
    """A file's text with every mutation in it, each behind its switch. Spans may lie in others."""
    spans = [(*edit.span(text), number, one, edit) for number, (one, edit) in enumerate(edits)]
    # The widest first. Of two with one span, the earlier one of the list is outside.
    spans.sort(key=lambda span: (span[0], -span[1], span[2]))

    def render(start: int, end: int, inner: list) -> str:
        out, at, index = "", start, 0
        while index < len(inner):
            left, right, _, one, edit = inner[index]
            if right > end:
                raise Rotten(f"{edit.file}: {one.name} overlaps another one")
            within = []
            index += 1
            if left != right:
                while index < len(inner) and inner[index][0] < right:
                    within.append(inner[index])
                    index += 1
            out += text[at:left] + edit.switched(one.name, render(left, right, within), left == right)
            at = right
        return out + text[at:end]

    return render(0, len(text), spans)


def check(mutations: list[Mutation], root: Path = ROOT) -> list[str]:
    """What is wrong with the list: names given twice, replacements that do not fit."""
    wrong, seen = [], set()
    for one in mutations:
        if one.name in seen:
            wrong.append(f"{one.name}: there is another one of this name")
        seen.add(one.name)
        for edit in one.edits:
            path = root / edit.file
            try:
                if not path.is_file():
                    raise Rotten(f"{edit.file}: there is no such file")
                text = path.read_text()
                if edit.replaced(text) == text:
                    raise Rotten(f"{edit.file}: nothing is changed")
            except Rotten as problem:
                wrong.append(f"{one.name}: {problem}")
    return wrong
