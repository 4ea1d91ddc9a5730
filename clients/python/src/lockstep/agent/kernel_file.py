"""Files in /proc and /sys: opened once, read repeatedly."""

from __future__ import annotations

import os
import pathlib
from typing import Optional

# /proc/stat of a machine with a thousand cores is about a tenth of this.
MAX_BYTES = 1 << 20


class KernelFile:
    """A file that the kernel regenerates whenever it is read from the beginning."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._descriptor: Optional[int] = None

    def text(self) -> str:
        """Its current content, or "" if it does not exist."""
        try:
            if self._descriptor is None:
                self._descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            return os.pread(self._descriptor, MAX_BYTES, 0).decode(errors="replace")
        except OSError:
            self.close()
            return ""

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.close()
