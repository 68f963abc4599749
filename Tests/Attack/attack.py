# SPDX-License-Identifier: Apache-2.0
"""Runs the attacks, each against a fresh daemon beside a well-behaved client, and judges what that client and the
daemon went through."""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import typing

import attacker  # noqa: F401  Declares the attacks.
from atrest.sync.v1 import sync_pb2
import tls_matrix
from bounds import HEAD, LATENCY_SECONDS, Verdict, judge, judge_owner, line, markdown, percentile
from bystander import ROLES
from campaign import ATTACKS
from target import Meter, Target

HERE = pathlib.Path(__file__).parent
SHORT_SECONDS, FULL_SECONDS = 1.0, 60
# How long the daemon may take to release what an attack used.
# Longer than the pause between two times that it trims its heap.
BACK_SECONDS = 30
# How often an attack is played again that was only slow, with `--relative`.
REPEATS = 2


class Child:
    """A Python process that says `ready`, begins when told, and ends with one line of JSON."""

    def __init__(self, program, facts):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", sys.executable, str(HERE / program), json.dumps(facts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def await_ready(self):
        assert self.process.stdout.readline() == "ready\n", f"{self.process.args[4]} did not get ready"

    def begin(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def result(self, seconds):
        out, _ = self.process.communicate(timeout=seconds)
        assert self.process.returncode == 0, f"{self.process.args[4]} failed"
        return json.loads(out)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Scene:
    """One attack from the beginning to the end."""

    def __init__(self, attack, binaries, scale):
        self.attack, self.scale = attack, scale
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="atrest-attack-"))
        self.target = Target(binaries, self.folder, attack.tls, attack.limits, attack.descriptors)
        self.children = []
        self.verdict = Verdict(attack, scale.latency)
        self.is_ready = self.attempt(lambda: prepare(attack, self.target, self.children, scale))

    def attempt(self, part):
        """Does a part of it; whatever goes wrong there is a failure of the attack, not of the suite."""
        try:
            part()
            return True
        except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
            self.verdict.wrong("calls", f"{type(problem).__name__}: {problem}")
            return False

    def play(self):
        """Returns its verdict."""
        if self.is_ready:
            self.attempt(
                lambda: measure(self.attack, self.target, self.children, self.verdict, self.scale)
            )
        self.tidy_up()
        return self.verdict

    def tidy_up(self):
        for child in self.children:
            child.end()
        target = self.target
        if target.process is not None and target.process.poll() is not None:
            self.verdict.wrong("calls", f"the daemon ended: {target.log_tail()}")
        status = target.stop()
        if status != 0:
            self.verdict.wrong("back", f"the daemon's exit status was {status}")
        shutil.rmtree(self.folder, ignore_errors=True)


class Scale(typing.NamedTuple):
    """How long each attack lasts, and whether it is as large as it gets."""

    seconds: float
    full: bool
    # The limit for the bystander's 99th percentile latency, in seconds.
    latency: float = LATENCY_SECONDS

    def of(self, attack):
        return max(self.seconds, attack.seconds)


def prepare(attack, target, children, scale, attackers=None):
    target.up()
    facts = {"address": target.address, "tls": attack.tls}
    for role in ROLES:
        person, cursor = target.account(f"bystander {role}")
        quiet_request = sync_pb2.ExchangeRequest(cursor=cursor).SerializeToString()
        mine = {"role": role, "token": person.token, "replica": person.replica, "quiet": quiet_request.hex()}
        period = 0.02 if role == "asks" else 0.05
        children.append(Child("bystander.py", {**facts, **mine, "period": 0.2 if attack.quiet else period}))
    mallory, _ = target.account("mallory", attack.records)
    target.fill(mallory, attack.pages)
    target.lost, _ = target.account("lost")
    tokens = [mallory.token, *target.more_identities(mallory, attack.identities - 1)]
    for index in range(attack.attackers if attackers is None else attackers):
        mine = {"name": attack.name, "index": index, "source": f"127.0.{index + 2}.1", "full": scale.full}
        more = {"tokens": tokens, "replica": mallory.replica, "seconds": scale.of(attack)}
        children.append(Child("attacker.py", {**facts, **mine, **more}))
    for child in children:
        child.await_ready()


def measure(attack, target, children, verdict, scale):
    bystanders, attackers = children[: len(ROLES)], children[len(ROLES) :]
    meter, seconds = Meter(target), scale.of(attack)
    try:
        for child in children:
            child.begin()
        if attack.owner or attack.witness is not None:
            time.sleep(seconds * 0.7)  # In the middle of the attack.
        if attack.owner:
            judge_owner(verdict, target.revoke_lost())
        if attack.witness is not None:
            verdict.notes.append(attack.witness(target))
        reports = [child.result(seconds + 40) for child in attackers]
        found = [bystander.result(20) for bystander in bystanders]
    finally:
        verdict.cpu = meter.stop()
    if attack.afterwards is not None:
        verdict.notes.append(attack.afterwards(target))
    verdict.base, verdict.most = meter.base, meter.most
    since = time.monotonic()
    while not verdict.is_back(target, meter) and time.monotonic() - since < BACK_SECONDS:
        time.sleep(0.05)  # The polling interval.
    verdict.back_after = time.monotonic() - since
    judge(verdict, dict(zip(ROLES, found)), reports, target, meter)


def calm_latency(binaries, seconds=2):
    """The bystanders' 99th percentile while nobody attacks: what this machine, with all else it does, needs anyhow."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atrest-attack-"))
    target, children = Target(binaries, folder), []
    try:
        prepare(ATTACKS["idle crowd"], target, children, Scale(seconds, False), attackers=0)
        for child in children:
            child.begin()
        time.sleep(seconds)
        found = [child.result(20) for child in children]
        return max(percentile(each["seconds"], 0.99) for each in found)
    finally:
        for child in children:
            child.end()
        target.stop()
        shutil.rmtree(folder, ignore_errors=True)


def relative(scale, binaries):
    """The same scale, with the latency that this machine allows now."""
    calm = calm_latency(binaries)
    scale = scale._replace(latency=LATENCY_SECONDS + 10 * calm)
    print(f"p99 while nobody attacks: {1000 * calm:.0f} ms; allowed: {1000 * scale.latency:.0f} ms", flush=True)
    return scale


def repeated(verdict, binaries, scale):
    """The verdict, or that of a repetition, alone and beside a calm measured anew, if nothing but latency was wrong.

    A server that lets others wait does so each time; what else a machine does passes.
    """
    for _ in range(REPEATS):
        if not verdict.is_only_slow:
            break
        print("again, alone:", flush=True)
        scale = relative(scale, binaries)
        verdict = Scene(verdict.attack, binaries, scale).play()
        print(line(verdict), flush=True)
    return verdict


def ask_tls(binaries):
    """The matrix of what TLS agrees to, with a daemon of its own."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atrest-attack-"))
    target = Target(binaries, folder, tls=True)
    try:
        return tls_matrix.matrix(target.up().address)
    finally:
        target.stop()
        shutil.rmtree(folder, ignore_errors=True)


def chosen(only, full):
    attacks = [a for a in ATTACKS.values() if full or not a.only_full]
    if only:
        attacks = [a for a in ATTACKS.values() if any(word.lower() in a.name.lower() for word in only)]
        if not attacks and not is_matrix_chosen(only):
            sys.exit(f"There is no such attack. There are: {', '.join(ATTACKS)}, {MATRIX}")
    return attacks


MATRIX = "TLS matrix"


def is_matrix_chosen(only):
    return not only or any(word.lower() in MATRIX.lower() for word in only)


def main():
    parser = argparse.ArgumentParser(prog="Tests/Attack/run")
    parser.add_argument("--binaries", type=pathlib.Path, required=True)
    parser.add_argument("--short", action="store_true", help="about a second each; the default")
    parser.add_argument("--full", action="store_true", help="a minute each")
    parser.add_argument("--seconds", type=float, help="so long each, instead")
    parser.add_argument("--only", action="append", metavar="NAME", help="a part of a name; may be repeated")
    parser.add_argument("--markdown", type=pathlib.Path, help="writes the table there, too")
    parser.add_argument(
        "--sample", type=int, default=1, metavar="N", help="every Nth attack, in their order"
    )
    parser.add_argument("--offset", type=int, default=0, help="which of the N, modulo N")
    parser.add_argument(
        "--relative",
        action="store_true",
        help="allows latency ten times what it is while nobody attacks, besides, and plays again what was only slow",
    )
    arguments = parser.parse_args()
    scale = Scale(FULL_SECONDS if arguments.full else SHORT_SECONDS, arguments.full)
    if arguments.seconds:
        scale = scale._replace(seconds=arguments.seconds)
    attacks, began = chosen(arguments.only, arguments.full), time.monotonic()
    attacks = attacks[arguments.offset % arguments.sample :: arguments.sample]
    if arguments.relative and attacks:
        scale = relative(scale, arguments.binaries)
    loud, quiet = [a for a in attacks if not a.quiet], [a for a in attacks if a.quiet]
    verdicts, lock = [], threading.Lock()
    print(HEAD, flush=True)

    def set_up(attack):
        return Scene(attack, arguments.binaries, scale)

    def show(scene):
        verdict = scene.play()
        with lock:
            verdicts.append(verdict)
            print(line(verdict), flush=True)

    # Attacks that mostly wait run in parallel. Attacks that need the processor run alone, or they
    # would measure each other. Meanwhile only the next one's daemon and clients are prepared,
    # unless that uses the disk.
    with (
        concurrent.futures.ThreadPoolExecutor(1) as ahead,
        concurrent.futures.ThreadPoolExecutor(max(1, len(quiet))) as beside,
    ):
        background = beside.map(lambda attack: show(set_up(attack)), quiet)
        following = None
        for attack, after in zip(loud, [*loud[1:], None]):
            scene = following.result() if following else set_up(attack)
            following = ahead.submit(set_up, after) if after and not after.fills_disk else None
            show(scene)
        list(background)
    if arguments.relative:
        verdicts = [repeated(verdict, arguments.binaries, scale) for verdict in verdicts]

    failed, rows = [v for v in verdicts if v.problems], []
    if is_matrix_chosen(arguments.only):
        rows = ask_tls(arguments.binaries)
        print("\n".join(tls_matrix.lines(rows)), flush=True)
        failed += [what for what, must, found in rows if must != found]
    if arguments.markdown:
        arguments.markdown.write_text(markdown(verdicts, loud + quiet) + "\n" + tls_matrix.markdown(rows))
    known = sum(1 for v in verdicts if v.known)
    print(f"{len(verdicts)} attacks in {time.monotonic() - began:.0f} s: {len(failed)} failed, {known} known")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
