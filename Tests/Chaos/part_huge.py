# SPDX-License-Identifier: Apache-2.0
"""An account of a million records, beside a small one that must not suffer for it."""

import threading
import time

import values
from atrest.sync.v1 import records_pb2
from harness import open_channel
from result import Result
from world import Server, device_of

PAGE = 1000
MEMORY_BYTES = 256 << 20


def run(binaries, folder, *, records):
    result = Result("huge")
    server = Server(binaries, folder)
    try:
        server.up()
        huge, small = server.pair("huge", "giant"), server.pair("small", "neighbour")
        for device in (huge, small):
            device.channel.close()
        neighbour = Neighbour(server, small)
        neighbour.start()
        with open_channel(server.listen) as channel:
            begun = time.monotonic()
            sent = fill(device_of(huge.replica, huge.token, channel), records)
            result.notes.append(f"{len(sent):,} records taken in {time.monotonic() - begun:.0f} s")
            is_same(result, device_of(huge.replica, huge.token, channel), sent, "at once")
        neighbour.finish()
        result.problems += neighbour.problems
        remember_memory(result, server, "to take and to give them")
        server.kill()
        begun = time.monotonic()
        server.up()
        result.notes.append(f"up again in {time.monotonic() - begun:.1f} s after a kill")
        with open_channel(server.listen) as channel:
            is_same(result, device_of(huge.replica, huge.token, channel), sent, "after a kill")
            told = len(device_of(small.replica, small.token, channel).all_records())
        remember_memory(result, server, "to start and to give them")
        if told != neighbour.acknowledged:
            result.lost += abs(neighbour.acknowledged - told)
            result.wrong(f"the neighbour has {told} of {neighbour.acknowledged} records")
        result.notes.append(
            f"the neighbour was answered {neighbour.acknowledged:,} times meanwhile, "
            f"the slowest time after {neighbour.slowest:.2f} s"
        )
        result.acknowledged = len(sent) + neighbour.acknowledged
        result.cycles = 1
        if server.stop() != 0:
            result.wrong("it did not end well")
        for complaint in server.complaints():
            result.wrong(f"the daemon's log: {complaint}")
    finally:
        server.kill()
    return result.done()


def remember_memory(result, server, what):
    peak = server.peak_bytes()
    result.notes.append(f"{peak >> 20:,} MiB of memory {what}")
    if peak > MEMORY_BYTES:
        result.wrong(f"the daemon took {peak >> 20:,} MiB {what}")


def fill(device, records):
    """Offers so many records. Returns how much each of them says, by id."""
    sent, cursor = {}, None
    while len(sent) < records:
        page = {values.new_id(): 1 + number % 5000 for number in range(PAGE)}
        offers = [
            values.offer(values.water(device.replica, id=id, millilitres=amount))
            for id, amount in page.items()
        ]
        answer = device.exchange(cursor, offers)
        assert not answer.refusals, f"an offer was refused: {answer.refusals[0].reason}"
        sent |= page
        cursor = answer.head if answer.HasField("head") else answer.cursor
    return sent


def is_same(result, device, sent, when):
    """Whether a device that knows nothing gets all of it, each record once."""
    told = 0
    for page in device.pages():
        for encoded in page.records:
            record = records_pb2.Record.FromString(encoded)
            value = b"".join(register.value for register in record.registers)
            water = records_pb2.Water.FromString(value)
            if sent.get(record.id) != water.intake.millilitres:
                result.wrong(f"{when}: a record is not as it was sent")
                return
            told += 1
    if told != len(sent):
        result.lost += abs(len(sent) - told)
        result.wrong(f"{when}: {told:,} of {len(sent):,} records are there")


class Neighbour(threading.Thread):
    """The one device of another account, which writes now and then."""

    def __init__(self, server, device):
        super().__init__(daemon=True)
        self.address, self.replica, self.token = server.listen, device.replica, device.token
        self.stopping = threading.Event()
        self.acknowledged, self.slowest, self.problems = 0, 0.0, []

    def run(self):
        with open_channel(self.address) as channel:
            device, cursor = device_of(self.replica, self.token, channel), None
            while not self.stopping.is_set():
                begun = time.monotonic()
                try:
                    answer = device.exchange(cursor, [values.offer(values.water(self.replica))])
                except Exception as error:  # Not answered within ten seconds, or refused.
                    self.problems.append(f"the neighbour was not served: {error}")
                    return
                self.slowest = max(self.slowest, time.monotonic() - begun)
                self.acknowledged += not answer.refusals
                cursor = answer.cursor
                self.stopping.wait(0.05)

    def finish(self):
        self.stopping.set()
        self.join()
