# SPDX-License-Identifier: Apache-2.0
"""A session is cut after every byte, in both directions; then it is tried again, whole."""

import grpc

import values
from atrest.sync.v1 import records_pb2
from checker import differences
from proxy import DOWN, UP, Proxy
from result import Result
from scene import Scene
from states import from_dump, from_feed
from stranger import Stranger
from world import Server, free_port

KEYS = 40  # Records of each independent client: enough for a session of 8 KiB each way.


def stranger(binaries, folder, *, step, offset=0):
    """gRPC's own client pushes and pulls what changed since the last time. After each cut and retry
    the server must hold exactly the last value of each record, with nothing in the journal."""
    result = Result("cut, gRPC")
    server = Server(binaries, folder)
    proxy, strangers = None, []
    try:
        server.up()
        proxy = Proxy(server.listen)
        one, two = strangers = [
            Stranger(server.listen, device.replica, device.token, folder, name)
            for name in ("one", "two")
            for device in [server.pair("home", name)]
        ]

        def change():
            for who in strangers:
                for number in range(KEYS):
                    key = (records_pb2.KIND_PREFERENCE, f"{number}.{who.replica.replica}".encode())
                    who.act(key, {2: values.text(values.new_id().hex() * 2)})

        def attempt():
            change()
            two.sync()
            one.address = proxy.address
            one.connect()
            try:
                one.sync()
            except grpc.RpcError:
                pass
            proxy.pass_all()
            one.address = server.listen
            one.connect()
            one.sync()

        attempt()
        proxy.pass_all()
        one.address = proxy.address
        change()
        two.sync()
        one.connect()
        one.sync()
        lengths = dict(proxy.passed)
        for direction in (UP, DOWN):
            for at in range(1 + offset % step, lengths[direction] + 1, step):
                proxy.cut_after(direction, at, is_abrupt=bool(at % 2))
                attempt()
                two.sync()
                feed = from_feed(two.device)
                views = {"server": feed, "one": one.replica.view, "two": two.replica.view}
                for problem in differences(views):
                    result.lost += 1
                    result.wrong(f"cut {direction} after {at}: {problem}")
                if len(feed) != 2 * KEYS:
                    result.wrong(f"cut {direction} after {at}: {len(feed)} records")
                result.cycles += 1
                if len(result.problems) > 100:
                    return result.done()
        result.acknowledged = one.acknowledged + two.acknowledged
        result.notes.append(f"a session of {lengths[UP]:,} bytes up and {lengths[DOWN]:,} down")
        return result.done()
    finally:
        for who in strangers:
            who.close()
        if proxy:
            proxy.close()
        server.kill()


def companion(binaries, folder, *, step, offset=0):
    """`atrest sync` with something to push and something to pull."""
    result = Result("cut, atrest")
    port = free_port()
    proxy = Proxy(f"127.0.0.1:{port}")
    original = Scene.prepare(binaries, folder / "scene", port, proxy.address)
    phone = original.companions["phone"]
    try:
        original.server.up()
        original.meet()

        def attempt():
            for _ in range(2):
                original.stranger_writes()
            original.stranger.sync()
            original.write("phone")
            done = phone.run("sync")
            lengths = dict(proxy.passed)
            proxy.pass_all()
            if done.returncode not in (0, 69, 76):
                result.wrong(f"sync ended with {done.returncode}: {done.stderr.strip()}")
            phone.say("sync")
            return lengths

        proxy.pass_all()
        attempt()
        lengths = attempt()
        for direction in (UP, DOWN):
            # A little further than the session was long, because its length varies.
            for at in range(1 + offset % step, lengths[direction] + 40, step):
                proxy.cut_after(direction, at, is_abrupt=bool(at % 2))
                attempt()
                result.cycles += 1
                if at % 20 == 0 or step > 1:
                    feed = from_feed(original.stranger.device)
                    for problem in differences({"server": feed, "phone": from_dump(phone.dump())}):
                        result.wrong(f"cut {direction} after {at}: {problem}")
        original.settle()
        result.take(original.verdict())
        result.notes.append(f"a session of {lengths[UP]:,} bytes up and {lengths[DOWN]:,} down")
        return result.done()
    finally:
        original.end()
        proxy.close()
