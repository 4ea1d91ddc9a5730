"""A control group that limits the memory of a process, if this user may create one."""

import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")


class MemoryGroup:
    """Limits a process to `max_bytes`; the kernel kills it beyond. Does nothing without the right
    to create groups.
    """

    def __init__(self, name, max_bytes):
        is_v2 = (ROOT / "cgroup.controllers").exists()
        self._folder = (ROOT if is_v2 else ROOT / "memory") / name
        try:
            self._folder.mkdir(exist_ok=True)
            limit = "memory.max" if is_v2 else "memory.limit_in_bytes"
            (self._folder / limit).write_text(str(max_bytes))
        except OSError:
            self.close()
            self._folder = None

    def add(self, pid):
        if self._folder is not None:
            (self._folder / "cgroup.procs").write_text(str(pid))

    def close(self):
        if self._folder is not None and self._folder.exists():
            try:
                os.rmdir(self._folder)
            except OSError:
                pass
