# SPDX-License-Identifier: Apache-2.0
"""The published merge vectors are the model's, and say something about everything."""

import base64
import importlib.util
import json
import pathlib

import make_vectors
import model
from atrest.sync.v1 import records_pb2, sync_pb2

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/protocol/merge-vectors.jsonl"
CLIENT = ROOT / "Examples/python-client/client.py"


def test_the_file_is_what_the_model_says():
    assert FILE.read_text().splitlines() == list(make_vectors.lines())


def test_replaying_them_needs_nothing_but_merging():
    """What a client checks: each result is the merge of what was stored and what was offered."""
    for line in FILE.read_text().splitlines():
        stored = {}
        for step in json.loads(line).get("steps", []):
            if "refused" in step:
                continue
            offer = sync_pb2.Offer.FromString(base64.b64decode(step["offer"]))
            _, offered = model.to_record(offer.record)
            meeting = model.Meeting(stored, offered, frozenset(), False, model.History())
            stored = meeting.result if stored else offered
            result = records_pb2.Record.FromString(base64.b64decode(step["result"]))
            assert model.to_record(result)[1] == stored, line


def test_the_example_client_in_python_merges_as_they_say():
    spec = importlib.util.spec_from_file_location("example_client", CLIENT)
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    for line in FILE.read_text().splitlines():
        stored = records_pb2.Record()
        for step in json.loads(line).get("steps", []):
            if "refused" not in step:
                offer = sync_pb2.Offer.FromString(base64.b64decode(step["offer"]))
                stored = client.merged(offer.record, stored)
                assert stored == records_pb2.Record.FromString(base64.b64decode(step["result"])), line


def test_they_cover_what_can_happen():
    cases = [json.loads(line) for line in FILE.read_text().splitlines()]
    steps = [step for case in cases for step in case.get("steps", [])]
    offers = [sync_pb2.Offer.FromString(base64.b64decode(step["offer"])) for step in steps]
    floors = [
        any(register.field == model.PRUNE_FLOOR_FIELD for register in offer.record.registers)
        for offer in offers
    ]
    reasons = [step.get("refused") for step in steps]
    deletions = [request for case in cases for request in case.get("requests", [])]
    assert len(steps) > 3000
    assert reasons.count("REASON_CLOCK_SKEW") > 20 and reasons.count("REASON_INVALID") > 30
    assert sum(bool(step.get("superseded")) for step in steps) > 400
    assert sum(len(step.get("journal", [])) for step in steps) > 400
    assert sum(floors) > 200 and sum(offer.restored for offer in offers) > 200
    assert {"refused" in request for request in deletions} == {True, False}
    assert any(request["allow_mass_deletion"] for request in deletions)
