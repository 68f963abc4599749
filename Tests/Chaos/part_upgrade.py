# SPDX-License-Identifier: Apache-2.0
"""Files of the first version are opened by this one, and every system call that writes meanwhile
is, in turn, the last one, or fails."""

import old_formats
import syscalls
from part_syscalls import CRASHES, DaemonRun, Run, sweep
from scene import COMPANIONS, Scene

RECORDS = 60  # Some pages.


def daemon(binaries, folder, *, kill_step, error_step, offset=0):
    """The server's store is upgraded, and served to devices whose replicas are old too."""
    steps = (kill_step, error_step, offset)
    return sweep("upgrade, daemon", DaemonUpgrade, binaries, folder, *steps, old_scene)


def command(binaries, folder, *, kill_step, error_step, offset=0):
    """A replica is upgraded by the first command that looks at it, with a write that waits."""
    steps = (kill_step, error_step, offset)
    return sweep("upgrade, atrest", CommandUpgrade, binaries, folder, *steps, old_devices)


def old_scene(binaries, folder):
    """Everything as the first version left it."""
    scene = Scene.prepare(binaries, folder)
    try:
        scene.server.up()
        scene.meet()
        for _ in range(RECORDS):
            scene.stranger_writes()
        scene.stranger.sync()
        scene.say_all("sync")
        for name in COMPANIONS:
            scene.write(name)
        scene.stranger.close()
        scene.stranger = None
        assert scene.server.stop() == 0, scene.server.log_tail()
    finally:
        scene.server.kill()
    old_formats.make_server_old(scene.folder / "data")
    for name in COMPANIONS:
        old_formats.make_replica_old(scene.folder / name)
    return scene


def old_devices(binaries, folder):
    """Only the devices are as the first version left them."""
    scene = old_scene(binaries, folder)
    try:
        scene.server.up()
        assert scene.server.stop() == 0, scene.server.log_tail()
    finally:
        scene.server.kill()
    return scene


class DaemonUpgrade(DaemonRun):
    def __init__(self, original, copy, trace):
        super().__init__(original, copy, trace)
        self.shape = old_formats.Shape(
            original.folder / "data" / old_formats.SERVER_FILE,
            {"record": "body", "device": "token_hash", "account": "name"},
            [
                ("record", "due_ms"),
                ("account", "live"),
                ("account", "bytes"),
                ("device", "sync_token"),
                ("invitation", "used_by"),
            ],
            newest=4,
        )

    def session(self, scene):
        """To have started is all."""

    def act(self, scene, fault, prefix):
        is_hit, complaint = super().act(scene, fault, prefix)
        path = scene.folder / "data" / old_formats.SERVER_FILE
        complaint = complaint or self.shape.complaint(path)
        if fault is None and self.shape.version(path) != self.shape.newest:
            complaint = complaint or "the store was not upgraded"
        return is_hit, complaint


class CommandUpgrade(Run):
    def __init__(self, original, copy, trace):
        super().__init__(original, copy, trace)
        self.shape = old_formats.Shape(
            original.folder / "phone" / old_formats.REPLICA_FILE,
            {"record": "body", "outbox": "offer", "device": "name"},
            [("replica", "seen_epoch"), ("replica", "joining"), ("outbox", "highest")],
            newest=5,
        )

    def act(self, scene, fault, prefix):
        done = scene.companions["phone"].run("water", "list", "--json", prefix=prefix)
        is_hit = bool(syscalls.injected(self.trace))
        path = scene.folder / "phone" / old_formats.REPLICA_FILE
        complaint = self.shape.complaint(path)
        if done.returncode in CRASHES:
            complaint = f"crashed with {-done.returncode}: {done.stderr.strip()}"
        elif done.returncode > 0 and not done.stderr.strip():
            complaint = f"ended with {done.returncode} and said nothing"
        elif fault is None and (done.returncode or self.shape.version(path) != self.shape.newest):
            complaint = f"ended with {done.returncode}, not upgraded: {done.stderr.strip()}"
        return is_hit, complaint
