# SPDX-License-Identifier: Apache-2.0
"""An app and a server of different ages understand each other as far as they know the same."""

import datetime
import unittest

import values
import zone
from atrest.sync.v1 import records_pb2, sync_pb2
from judge import Judged

# Field 1900 with three bytes: what only a later version means.
UNKNOWN = b"\xe2\x76\x03new"


class Versions(Judged):
    def both_write(self):
        """Water of the browser, and water and a thing of an unknown kind of the other device."""
        replica = self.stranger.device.replica
        later = {1: values.NOT_DELETED, 2: values.intake(), 77: b"\xea\x04\x01x"}
        self.strange = [
            values.record(records_pb2.KIND_WATER, values.new_id(), later, (values.clock(), replica)),
            values.record(4711, b"thing", {9: b"\x4a\x01x"}, (values.clock(), replica))]
        self.stranger.write(*self.strange)
        self.water("500 ml")
        self.total("750 ml")
        self.synced()

    def check(self):
        """Nothing of what a later version wrote is lost, wherever it went."""
        stored = self.stranger.device.all_records()
        for record in self.strange:
            self.assertIn(values.canonical(record), stored)
        self.assertEqual(len(self.laptop().json("water", "list")), 2)
        self.assertEqual(self.judge.problems(stored), [])
        self.assertEqual(self.page.problems(), [])

    def note(self, method, message):
        if method == "Exchange":
            self.judge.offered("browser", sync_pb2.ExchangeRequest.FromString(message))

    def test_an_old_app_with_a_newer_server(self):
        self.listen(self.note, lambda method, message: message + UNKNOWN)
        self.both_write()
        self.check()

    def test_a_newer_app_with_an_old_server(self):
        def older(method, message):
            if method != "Exchange":
                return message
            answer = sync_pb2.ExchangeResponse.FromString(message)
            for field in ("head", "server_time_ms", "clock_doubtful"):
                answer.ClearField(field)
            return answer.SerializeToString()

        def newer(method, message):
            self.note(method, message)
            return message + UNKNOWN

        self.listen(newer, older)
        self.both_write()
        self.check()

    def test_what_a_later_version_wrote_stays_when_a_record_is_changed_here(self):
        """A fast has a field that this app does not know; its times are corrected here."""
        replica, at = self.stranger.device.replica, values.now_ms() // 60_000 * 60_000
        span = values.span(at - 20 * values.HOUR, at - 3 * values.HOUR, 1)
        fields = {1: values.NOT_DELETED, 2: span, 3: values.target(), 77: b"\xea\x04\x01x"}
        fast = values.record(
            records_pb2.KIND_SESSION, values.new_id(), fields, (values.clock(), replica))
        self.stranger.write(fast)
        self.listen(self.note)
        self.place("forest")
        self.page.press_first(".spot")
        end = "document.querySelectorAll('input')[1]"
        self.page.until(end)
        later = datetime.datetime.fromtimestamp((at - 2 * values.HOUR) // 1000, zone.ZONE)
        self.page.run(f"{end}.value = '{later:%Y-%m-%dT%H:%M}'")
        self.page.press("Keep")
        self.page.sees("18h 0m")
        self.synced()
        (stored,) = map(records_pb2.Record.FromString, self.stranger.device.all_records())
        mine = {each.field: each for each in stored.registers}
        self.assertEqual(mine[77], fast.registers[-1])
        self.assertNotEqual(mine[2], fast.registers[1])
        self.assertEqual(self.judge.problems([stored.SerializeToString()]), [])


if __name__ == "__main__":
    unittest.main()
