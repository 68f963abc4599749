# SPDX-License-Identifier: Apache-2.0
"""Mutations made mechanically: every condition of the rules negated, every assignment dropped.

Finds them in the sources as text. What does not compile, the build leaves out.
"""

import random
import re
from dataclasses import dataclass
from pathlib import Path

from mutation import ROOT, Edit, Mutation, mutation

# The rules: of replication, of a replica and its syncs, and of the server's judge.
SCOPE = ["Sources/AtrestReplication", "Sources/AtrestSync", "Server/AtrestServer/Sync"]
OPENING, CLOSING = "([{", ")]}"
# What an operand of && and || cannot reach beyond, at its own depth.
STOPS = re.compile(r"&&|\|\||,|;|\breturn\b|\bin\b|\belse\b|\bguard\b|\bif\b|\bwhile\b|\bwhere\b|(?<![=!<>])=(?!=)"
                   r"|\s\?\s|\s:\s|(?<!\?)\?\?|->")


@dataclass(frozen=True)
class Place(Edit):
    """An edit by its offsets in the file: text like it may be there more than once."""

    start: int = 0
    end: int = 0
    number: int = 0

    def span(self, text: str) -> tuple[int, int]:
        return self.start, self.end

    def replaced(self, text: str) -> str:
        before = text[self.start:self.end]
        return text[:self.start] + ("" if self.statements else f"!({before})") + text[self.end:]

    def switched(self, name: str, before: str, is_insertion: bool) -> str:
        if self.statements:
            return f"if isKept({self.number}) {{ {before} }}"
        return f"negated({self.number}, {before})"


# In the copy only.
SWITCHES = """// Made by Tests/Mutation/mechanical.
import Glibc

package let activeMutant = getenv("MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

/// A condition, or its negation while this mutant is active.
package func negated(_ mutant: Int, _ condition: Bool) -> Bool {
  activeMutant == mutant ? !condition : condition
}

/// Whether an assignment is made.
package func isKept(_ mutant: Int) -> Bool { activeMutant != mutant }
"""


def code(text: str) -> str:
    """The text with comments and string literals blanked, at the same offsets."""
    pattern = r'//[^\n]*|/\*.*?\*/|"""(?:\\.|(?!""").)*"""|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


def scan(masked: str, at: int, step: int) -> int:
    """The end of the operand that begins at an offset, in the direction of `step`."""
    depth, opening, closing = 0, *((OPENING, CLOSING) if step > 0 else (CLOSING, OPENING))
    while 0 <= at < len(masked):
        char = masked[at]
        if char == "{" and step > 0 and depth == 0 and masked[at - 1] == " " and not opens_closure(masked, at):
            return at
        if char in opening:
            depth += 1
        elif char in closing:
            if depth == 0:
                return at
            depth -= 1
        elif depth == 0:
            if char == "\n" and not continues(masked, at):
                return at
            if step > 0 and STOPS.match(masked, at):
                return at
            if step < 0 and (stop := stop_before(masked, at)) is not None:
                return stop
        at += step
    return at


def opens_closure(masked: str, at: int) -> bool:
    """Whether a brace after a space belongs to a call before it: `first { ... }`."""
    line = masked[masked.rfind("\n", 0, at) + 1:at]
    return not re.search(r"\b(if|while|guard|for|else|switch)\b", line)


def continues(masked: str, newline: int) -> bool:
    """Whether an expression continues in the next line."""
    before, after = masked[:newline].rstrip(), masked[newline:].lstrip()
    return before.endswith(("&&", "||", "(", "[", "=")) or after.startswith(("&&", "||", ".", "? ", ": ", "==", "+ "))


def stop_before(masked: str, at: int) -> int | None:
    """The offset after a stop that ends at `at`."""
    for width in (1, 2, 3, 5, 6):
        start = at - width + 1
        found = STOPS.match(masked, start) if start >= 0 else None
        if found and found.end() == at + 1:
            return at
    return None


def operands(masked: str) -> list[tuple[int, int]]:
    """The spans of conditions: operands of && and ||, and conditions of one."""
    spans = set()
    for found in re.finditer(r"&&|\|\|", masked):
        left = scan(masked, found.start() - 1, -1) + 1
        spans.add((left, found.start()))
        spans.add((found.end(), scan(masked, found.end(), 1)))
    for found in re.finditer(r"\b(?:guard|if|while)\b(?!\s*#)", masked):
        at = found.end()
        while True:
            end = scan(masked, at, 1)
            spans.add((at, end))
            if end >= len(masked) or masked[end] != ",":
                break
            at = end + 1
    return sorted({trimmed for span in spans if (trimmed := trim(masked, *span))})


def trim(masked: str, start: int, end: int) -> tuple[int, int] | None:
    """A span without its margins; nil if it is no condition."""
    part = masked[start:end]
    start, end = start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
    part = masked[start:end]
    if not part or re.match(r"(let|var|case|is|as|#)\b", part) or re.search(r"(?<![=!<>])=(?!=)", outside(part)):
        return None
    return start, end


def outside(part: str) -> str:
    """What lies in no bracket."""
    depth, kept = 0, ""
    for char in part:
        depth += (char in OPENING) - (char in CLOSING)
        kept += char if depth == 0 else " "
    return kept


def assignments(masked: str) -> list[tuple[int, int]]:
    """The spans of statements that assign, initializers left out: there every field needs a value."""
    spans, function = [], ""
    at = 0
    for line in masked.splitlines(keepends=True):
        if found := re.search(r"\b(init[?(<]|func \w+|var \w+)", line):
            function = found[1]
        target = re.match(r"\s*(?:self\.)?[a-z_][\w.\[\]?$]*(?:\[[^\]]*\])? (?:=|\+=|-=|&\+=) \S", line)
        if target and not function.startswith("init") and not re.match(r"\s*(let|var|case|return)\b", line):
            start = at + len(line) - len(line.lstrip())
            end = scan(masked, at + target.end(), 1)
            spans.append((start, end))
        at += len(line)
    return spans


def branches() -> list[Mutation]:
    """Every mutation, in the order of the sources. Their numbers change when the sources do."""
    found = []
    for folder in SCOPE:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            if "Generated" in path.parts:
                continue
            text = path.read_text()
            masked, name = code(text), str(path.relative_to(ROOT))
            kinds = [(span, False) for span in operands(masked)]
            kinds += [(span, True) for span in assignments(masked)]
            for (start, end), drops in sorted(kinds):
                number = len(found) + 1
                line = text.count("\n", 0, start) + 1
                shown = " ".join(text[start:end].split())
                says = f"{Path(name).name}:{line}: {'dropped' if drops else 'negated'}: {shown}"
                place = Place(name, shown, "", statements=drops, start=start, end=end, number=number)
                found.append(mutation(f"m{number}", says, place))
    return found


def sample(mutations: list[Mutation], count: int, seed: int) -> list[Mutation]:
    """Some of them at random, the same for the same seed and sources."""
    chosen = random.Random(seed).sample(mutations, min(count, len(mutations)))
    return sorted(chosen, key=lambda one: int(one.name[1:]))
