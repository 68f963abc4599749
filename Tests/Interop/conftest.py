# SPDX-License-Identifier: Apache-2.0
"""Starts one daemon for all tests, and bounds each test in time."""

import os
import pathlib
import signal

import pytest

from harness import Daemon, open_channel

TEST_LIMIT_SECONDS = 40


def pytest_configure(config):
    config.addinivalue_line("markers", "limit(seconds): how long a test may take")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test that hangs fails like any other, so that the summary still comes."""

    marker = item.get_closest_marker("limit")
    limit = marker.args[0] if marker else TEST_LIMIT_SECONDS

    def give_up(signum, frame):
        raise TimeoutError(f"the test ran for more than {limit} s")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Everything is there in CI, so a test that is skipped there tests nothing."""

    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def binaries():
    return pathlib.Path(os.environ["ATREST_BIN_DIR"])


@pytest.fixture(scope="session")
def daemon(binaries, tmp_path_factory):
    daemon = Daemon(binaries, tmp_path_factory.mktemp("daemon"))
    daemon.start()
    yield daemon
    assert daemon.stop() == 0, daemon.log_tail()


@pytest.fixture(scope="session")
def channel(daemon):
    """One connection for everything that does not need its own."""
    with open_channel(daemon.address) as channel:
        yield channel


@pytest.fixture
def account(daemon, channel):
    """A fresh account with one device."""
    return daemon.new_account(channel)
