# SPDX-License-Identifier: Apache-2.0
"""Runs a program and makes the n-th of certain system calls its last one, or fail. Counts them over
all threads, which strace does not: it counts for each thread on its own, and which thread does what
is not the same each time.

    python tracer.py TRACE CALL,CALL,... FAULT PROGRAM ARGUMENT...

FAULT is `none`, or WHAT:N, or WHAT:N+ for the n-th and all that follow; WHAT is KILL or the name of
an error. TRACE gets a line for each such call: its number, its name, and "injected" and the file if
it met the fault; and one, `0 asked-to-end`, when it was sent SIGTERM. Ends as the program ends.
"""

import ctypes
import errno
import os
import resource
import signal
import sys
import threading

NUMBERS = {
    "write": 1,
    "pwrite64": 18,
    "writev": 20,
    "sendto": 44,
    "sendmsg": 46,
    "fsync": 74,
    "fdatasync": 75,
    "ftruncate": 77,
    "rename": 82,
    "mkdir": 83,
    "link": 86,
    "unlink": 87,
    "chmod": 90,
    "fchmod": 91,
    "mkdirat": 258,
    "unlinkat": 263,
    "renameat": 264,
    "linkat": 265,
    "symlinkat": 266,
    "fchmodat": 268,
    "sync_file_range": 277,
    "fallocate": 285,
    "pwritev": 296,
    "renameat2": 316,
    "pwritev2": 328,
}

TRACEME, POKEUSER, SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 6, 24, 0x4200, 0x420E
SYSGOOD, FORK, VFORK, CLONE, EXEC, EXITKILL = 1, 2, 4, 8, 16, 1 << 20
EVENT_EXEC = 4
ENTRY, EXIT = 1, 2
RAX, ORIG_RAX = 80, 120  # Offsets in `struct user` of x86-64.
WALL = 0x40000000
PR_SET_PDEATHSIG = 1
ASKING = {signal.SIGTERM, signal.SIGINT}

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class SyscallInfo(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_uint8),
        ("arch", ctypes.c_uint32),
        ("ip", ctypes.c_uint64),
        ("sp", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 8),
    ]


def ptrace(request, pid, address=0, data=0):
    if libc.ptrace(request, pid, address, data) < 0:
        number = ctypes.get_errno()
        if number != errno.ESRCH:  # It has died, which the next wait reports.
            raise OSError(number, os.strerror(number))


class Tracer:
    def __init__(self, trace, calls, fault):
        self.trace = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.names = {NUMBERS[call]: call for call in calls}
        self.what, _, when = fault.partition(":")
        self.is_forever = when.endswith("+")
        self.nth = int(when.rstrip("+") or 0)
        self.count = 0
        self.has_begun = False
        self.failing = set()
        self.known = set()
        self.info = SyscallInfo()

    def run(self, command):
        """Returns how it ended: an exit status, or the number of a signal below zero."""
        self.child = os.fork()
        if self.child == 0:
            become(command)
        threading.Thread(target=self.pass_on, daemon=True).start()
        os.waitpid(self.child, WALL)
        self.known.add(self.child)
        options = SYSGOOD | FORK | VFORK | CLONE | EXEC | EXITKILL
        ptrace(SETOPTIONS, self.child, 0, options)
        ptrace(SYSCALL, self.child)
        while True:
            thread, status = os.waitpid(-1, WALL)
            if os.WIFSTOPPED(status):
                ptrace(SYSCALL, thread, 0, self.stopped(thread, status))
            elif thread == self.child:
                return os.waitstatus_to_exitcode(status)

    def stopped(self, thread, status):
        """Returns the signal that it is to have, or 0."""
        number, event = os.WSTOPSIG(status), status >> 16
        is_new, _ = thread not in self.known, self.known.add(thread)
        if number == signal.SIGTRAP | 0x80:
            self.system_call(thread)
            return 0
        if event:
            self.has_begun |= event == EVENT_EXEC
            return 0
        return 0 if is_new and number == signal.SIGSTOP else number

    def system_call(self, thread):
        ptrace(GET_SYSCALL_INFO, thread, ctypes.sizeof(self.info), ctypes.addressof(self.info))
        if self.info.op == ENTRY and self.has_begun and self.info.number in self.names:
            self.count += 1
            meets = self.count == self.nth or (self.is_forever and self.count > self.nth > 0)
            name = self.names[self.info.number]
            line = f"{self.count} {name}"
            if meets:
                line += f" injected {self.subject(thread)}"
            os.write(self.trace, line.encode() + b"\n")
            if meets and self.what == "KILL":
                os.kill(self.child, signal.SIGKILL)
            elif meets:
                self.failing.add(thread)
                ptrace(POKEUSER, thread, ORIG_RAX, ctypes.c_void_p(-1))
        elif self.info.op == EXIT and thread in self.failing:
            self.failing.discard(thread)
            ptrace(POKEUSER, thread, RAX, ctypes.c_void_p(-getattr(errno, self.what)))

    def pass_on(self):
        """Passes on what asks it to end. A handler would not do: a signal that comes just before a
        wait is handled after it, and a program at rest ends no wait."""
        while True:
            number = signal.sigwait(ASKING)
            os.write(self.trace, b"0 asked-to-end\n")
            os.kill(self.child, number)

    def subject(self, thread):
        """The file whose descriptor is the call's first argument, as far as it is one."""
        try:
            return os.readlink(f"/proc/{thread}/fd/{self.info.rest[0]}")
        except OSError:
            return "-"


def become(command):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.ptrace(TRACEME, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    try:
        os.execvp(command[0], command)
    finally:
        os._exit(127)


def main():
    tracer = Tracer(sys.argv[1], sys.argv[2].split(","), sys.argv[3])
    signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
    status = tracer.run(sys.argv[4:])
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    main()
