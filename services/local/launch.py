"""Become the given command, so that it drops root's rights and dies with the process that started it.

Run as a script with the standard library only: `python -I -S launch.py PARENT SIGNAL UID REACH COMMAND...`.
PARENT is the expected parent's pid, SIGNAL the number of the signal that this process gets when that parent
is gone (Linux only; elsewhere nothing is sent), UID the user and group to become or -1. With REACH 1 the
command keeps root's right to pass through folders that its new user may not enter, and no other: its
binaries or its data lie in one.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 8, 47, 2
CAPABILITY_VERSION_3 = 0x20080522
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def main() -> None:
    parent, signal_number, uid, reach = (int(word) for word in sys.argv[1:5])
    command = sys.argv[5:]
    if uid >= 0:
        _become(uid, keep_reach=reach == 1)
    # After the change of user, which clears it.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("the process that started this one is gone")
    os.execv(command[0], command)


def _become(uid: int, keep_reach: bool) -> None:
    if keep_reach:
        ctypes.CDLL(None).prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    if keep_reach and not any(_keep(capability) for capability in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE)):
        sys.exit("the right to pass through root's folders could not be kept")


def _keep(capability: int) -> bool:
    """Keep this one capability over the change of program; False where the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    bit = 1 << capability
    sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
    if libc.capset(header, sets) != 0:
        return False
    return libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0


if __name__ == "__main__":
    main()
