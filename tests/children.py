"""Processes that tests start end with the tests, also when those are killed themselves."""

from __future__ import annotations

import ctypes
import signal

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """In a child before it begins, as `preexec_fn`: Linux kills it when the test process ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def stop_with_parent() -> None:
    """As above for a program that has processes and a database of its own to stop."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
