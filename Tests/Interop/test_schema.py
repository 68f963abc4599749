# SPDX-License-Identifier: Apache-2.0
"""What the schema may contain. Scripts/check-protos has the rules of API design, and what was
released."""

import os
import pathlib

import pytest
from google.protobuf import descriptor_pb2

FIELD = descriptor_pb2.FieldDescriptorProto


@pytest.fixture(scope="module")
def files():
    descriptors = descriptor_pb2.FileDescriptorSet()
    descriptors.ParseFromString(pathlib.Path(os.environ["ATREST_DESCRIPTORS"]).read_bytes())
    return descriptors.file


def messages(file):
    """Every message of a file, nested ones too: its full name, its path in the source, itself."""

    def walk(siblings, prefix, path):
        for index, message in enumerate(siblings):
            name, here = f"{prefix}.{message.name}", path + (index,)
            yield name, here, message
            yield from walk(message.nested_type, name, here + (3,))

    yield from walk(file.message_type, f".{file.package}", (4,))


def enums(file):
    for index, enum in enumerate(file.enum_type):
        yield f".{file.package}.{enum.name}", (5, index), enum
    for name, path, message in messages(file):
        for index, enum in enumerate(message.enum_type):
            yield f"{name}.{enum.name}", path + (4, index), enum


def test_no_field_is_optional(files):
    """protoc-c refuses proto3 `optional`."""
    optional = [
        f"{name}.{field.name}"
        for file in files
        for name, _, message in messages(file)
        for field in message.field
        if field.proto3_optional
    ]
    assert optional == []


def test_no_message_is_reachable_from_itself(files):
    """protobuf-c has no limit on recursion: such a message would be a way to end the process."""
    inside = {
        name: {field.type_name for field in message.field if field.type == FIELD.TYPE_MESSAGE}
        for file in files
        for name, _, message in messages(file)
    }
    for name in inside:
        seen, left = set(), list(inside[name])
        while left:
            other = left.pop()
            if other not in seen:
                seen.add(other)
                left.extend(inside[other])
        assert name not in seen


def test_bytes_hold_what_may_hold_a_nul(files):
    """protobuf-c ends text at a NUL, so ids, values and signed facts are `bytes`."""
    binary = {"id", "value", "signed_transaction"}
    for file in files:
        for name, _, message in messages(file):
            if name.startswith(".atrest.sync.v1") and name != ".atrest.sync.v1.Preference":
                for field in message.field:
                    if field.name in binary:
                        assert field.type == FIELD.TYPE_BYTES, f"{name}.{field.name}"


def test_the_contract_explains_itself(files):
    """Every method, message, value and scalar field of the public contract has a comment.

    A message may be explained by the method that takes or returns it, alone or in a list, and so
    may its only field; a field by the comment at the head of its paragraph; an enum by its message;
    and a field whose type is a message or an enum by that type.
    """
    silent = []
    for file in files:
        if file.package != "atrest.sync.v1":
            continue
        places = {tuple(place.path): place for place in file.source_code_info.location}

        def has_comment(path):
            place = places.get(path)
            return bool(place and (place.leading_comments or place.trailing_comments))

        explained = set()
        for index, service in enumerate(file.service):
            for number, method in enumerate(service.method):
                if has_comment((6, index, 2, number)):
                    explained |= {method.input_type, method.output_type}
                else:
                    silent.append(f"{service.name}.{method.name}")
        for name, _, message in messages(file):
            if name in explained and len(message.field) == 1:
                explained.add(message.field[0].type_name)
        for name, path, message in messages(file):
            if not has_comment(path) and name not in explained:
                silent.append(name)
            last_line, is_covered = None, False
            for index, field in enumerate(message.field):
                place = path + (2, index)
                line = places[place].span[0]
                is_covered = has_comment(place) or (is_covered and line == last_line + 1)
                last_line = line
                is_alone = len(message.field) == 1 and name in explained
                is_scalar = field.type not in (FIELD.TYPE_MESSAGE, FIELD.TYPE_ENUM)
                if is_scalar and not (is_covered or is_alone):
                    silent.append(f"{name}.{field.name}")
        for name, path, enum in enums(file):
            is_nested = len(path) > 2
            if not has_comment(path) and not is_nested:
                silent.append(name)
            silent += [
                value.name
                for index, value in enumerate(enum.value)
                if value.number and not has_comment(path + (2, index))
            ]
    assert silent == []
