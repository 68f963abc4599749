# SPDX-License-Identifier: Apache-2.0
"""Ties the process that imports this to the one that started it: should that one be killed, it ends
too. A process forked from a tied one is not tied, and has to ask."""

import ctypes
import signal

PR_SET_PDEATHSIG = 1


def tie():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


tie()
