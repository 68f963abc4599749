# SPDX-License-Identifier: Apache-2.0
"""A process that writes without pause until it is told to stop, or killed."""

import random
import signal
import time

import grpc

from stranger import Stranger


def run(config):
    """The whole life. `config`: addresses, replica, token, folder, name, seed, batch, pause, recent,
    since, shared_keys, theme, changes, keeps_all."""
    import tether  # Late: importing ties; starters of writers must not be tied.

    tether.tie()
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rng = random.Random(config["seed"])
    stranger = Stranger(
        rng.choice(config["addresses"]),
        *(config[name] for name in ("replica", "token", "folder", "name")),
        recent=config["recent"],
        since=config["since"],
    )
    may_forget = not config["keeps_all"]
    if may_forget and stranger.replica.outbox and rng.random() < 0.25:
        stranger.drop_pending()
    is_behind = config["recent"] is None
    while not stopping:
        try:
            if is_behind:
                is_behind = stranger.exchange(0).more
                continue
            if not stranger.replica.outbox or rng.random() < 0.3:
                for _ in range(rng.randint(1, config["batch"])):
                    stranger.act_somehow(
                        rng, config["shared_keys"], config["theme"], config["changes"]
                    )
            stranger.exchange()
            time.sleep(rng.uniform(0, config["pause"]))
        except grpc.RpcError:
            stranger.address = rng.choice(config["addresses"])
            stranger.connect()
            time.sleep(rng.uniform(0, 0.02))
            if may_forget and rng.random() < 0.02:
                stranger.drop_pending()
                is_behind = config["recent"] is None
    if config["keeps_all"]:
        # The next life knows only what waits, and what a check has found on the server.
        stranger.sync_persistently()
    stranger.close()
