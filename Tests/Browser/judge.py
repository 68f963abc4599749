# SPDX-License-Identifier: Apache-2.0
"""Judges what devices pushed: by the model of merging, and by the checker that knows no merging."""

import grpc

import checker
import model
import values
from atrest.sync.v1 import records_pb2, sync_pb2
from calls import Calls
from harness import Device
from phone import Phone
from terminal import BesideTerminal


class Judge:
    """Everything that was offered to the server for one account, in its order."""

    def __init__(self):
        self.account = model.Account()
        self.history = checker.History()
        self.positions = {}

    def offered(self, device, request):
        """A request that reaches the server, of the device of this name."""
        segment = None
        if request.HasField("segment"):
            number, numbers = request.segment.settled_through, []
            for step in request.segment.steps:
                numbers.append(number := number + step)
            segment = model.Segment(request.segment.confirmed, request.segment.token,
                request.segment.settled_through, tuple(numbers),
                request.segment.confirmed_number)
        judged = range(len(request.offers))
        if segment and segment.numbers:
            judged = self.positions.setdefault(device, model.Position()).unjudged(segment)
        for index, offer in enumerate(request.offers):
            # At the end each device heard that the server has it, perhaps the second time.
            self.history.tried(offer, True)
            if index in judged:
                key, record = model.to_record(offer.record)
                written = frozenset(offer.written_fields)
                self.account.take(key, record, written, offer.restored)

    def problems(self, encoded):
        """What is wrong with the records that the server holds in the end."""
        state = {}
        for each in encoded:
            message = records_pb2.Record.FromString(each)
            key, record = model.to_record(message)
            if key in state or values.canonical(message) != each:
                return [f"{checker.title(key)} is there twice, or not encoded canonically"]
            state[key] = record
        kept = {key: record for key, record in state.items() if key[0] != model.CONFLICT}
        journal = {key[1] for key in state.keys() - kept.keys()}
        verdict = checker.check(self.history, state)
        return (verdict.problems + checker.from_nowhere(state, self.history)
            + checker.differences({"the model": self.account.records, "the server": kept})
            + ["the journal is not the model's"] * (journal != set(self.account.journal)))


class Stranger:
    """A foreign client of the account, which a judge sees write."""

    def __init__(self, server, code, judge):
        root = (server.folder / "ca.pem").read_bytes()
        self.channel = grpc.secure_channel(f"localhost:{server.port}",
            grpc.ssl_channel_credentials(root), [("grpc.enable_http_proxy", 0)])
        self.device, self.judge = Device.pair(self.channel, code, "stranger"), judge

    def write(self, *records):
        request = sync_pb2.ExchangeRequest(offers=map(values.offer, records))
        self.judge.offered("stranger", request)
        answer = self.device.exchange(offers=request.offers)
        assert not answer.refusals, answer.refusals
        return answer

    def close(self):
        self.channel.close()


class Judged(BesideTerminal, Phone):
    """A browser and a foreign client of one account."""

    def setUp(self):
        super().setUp()
        self.judge = Judge()
        link = self.server.add_account(self._testMethodName[:60])["link"]
        self.link, _, code = link.rpartition("/")
        self.stranger = Stranger(self.server, code, self.judge)
        self.addCleanup(self.stranger.close)
        self.pair(self.stranger.device.invite().code)
        self.until_paired()
        self.synced()

    def listen(self, on_request, on_answer=None):
        """The page's calls from now on."""
        calls = Calls(self.page, on_request, on_answer)
        self.addCleanup(calls.close)
        return calls

    def laptop(self):
        """A terminal that comes to the account now, and holds what the server does."""
        terminal = self.terminal()
        code = self.stranger.device.invite().code
        terminal.run("pair", f"{self.link}/{code}", "--name", "laptop")
        terminal.run("sync")
        terminal.run("doctor", "--check")
        return terminal
