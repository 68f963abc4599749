# SPDX-License-Identifier: Apache-2.0
"""The model itself keeps the laws it is used to check; and it is not blind."""

import random

import model
from model import Register, Stamp


def any_register(random):
    stamps = [Stamp(random.randrange(3), random.randrange(1, 3)) for _ in range(2)]
    return Register(2, stamps[0], random.choice([None, stamps[1]]), random.choice([b"", b"a"]))


def test_merging_is_commutative_associative_and_idempotent():
    for seed in range(2000):
        source = random.Random(seed)
        a, b, c = ({2: any_register(source)} for _ in range(3))
        assert model.merge(a, b) == model.merge(b, a), seed
        assert model.merge(model.merge(a, b), c) == model.merge(a, model.merge(b, c)), seed
        assert model.merge(a, a) == a, seed


def test_a_write_that_knew_the_other_is_no_conflict():
    account, key = model.Account(), (2, b"x")
    first = Register(2, Stamp(10, 1), None, b"a")
    knowing = Register(2, Stamp(11, 2), first.stamp, b"b")
    unaware = Register(2, Stamp(12, 3), None, b"c")
    for register in (first, knowing):
        account.take(key, {2: register}, frozenset({2}))
    assert account.journal == {}
    account.take(key, {2: unaware}, frozenset({2}))
    assert list(account.journal.values()) == [model.Entry(key, knowing, unaware, {2: knowing})]
    assert account.records[key][2] == unaware
