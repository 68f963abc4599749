# SPDX-License-Identifier: Apache-2.0
"""The bounds that an attack must not break, and the table of what was measured."""

import collections

from bystander import ROLES

MIB = 1 << 20
LATENCY_SECONDS = 0.250
# How long a command of the server's owner may take, a program that starts included.
OWNER_SECONDS = 1.0
# How much of that may remain afterwards, because the allocator keeps it for reuse.
LEFT_BYTES = 32 * MIB
# Descriptors that may come and go by themselves: an admin call, the database's own.
SPARE_DESCRIPTORS = 4


class Verdict:
    """What came of one attack."""

    def __init__(self, attack, latency=LATENCY_SECONDS):
        self.attack, self.latency = attack, latency
        self.problems, self.known, self.notes = [], [], []
        # The names of the bounds that the problems are about.
        self.missed = set()
        self.cpu = self.back_after = 0.0
        # Keyed by the bystander's operation.
        self.p99 = {}
        self.base = self.most = 0
        self.cuts, self.uncut, self.seen = [], [], collections.Counter()

    def wrong(self, bound, sentence):
        """A bound was missed; no failure where that is known."""
        if bound in self.attack.known:
            self.known.append(f"{sentence} ({self.attack.known[bound]})")
        else:
            self.missed.add(bound)
            self.problems.append(sentence)

    @property
    def is_only_slow(self):
        """Whether latency is all that is wrong, which is what other processes can bring about."""
        return self.missed == {"latency"}

    def is_back(self, target, meter):
        """Whether the daemon has given back what the attack made it take."""
        spare = meter.base_descriptors + SPARE_DESCRIPTORS
        return target.rss <= meter.base + LEFT_BYTES and target.descriptors <= spare

    @property
    def growth(self):
        return max(0, self.most - self.base)

    @property
    def word(self):
        return "FAILED" if self.problems else "known" if self.known else "ok"

    @property
    def cut_text(self):
        if not self.cuts:
            return "-" if self.attack.cut is None else "never"
        return f"{max(self.cuts):.2f} s"


def percentile(values, share):
    """The value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def judge(verdict, found, reports, target, meter):
    """Compares what was measured with the bounds."""
    attack = verdict.attack
    for report in reports:
        verdict.cuts += report["cuts"]
        verdict.uncut += report["uncut"]
        verdict.seen.update(report["seen"])
    for role, heard in found.items():
        verdict.p99[role] = p99 = percentile(heard["seconds"], 0.99)
        if p99 >= verdict.latency:
            verdict.wrong("latency", f"p99 of who {role} was {1000 * p99:.0f} ms")
        if heard["failed"]:
            verdict.wrong("calls", f"calls of who {role} failed: {heard['failed']}")
        if heard["shut_out"]:
            verdict.wrong("door", f"who {role} was shut out {heard['shut_out']} times of {len(heard['seconds'])}")
    if verdict.growth >= attack.growth * MIB:
        verdict.wrong("memory", f"grew by {verdict.growth / MIB:.0f} MiB")
    if attack.cut is not None:
        late = [age for age in verdict.cuts + verdict.uncut if age > attack.cut]
        if late:
            text = f"{len(late)} of {len(verdict.cuts + verdict.uncut)} not cut within {attack.cut:g} s"
            verdict.wrong("cut", f"{text}; the longest had {max(late):.1f} s")
        if not verdict.cuts and not late and max(verdict.uncut, default=0) < attack.cut:
            verdict.wrong("cut", "none was cut in the time that it ran")
    if not verdict.is_back(target, meter):
        verdict.wrong(
            "back",
            f"still {target.descriptors - meter.base_descriptors} descriptors and "
            f"{(target.rss - meter.base) / MIB:.0f} MiB more {verdict.back_after:.0f} s later",
        )
    if attack.judge is not None and (sentence := attack.judge(verdict.seen)):
        verdict.wrong("judge", sentence)


def judge_owner(verdict, took):
    """Compares how long the owner's command took with its bound; a busy machine adds what it adds to the others."""
    sentence = f"the owner's command took {1000 * took:.0f} ms"
    if took < OWNER_SECONDS + verdict.latency - LATENCY_SECONDS:
        verdict.notes.append(sentence)
    else:
        verdict.wrong("latency", sentence)


HEAD = (
    f"{'attack':<38} {'p99 ms: asks':>12} {'pushes':>7} {'pulls':>7} {'watches':>7} {'RSS MiB':>8} {'cut':>8} {'back s':>7} "
    f"{'CPU':>5}  "
)


def line(verdict):
    """A line of the table, and under it whatever needs words."""
    waits = {role: f"{1000 * p99:.0f}" for role, p99 in verdict.p99.items()}
    first = (
        f"{verdict.attack.name:<38} {waits.get('asks', '-'):>12} {waits.get('pushes', '-'):>7} {waits.get('pulls', '-'):>7} "
        f"{waits.get('watches', '-'):>7} {'+' + format(verdict.growth / MIB, '.0f'):>8} "
        f"{verdict.cut_text:>8} {verdict.back_after:>7.1f} {verdict.cpu:>5.0%}  {verdict.word}"
    )
    seen = ", ".join(f"{word} {count}" for word, count in sorted(verdict.seen.items()))
    more = [seen] if seen else []
    more += [f"connections cut {len(verdict.cuts)}, at the end {len(verdict.uncut)}"] if verdict.cuts else []
    more += verdict.notes + [f"known: {k}" for k in verdict.known] + [f"WRONG: {p}" for p in verdict.problems]
    return "\n".join([first, *(f"    {sentence}" for sentence in more)])


def markdown(verdicts, order):
    """The same table for a document, in the order of the suite."""
    rows = [
        "| attack | p99 of who asks | pushes | pulls | watches | memory | cut after | note |",
        "|---|---|---|---|---|---|---|---|",
    ]
    by_name = {v.attack.name: v for v in verdicts}
    for attack in order:
        v = by_name[attack.name]
        note = "; ".join(v.notes + v.known + v.problems)
        waits = " | ".join(f"{1000 * v.p99[role]:.0f} ms" if role in v.p99 else "-" for role in ROLES)
        rows.append(f"| {attack.name} | {waits} | +{v.growth / MIB:.0f} MiB | {v.cut_text} | {note} |")
    return "\n".join(rows) + "\n"
