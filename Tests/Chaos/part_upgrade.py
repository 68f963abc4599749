# SPDX-License-Identifier: Apache-2.0
"""Files of earlier versions are opened by this one, and every system call that writes meanwhile
is, in turn, the last one, or fails."""

import functools

import old_formats
import syscalls
from part_syscalls import CRASHES, DaemonRun, Run, sweep
from scene import COMPANIONS, Scene

RECORDS = 60  # Several pages.


# Formats of the server's store and of a replica: the first version, the previous one, and the
# current one.
FIRST, BEFORE, NOW = (1, 1), (4, 5), (9, 8)


def daemon(binaries, folder, *, kill_step, error_step, offset=0, version=BEFORE):
    """The server's store is upgraded, and served to devices whose replicas are old too."""
    steps = (kill_step, error_step, offset)
    make = functools.partial(old_scene, version=version)
    run = functools.partial(DaemonUpgrade, oldest=version[0])
    return sweep(f"upgrade, daemon {version[0]}", run, binaries, folder, *steps, make)


def command(binaries, folder, *, kill_step, error_step, offset=0, version=BEFORE):
    """A replica is upgraded by the first command that looks at it, with a write that waits."""
    steps = (kill_step, error_step, offset)
    make = functools.partial(old_devices, version=version)
    run = functools.partial(CommandUpgrade, oldest=version[1])
    return sweep(f"upgrade, atrest {version[1]}", run, binaries, folder, *steps, make)


def old_scene(binaries, folder, version):
    """Everything as an earlier version left it."""
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
    epoch = old_formats.make_server_old(scene.folder / "data", version[0])
    for name in COMPANIONS:
        old_formats.make_replica_old(scene.folder / name, epoch, version[1])
    return scene


def old_devices(binaries, folder, version):
    """Only the devices are as an earlier version left them."""
    scene = old_scene(binaries, folder, version)
    try:
        scene.server.up()
        assert scene.server.stop() == 0, scene.server.log_tail()
    finally:
        scene.server.kill()
    return scene


class DaemonUpgrade(DaemonRun):
    def __init__(self, original, copy, trace, oldest):
        super().__init__(original, copy, trace)
        self.shape = old_formats.Shape(
            original.folder / "data" / old_formats.SERVER_FILE,
            {"record": "body", "device": "token_hash", "account": "name"},
            [
                ("device", "outbox_number"),
                ("account", "latest_time"),
                ("meta", "clock_ms"),
                ("meta", "wall_ms"),
                ("record", "history"),
                ("device", "parent"),
                ("invitation", "pending_handle"),
            ]
            + ([("record", "due_ms"), ("invitation", "used_by")] if oldest == 1 else []),
            oldest,
            NOW[0],
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
    def __init__(self, original, copy, trace, oldest):
        super().__init__(original, copy, trace)
        self.shape = old_formats.Shape(
            original.folder / "phone" / old_formats.REPLICA_FILE,
            {"record": "body", "outbox": "offer", "device": "name"},
            [("replica", "head_commit"), ("replica", "last_number"), ("outbox", "number")]
            + [("replica", "access_ended")]
            + ([("replica", "joining"), ("record", "state")] if oldest == 1 else []),
            oldest,
            NOW[1],
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
