# SPDX-License-Identifier: Apache-2.0
"""The published merge vectors are the model's, and say something about everything."""

import base64
import json
import pathlib

import make_vectors
import model
from atrest.sync.v1 import records_pb2, sync_pb2

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs/protocol/merge-vectors.jsonl"


def test_the_file_is_what_the_model_says():
    assert FILE.read_text().splitlines() == list(make_vectors.lines())


def test_replaying_them_needs_nothing_but_merging():
    """What a client checks: each result is the merge of what was stored and what was offered."""
    for line in FILE.read_text().splitlines():
        stored = None
        for step in json.loads(line)["steps"]:
            if "refused" in step:
                continue
            offer = sync_pb2.Offer.FromString(base64.b64decode(step["offer"]))
            _, offered = model.to_record(offer.record)
            stored = model.merge(stored, offered) if stored else offered
            result = records_pb2.Record.FromString(base64.b64decode(step["result"]))
            assert model.to_record(result)[1] == stored, line


def test_they_cover_what_can_happen():
    steps = [step for line in FILE.read_text().splitlines() for step in json.loads(line)["steps"]]
    assert len(steps) > 2000
    assert sum("refused" in step for step in steps) > 20
    assert sum(bool(step.get("superseded")) for step in steps) > 200
    assert sum(len(step.get("journal", [])) for step in steps) > 200
