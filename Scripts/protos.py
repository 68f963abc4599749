# SPDX-License-Identifier: Apache-2.0
"""Reads Protos/ as text, because comments belong to the contract. Fails at every line that it does
not understand. For Scripts/generate-wire and Scripts/check-protos."""

import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROTOS = ROOT / "Protos"

BLOCK = re.compile(r"(?P<kind>message|enum|service) (?P<name>\w+) \{(?P<closed>\})?$")
RPC = re.compile(
    r"rpc (?P<name>\w+)\((?P<uploads>stream )?(?P<request>[\w.]+)\)"
    r" returns \((?P<streams>stream )?(?P<response>[\w.]+)\);$"
)
FIELD = re.compile(
    r"(?P<many>repeated )?(?P<type>[\w.]+|map<\w+, [\w.]+>) (?P<name>\w+) = (?P<number>\d+);$"
)
VALUE = re.compile(r"(?P<name>\w+) = (?P<number>\d+);$")
RESERVED = re.compile(r"reserved (?P<what>[\w\", ]+);$")
OPTION = re.compile(r"option (?P<name>\w+) = (?P<value>\"[^\"]*\"|\w+);$")
IMPORT = re.compile(r"import \"(?P<path>[\w./]+)\";$")
PACKAGE = re.compile(r"package (?P<name>[\w.]+);$")
SYNTAX = re.compile(r"syntax = \"(?P<name>\w+)\";$")


@dataclasses.dataclass
class Entry:
    """A field, a value of an enum or a method. Only what applies is set."""

    name: str
    comment: str
    number: int | None = None
    type: str = ""
    many: bool = False
    request: str = ""
    response: str = ""
    streams: bool = False


@dataclasses.dataclass
class Block:
    """A file, named after its package, or a message, an enum or a service."""

    kind: str
    name: str
    comment: str = ""
    path: str = ""
    syntax: str = ""
    entries: list[Entry] = dataclasses.field(default_factory=list)
    blocks: list["Block"] = dataclasses.field(default_factory=list)
    options: dict[str, str] = dataclasses.field(default_factory=dict)
    imports: list[str] = dataclasses.field(default_factory=list)
    reserved: list[str] = dataclasses.field(default_factory=list)


def first_sentence(comment: list[str]) -> str:
    paragraph = "\n".join(comment).split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=\.) (?=[A-Z])", paragraph, maxsplit=1)[0]


def parse(path: pathlib.Path) -> Block:
    """A file as a block."""
    file = Block("file", "", path=str(path.relative_to(PROTOS)))
    stack, comment = [file], []
    for number, line in enumerate(map(str.strip, path.read_text(encoding="utf-8").splitlines()), 1):
        block = stack[-1]
        if line.startswith("//"):
            comment.append(line[2:].strip())
            continue
        about, comment = first_sentence(comment), []
        if not line:
            continue
        if line == "}" and len(stack) > 1:
            stack.pop()
        elif match := BLOCK.match(line):
            inner = Block(match["kind"], match["name"], about)
            block.blocks.append(inner)
            if not match["closed"]:
                stack.append(inner)
        elif match := OPTION.match(line):
            block.options[match["name"]] = match["value"].strip('"')
        elif match := RESERVED.match(line):
            block.reserved += [word.strip() for word in match["what"].split(",")]
        elif block.kind == "file" and (match := SYNTAX.match(line)):
            file.syntax = match["name"]
        elif block.kind == "file" and (match := PACKAGE.match(line)):
            file.name = match["name"]
        elif block.kind == "file" and (match := IMPORT.match(line)):
            file.imports.append(match["path"])
        elif block.kind == "service" and (match := RPC.match(line)) and not match["uploads"]:
            block.entries.append(
                Entry(
                    match["name"],
                    about,
                    request=match["request"],
                    response=match["response"],
                    streams=bool(match["streams"]),
                )
            )
        elif block.kind == "message" and (match := FIELD.match(line)):
            block.entries.append(
                Entry(
                    match["name"], about, int(match["number"]), match["type"], bool(match["many"])
                )
            )
        elif block.kind == "enum" and (match := VALUE.match(line)):
            block.entries.append(Entry(match["name"], about, int(match["number"])))
        else:
            sys.exit(f"{path}:{number}: what is this? {line}")
    return file


def parse_ours() -> list[Block]:
    """Every file of ours below Protos/, in the order of their paths. The others are gRPC's."""
    paths = [*PROTOS.glob("atrest/**/*.proto"), *PROTOS.glob("trunk/**/*.proto")]
    return [parse(path) for path in sorted(paths)]
