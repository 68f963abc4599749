# SPDX-License-Identifier: Apache-2.0
"""A page that is loaded again at any call of a sync: nothing is lost, and nothing is there twice."""

import unittest

import values
from atrest.sync.v1 import records_pb2, sync_pb2
from calls import REQUEST, RESPONSE
from judge import Judged

# More than a page of the server's feed, so that a sync has several exchanges.
NEWS = 1010
# Some days before, so that the water page does not list them.
LONG_AGO = values.now_ms() - 100 * 24 * values.HOUR


class Interrupted(Judged):
    def setUp(self):
        super().setUp()
        self.calls = self.listen(self.heard)
        self.noted = 0
        self.choice = {}

    def heard(self, method, message):
        if method == "Exchange":
            request = sync_pb2.ExchangeRequest.FromString(message)
            self.judge.offered("browser", request)
            for offer in request.offers:
                if offer.record.kind == records_pb2.KIND_PREFERENCE:
                    self.choice[offer.record.id] = offer.record.registers[-1].value

    def write_on_both_sides(self):
        """Water here and there, and one choice on which both disagree, neither knowing the other's."""
        self.water("250 ml")
        self.noted += 250
        self.place("settings")
        self.page.until("document.querySelector('select')")
        self.page.run("""(() => {
          const select = document.querySelector('select');
          select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
          select.dispatchEvent(new Event('change'));
        })()""")
        # The choice as well: one that is made after the other's arrived would know it.
        self.page.until("/\\b2\\b[^.]* to send\\./.test(document.querySelector('main').innerText)")
        for part in range(0, NEWS, 505):
            self.stranger.write(*(self.strange_water(LONG_AGO) for _ in range(505)))
        self.stranger.write(self.strange_water(values.now_ms()))
        self.noted += 250
        replica = self.stranger.device.replica
        for key, value in self.choice.items():
            self.stranger.write(values.record(records_pb2.KIND_PREFERENCE, key,
                {1: values.NOT_DELETED, 2: value}, (values.clock(), replica)))

    def strange_water(self, at):
        return values.record(records_pb2.KIND_WATER, values.new_id(),
            {1: values.NOT_DELETED, 2: values.intake(at)},
            (values.clock(), self.stranger.device.replica))

    def is_synced(self):
        is_there = self.page.run("document.body.innerText.includes('Everything is there.')")
        return is_there and self.calls.methods[-1:] == ["Watch"]

    def at_each_call(self, stage, interrupt):
        """Syncs again and again, interrupted at the first call, then at the second, until a sync ends
        before it came to that. Returns the methods of that one."""
        number = 0
        while True:
            number += 1
            self.page.cut_network(True)
            self.write_on_both_sides()
            self.calls.hold(number, stage)
            self.page.cut_network(False)
            was_held = self.calls.until_held(self.is_synced)
            methods = list(self.calls.methods)
            self.calls.release()
            if not was_held:
                return methods
            interrupt(methods)
            self.synced()
            self.total(f"{self.noted} ml")

    def check(self):
        """Browser, server and a terminal that comes now hold the same, and what was offered."""
        terminal = self.laptop()
        listed = terminal.json("water", "list")
        self.assertEqual(sum(each["millilitres"] for each in listed), self.noted)
        self.total(f"{self.noted} ml")
        conflicts = len(terminal.json("conflicts", "list"))
        self.place("conflicts")
        self.page.until(f"document.querySelectorAll('.list li').length === {conflicts}")
        self.assertEqual(self.judge.problems(self.stranger.device.all_records()), [])
        return conflicts

    def load_again(self, _):
        self.page.reload()

    def test_a_reload_before_the_server_has_a_call(self):
        methods = self.at_each_call(REQUEST, self.load_again)
        self.assertGreaterEqual(methods.count("Exchange"), 2)
        self.assertGreater(self.check(), 0)

    def test_a_reload_when_the_server_answered_a_call(self):
        methods = self.at_each_call(RESPONSE, self.load_again)
        self.assertGreaterEqual(methods.count("Exchange"), 2)
        self.assertGreater(self.check(), 0)

    def test_half_of_an_answer(self):
        def cut(methods):
            # The stream's answer has no end that could be waited for.
            if methods[-1] == "Exchange":
                self.calls.cut()
            else:
                self.page.reload()
        self.at_each_call(RESPONSE, cut)
        self.check()


if __name__ == "__main__":
    unittest.main()
