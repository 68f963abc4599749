# SPDX-License-Identifier: Apache-2.0
"""The outbox as a log: each number is judged once, and a server tells a replica's past from a copy's."""

import os

import grpc
import pytest

from atrest.sync.v1 import devices_pb2, records_pb2, sync_pb2
from harness import CALL_SECONDS, Daemon, open_channel, status_of
from values import DELETED, canonical, clock, offer, record, register, water

SKEW = sync_pb2.Refusal.REASON_CLOCK_SKEW
INVALID = sync_pb2.Refusal.REASON_INVALID


class Outbox:
    """What a replica's log says, and the requests that show it."""

    def __init__(self, device):
        self.device = device
        self.confirmed, self.settled = 0, 0

    def offer(self, token, numbers, records, **more):
        """One exchange whose offers have these numbers. Settles nothing."""
        before = [self.settled, *numbers]
        request = sync_pb2.ExchangeRequest(
            offers=[r if isinstance(r, sync_pb2.Offer) else offer(r) for r in records],
            segment=sync_pb2.OutboxSegment(
                confirmed=self.confirmed,
                token=token,
                settled_through=self.settled,
                steps=[number - last for last, number in zip(before, numbers)],
            ),
            **more,
        )
        return self.device.sync.Exchange(
            request, metadata=self.device.metadata, timeout=CALL_SECONDS
        )

    def settle(self, answer):
        self.confirmed = answer.taken_through.token
        self.settled = answer.taken_through.number


def told(answer):
    return answer.taken_through.number, answer.taken_through.token


def over(device, before, at, millilitres, replaced):
    """An edit of some water by a device that knew a value of it."""
    return water(device.replica, id=before.id, at=at, millilitres=millilitres, replaced=replaced)


def stamp(record):
    return record.registers[1].stamp.clock, record.registers[1].stamp.replica


def journal(device):
    return [r for r in device.exchange().records if r.kind == 5]


def test_without_a_segment_no_position_is_told(account):
    assert not account.exchange(offers=[offer(water(account.replica))]).HasField("taken_through")


def test_a_server_that_knows_nothing_of_the_outbox_takes_it_as_it_is(account):
    outbox = Outbox(account)
    outbox.confirmed, outbox.settled = 77, 900
    answer = outbox.offer(78, [905, 910], [water(account.replica), water(account.replica)])
    assert told(answer) == (910, 78) and not answer.refusals
    assert len(account.all_records()) == 2


def test_a_segment_without_offers_asks_for_the_position_and_moves_nothing(account):
    outbox = Outbox(account)
    assert told(outbox.offer(9, [], [])) == (0, 0)
    outbox.offer(9, [4], [water(account.replica)])
    assert told(outbox.offer(10, [], [])) == (4, 9)


def test_a_number_that_comes_again_is_not_judged_again(account):
    outbox = Outbox(account)
    first = water(account.replica)
    assert told(outbox.offer(5, [1], [first])) == (1, 5)
    # A different offer under the same number.
    other = water(account.replica)
    answer = outbox.offer(5, [1], [other])
    assert told(answer) == (1, 5) and not answer.refusals and not answer.superseded_offers
    assert list(answer.records) == [first]
    assert account.all_records() == [canonical(first)]


def test_a_lost_answer_leaves_no_entry_although_another_device_edited_twice(account):
    other, outbox = account.add_device("tablet"), Outbox(account)
    at = clock() - 1000
    mine = water(account.replica, at=at)
    outbox.offer(5, [1], [mine])  # Its response is lost.
    first = over(other, mine, at + 1, 300, stamp(mine))
    second = over(other, mine, at + 2, 400, stamp(first))
    for edit in (first, second):
        other.exchange(offers=[offer(edit)])
    answer = outbox.offer(5, [1], [mine])
    assert told(answer) == (1, 5)
    assert list(answer.records) == [second] and not journal(account)


def test_what_goes_on_in_the_same_request_is_judged(account):
    outbox = Outbox(account)
    first, second = water(account.replica), water(account.replica)
    outbox.offer(5, [1], [first])
    answer = outbox.offer(6, [1, 2], [first, second])
    # Position (1, 5) was never received: the request has token 6 and confirms none.
    assert told(answer) == (1, 5) and account.all_records() == [canonical(first)]
    outbox.confirmed = 5
    assert told(outbox.offer(6, [1, 2], [first, second])) == (2, 6)
    assert account.all_records() == [canonical(first), canonical(second)]


def test_a_request_that_does_not_follow_is_not_looked_at_and_is_told_the_position(account):
    outbox = Outbox(account)
    mine = water(account.replica)
    outbox.settle(outbox.offer(5, [1], [mine]))
    copy = Outbox(account)
    copy.confirmed, copy.settled = outbox.confirmed, outbox.settled
    assert told(outbox.offer(6, [2], [water(account.replica)])) == (2, 6)
    stored = account.all_records()
    # The copy draws a token. Neither its valid nor its invalid offers are judged.
    ahead = water(account.replica, at=clock() + (10**9 << 16))
    broken = record(2, b"no UUID", {1: b""}, (clock(), account.replica))
    answer = copy.offer(7, [3, 4, 5], [water(account.replica), ahead, broken])
    assert told(answer) == (2, 6)
    assert not answer.refusals and not answer.superseded_offers
    assert account.all_records() == stored
    assert [canonical(r) for r in answer.records] == stored, "pulling goes on"


def test_a_copy_with_a_new_identity_loses_nothing(account):
    outbox = Outbox(account)
    at = clock() - 1000
    mine = water(account.replica, at=at)
    outbox.settle(outbox.offer(5, [1], [mine]))
    copied = over(account, mine, at + 1, 300, stamp(mine))
    copy = Outbox(account)
    copy.confirmed, copy.settled = outbox.confirmed, outbox.settled
    outbox.offer(6, [2], [over(account, mine, at + 1, 400, stamp(mine))])
    number, token = told(copy.offer(7, [2], [copied]))
    assert token == 6, "not drawn by the copy"
    renewed = account.devices.Renew(
        devices_pb2.RenewRequest(nonce=os.urandom(16)),
        metadata=account.metadata,
        timeout=CALL_SECONDS,
    )
    device = type(account)(account.channel, renewed)
    assert device.replica != account.replica
    fresh = Outbox(device)
    again = over(device, mine, at + 1, 300, stamp(mine))
    assert told(fresh.offer(1, [1], [again])) == (1, 1)
    assert len(journal(device)) == 1, "the two did not know each other"


def test_another_outbox_of_the_account_is_another_log(account):
    tablet = account.add_device("tablet")
    for device, token in ((account, 5), (tablet, 6)):
        assert told(Outbox(device).offer(token, [1], [water(device.replica)])) == (1, token)
    assert len(account.all_records()) == 2


def refusals(answer):
    return [(refusal.index, refusal.reason) for refusal in answer.refusals]


def test_refusals_are_said_again_until_they_are_settled(account):
    outbox = Outbox(account)
    good, ahead = water(account.replica), water(account.replica, at=clock() + (10**9 << 16))
    broken = record(2, b"no UUID", {1: b""}, (clock(), account.replica))
    expected = [(0, SKEW), (2, INVALID)]
    first = outbox.offer(5, [1, 2, 3], [ahead, good, broken])
    assert refusals(first) == expected and told(first) == (3, 5)
    assert refusals(outbox.offer(5, [1, 2, 3], [ahead, good, broken])) == expected
    # Other bytes under the same numbers change nothing.
    sound = water(account.replica)
    assert refusals(outbox.offer(5, [1, 2, 3], [sound, sound, sound])) == expected
    # A request that continues from there repeats them as well.
    outbox.confirmed = 5
    assert refusals(outbox.offer(6, [1, 3, 4], [ahead, broken, sound])) == [(0, SKEW), (1, INVALID)]
    assert len(account.all_records()) == 2
    # Once settled and offered again under a new number, it is judged again.
    outbox.confirmed, outbox.settled = 6, 4
    right = water(account.replica, id=ahead.id, millilitres=1)
    answer = outbox.offer(7, [5], [right])
    assert not answer.refusals and told(answer) == (5, 7)
    assert canonical(right) in account.all_records()


def test_a_mass_deletion_is_refused_again_and_taken_under_a_new_number(account):
    outbox, at = Outbox(account), clock() - 1000
    there = [water(account.replica, at=at) for _ in range(40)]
    outbox.settle(outbox.offer(5, range(1, 41), there))

    def gone(water):
        deletion = register(1, DELETED, (at + 1, account.replica), (at, account.replica))
        whole = records_pb2.Record(
            kind=water.kind, id=water.id, registers=[deletion, water.registers[1]]
        )
        return offer(whole, written=[1])

    deletions = [gone(r) for r in there]
    reason = sync_pb2.Refusal.REASON_MASS_DELETION
    assert {r for _, r in refusals(outbox.offer(6, range(41, 81), deletions))} == {reason}
    again = outbox.offer(6, range(41, 81), deletions, allow_mass_deletion=True)
    assert len(again.refusals) == 40, "the numbers were judged"
    outbox.settle(again)
    answer = outbox.offer(7, range(81, 121), deletions, allow_mass_deletion=True)
    assert not answer.refusals


@pytest.mark.parametrize(
    "token, steps, offers",
    [(0, [], 1), (5, [1], 2), (5, [1, 1, 1], 2), (5, [1, 0], 2)],
    ids=["no token", "too few numbers", "too many numbers", "a number twice"],
)
def test_a_segment_keeps_its_rules(account, token, steps, offers):
    request = sync_pb2.ExchangeRequest(
        offers=[offer(water(account.replica)) for _ in range(offers)],
        segment=sync_pb2.OutboxSegment(token=token, steps=steps),
    )
    status = status_of(account.sync.Exchange, request, metadata=account.metadata)
    assert status == grpc.StatusCode.INVALID_ARGUMENT
    assert not account.all_records()


def test_numbers_without_steps_follow_each_other(account):
    request = sync_pb2.ExchangeRequest(
        offers=[offer(water(account.replica)) for _ in range(3)],
        segment=sync_pb2.OutboxSegment(token=5, settled_through=10),
    )
    assert told(account.sync.Exchange(request, metadata=account.metadata)) == (13, 5)


def test_positions_and_refusals_survive_a_kill(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start()
    try:
        with open_channel(daemon.address) as channel:
            device = daemon.new_account(channel)
            ahead = water(device.replica, at=clock() + (10**9 << 16))
            mine = [ahead, water(device.replica)]
            before = Outbox(device).offer(5, [1, 2], mine)
        daemon.process.kill()
        daemon.process.wait()
        daemon.process.stdout.close()
        daemon.start(listen=daemon.address)
        with open_channel(daemon.address) as channel:
            after = Outbox(device.on(channel)).offer(5, [1, 2], mine)
            assert told(after) == told(before) == (2, 5)
            assert refusals(after) == refusals(before) == [(0, SKEW)]
            assert len(device.all_records()) == 1
    finally:
        assert daemon.stop() == 0, daemon.log_tail()
