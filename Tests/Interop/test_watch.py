# SPDX-License-Identifier: Apache-2.0
"""A stream of what is committed, as it is committed."""

import pytest

from atrest.sync.v1 import records_pb2
from values import canonical, clock, now_ms, offer, water


class Follower:
    """Does what the contract tells a replica to do with events."""

    def __init__(self, device):
        self.device = device
        self.cursor = device.exchange().cursor
        self.records = {}
        self.exchanges = 0
        self.stream = device.watch(self.cursor)

    def take_one(self):
        event = next(self.stream)
        if event.after == self.cursor:
            self._store(event.records)
            self.cursor = event.cursor
        else:
            self.catch_up()
        return event

    def catch_up(self):
        self.exchanges += 1
        for page in self.device.pages(self.cursor):
            self._store(records_pb2.Record.FromString(r) for r in page.records)
            self.cursor = page.cursor

    def _store(self, records):
        for record in records:
            self.records[record.kind, record.id] = record

    def follow_to(self, cursor):
        while self.cursor.sequence < cursor.sequence:
            self.take_one()

    def close(self):
        self.stream.cancel()


@pytest.fixture
def follower(account):
    follower = Follower(account.add_device("watcher"))
    yield follower
    follower.close()


def test_the_first_event_comes_at_once_and_brings_nothing(follower):
    before = now_ms()
    event = follower.take_one()
    assert event.after == event.cursor == follower.cursor
    assert not event.records
    assert before - 60_000 <= event.server_time_ms <= now_ms() + 60_000
    assert follower.exchanges == 0


def test_without_a_cursor_it_still_says_where_the_account_stands(account):
    account.exchange(offers=[offer(water(account.replica))])
    stream = account.watch()
    event = next(stream)
    assert event.cursor == account.exchange().cursor
    assert event.after == event.cursor and not event.records
    stream.cancel()


def test_each_commit_of_another_device_is_one_link_of_a_chain(account, follower):
    follower.take_one()
    for _ in range(5):
        mine = water(account.replica)
        answer = account.exchange(offers=[offer(mine)])
        follower.follow_to(answer.cursor)
        assert follower.records[mine.kind, mine.id] == mine
    assert follower.exchanges == 0, "nothing was lost, so there was nothing to catch up with"


def test_it_tells_of_the_watchers_own_writes_too(follower):
    follower.take_one()
    mine = water(follower.device.replica)
    answer = follower.device.exchange(offers=[offer(mine)])
    follower.follow_to(answer.cursor)
    assert follower.records[mine.kind, mine.id] == mine


def test_a_replica_that_stands_elsewhere_catches_up(account, follower):
    """Commits between an exchange and the stream's start are not in the stream."""
    missed = water(account.replica)
    follower.stream.cancel()
    account.exchange(offers=[offer(missed)])
    follower.stream = follower.device.watch(follower.cursor)
    follower.take_one()
    assert follower.exchanges == 1
    assert list(follower.records.values()) == [missed]


def test_a_large_commit_loses_nothing(account, follower):
    follower.take_one()
    at = clock()
    records = [water(account.replica, at=at + n) for n in range(1000)]
    answer = account.exchange(offers=[offer(r) for r in records])
    follower.follow_to(answer.cursor)
    assert len(follower.records) == 1000


def test_nothing_is_told_of_what_changed_nothing(account, follower):
    follower.take_one()
    mine = water(account.replica)
    for _ in range(3):
        account.exchange(offers=[offer(mine)])
    last = water(account.replica)
    follower.follow_to(account.exchange(offers=[offer(last)]).cursor)
    assert set(follower.records) == {(mine.kind, mine.id), (last.kind, last.id)}
    assert account.all_records() == [canonical(mine), canonical(last)]


def test_a_stream_hears_only_its_own_account(daemon, channel, follower):
    follower.take_one()
    stranger = daemon.new_account(channel)
    stranger.exchange(offers=[offer(water(stranger.replica))])
    own = water(follower.device.replica)
    follower.follow_to(follower.device.exchange(offers=[offer(own)]).cursor)
    assert list(follower.records) == [(own.kind, own.id)]


def test_many_streams_of_one_account_all_hear(account):
    devices = [account, account.add_device("tablet"), account.add_device("laptop")]
    followers = [Follower(device) for device in devices for _ in range(4)]
    mine = water(account.replica)
    answer = account.exchange(offers=[offer(mine)])
    for follower in followers:
        follower.follow_to(answer.cursor)
        assert list(follower.records.values()) == [mine]
        follower.close()
