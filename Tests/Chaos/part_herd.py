# SPDX-License-Identifier: Apache-2.0
"""Thousands of devices that all come back at once after an outage, each with something to say."""

import itertools
import resource
import time

import values
from atrest.sync.v1 import sync_pb2
from herd import Herd
from harness import open_channel
from ledger import Ledger
from oplog import OK, OpLog
from result import Result
from stranger import encoded
from world import Server

ACCOUNTS, DEVICES = 8, 4  # Devices per account. Clients share them.
SPARE_DESCRIPTORS = 200
SECONDS = 120
BYTES_A_CLIENT, BYTES_BESIDES = 128 << 10, 256 << 20


def run(binaries, folder, *, clients):
    result = Result("herd")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < clients + SPARE_DESCRIPTORS:
        clients = max(0, most - SPARE_DESCRIPTORS)
        result.notes.append(f"only {most:,} descriptors are to be had")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, clients + SPARE_DESCRIPTORS), most))
    server, herd = Server(binaries, folder), None
    logs = folder / "logs"
    logs.mkdir()
    try:
        server.up()
        accounts = [f"account-{number}" for number in range(ACCOUNTS)]
        devices = [(a, server.pair(a, f"{a}-{n}")) for n in range(DEVICES) for a in accounts]
        for _, device in devices:
            device.channel.close()
        members = list(itertools.islice(itertools.cycle(devices), clients))
        herd = Herd(server.listen, [device.token for _, device in members])
        places = [None] * clients  # What each client has seen.
        logs_of = {account: OpLog.next_life(logs, account) for account in accounts}
        for name in ("first", "after the outage"):
            speak(result, server, herd, members, places, logs_of, name)
            server.kill()
            server.up()
        herd.end()
        for log in logs_of.values():
            log.close()
        for account in accounts:
            ledger = Ledger()
            ledger.read(logs, account)
            with open_channel(server.listen) as channel:
                device = next(device for a, device in devices if a == account).on(channel)
                ledger.follow(device)
            result.take(ledger.judge())
        result.cycles = clients
        if server.stop() != 0:
            result.wrong("it did not end well")
        for complaint in server.complaints():
            result.wrong(f"the daemon's log: {complaint}")
    finally:
        if herd:
            herd.end()
        server.kill()
    return result.done()


def speak(result, server, herd, members, places, logs_of, name):
    """Everybody offers a record of its own."""
    offers = [
        sync_pb2.Offer(record=values.water(device.replica), written_fields=[1, 2]) for _, device in members
    ]
    tries = [
        logs_of[account].trying(offers=[encoded(offer)])
        for (account, _), offer in zip(members, offers)
    ]

    def answered(number, answer):
        account, _ = members[number]
        refused = [refusal.index for refusal in answer.refusals]
        logs_of[account].ended(tries[number], OK, refused=refused)
        places[number] = answer.cursor
        if refused:
            result.wrong(f"{name}: an offer was refused: {answer.refusals[0].reason}")

    bodies = [
        sync_pb2.ExchangeRequest(cursor=place, offers=[offer]).SerializeToString()
        for place, offer in zip(places, offers)
    ]
    begun, failures = time.monotonic(), herd.failures
    left = herd.say(bodies, SECONDS, answered)
    if left:
        result.wrong(f"{name}: {left:,} of {len(members):,} were not answered in {SECONDS} s")
    peak = server.peak_bytes()
    if peak > BYTES_BESIDES + BYTES_A_CLIENT * len(members):
        result.wrong(f"{name}: the daemon took {peak >> 20:,} MiB")
    result.notes.append(
        f"{name}: {len(members):,} answered in {time.monotonic() - begun:.1f} s, after "
        f"{herd.failures - failures:,} attempts that were not; the daemon took {peak >> 20:,} MiB"
    )
