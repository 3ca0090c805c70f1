"""A bound on what this process may take, where the system has such bounds."""

from __future__ import annotations

from contextlib import contextmanager


@contextmanager
def memory(max_bytes):
    """Let allocations of more than `max_bytes` beyond what is in use fail; nothing on Windows."""
    try:
        import resource
    except ImportError:
        yield
        return
    limit = resource.RLIMIT_AS
    before = resource.getrlimit(limit)
    in_use = _in_use()
    if in_use is None:
        yield
        return
    resource.setrlimit(limit, (in_use + max_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(limit, before)


def _in_use():
    """Return the bytes of address space in use; `None` where `/proc` does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
            return int(stream.read().split()[0]) * 4096
    except OSError:
        return None
