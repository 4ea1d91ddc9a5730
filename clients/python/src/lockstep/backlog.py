"""The part of a stream that the server does not have yet: older lines on disk, newer ones in memory.

    offset   0 ......... acknowledged ............ spilled ............. end
                         |  segment files         |  lines in memory    |
                         `- FOLDER/00000000000000123456.ndjson, ...

A segment's name is the offset of its first byte in the stream; it contains whole lines of the
stream. Lines go to memory; spilling moves all of them to the disk, after what is there. A segment
is deleted when its last byte is acknowledged.

Written segments survive the end of the process as soon as `spill` returns. They are synced (fsync)
when a segment is full and when requested from `spill`; a crash of the machine before that may lose
the end of the newest segment, and reading cuts off an incomplete line.
"""

from __future__ import annotations

import os
import pathlib
from collections import deque
from typing import Deque, List, NamedTuple, Optional

MAX_SEGMENT_BYTES = 1 << 20
SUFFIX = ".ndjson"


class Piece(NamedTuple):
    """Whole lines of a stream and their offset."""

    offset: int
    lines: bytes

    @property
    def end(self) -> int:
        return self.offset + len(self.lines)


class Segment:
    """A file with a part of the stream. `size` is the size known to be valid."""

    def __init__(self, folder: pathlib.Path, offset: int, size: int = 0) -> None:
        self.path = folder / f"{offset:020d}{SUFFIX}"
        self.offset = offset
        self.size = size

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def full(self) -> bool:
        return self.size >= MAX_SEGMENT_BYTES

    def append(self, lines: bytes, sync: bool) -> None:
        """Appends after the known size; if it raises OSError, the known size is unchanged."""
        # Overwrites the rest of a failed write, but does not recreate a file that was removed.
        with open(self.path, "r+b" if self.size or self.path.exists() else "xb") as file:
            file.truncate(self.size)
            file.seek(self.size)
            file.write(lines)
            file.flush()
            if sync or self.size + len(lines) >= MAX_SEGMENT_BYTES:
                os.fsync(file.fileno())
        self.size += len(lines)

    def read(self, offset: int) -> bytes:
        """Whole lines from the offset on; nothing if the file was removed or truncated."""
        try:
            with open(self.path, "rb") as file:
                file.seek(offset - self.offset)
                text = file.read(self.end - offset)
        except FileNotFoundError:
            return b""
        return text[:text.rfind(b"\n") + 1]


def first_lines(text: bytes, max_bytes: int) -> bytes:
    """As many whole lines from the start as fit into max_bytes, but at least one."""
    if len(text) <= max_bytes:
        return text
    last = text.rfind(b"\n", 0, max_bytes)
    return text[:(last if last >= 0 else text.index(b"\n")) + 1]


def spooled_bytes(spool: pathlib.Path) -> int:
    """The size of all segments of all streams below `spool`; other processes may remove them meanwhile."""
    return sum(entry.stat().st_size for stream in entries(spool) if stream.is_dir()
               for entry in entries(pathlib.Path(stream.path)) if entry.name.endswith(SUFFIX) and exists(entry))


def entries(folder: pathlib.Path) -> List["os.DirEntry[str]"]:
    """A folder's content, empty if it is gone. Path.glob may raise if a folder disappears meanwhile."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except FileNotFoundError:
        return []


def exists(entry: "os.DirEntry[str]") -> bool:
    """Whether its size can be read; afterwards, the entry caches it."""
    try:
        entry.stat()
    except FileNotFoundError:
        return False
    return True


class Backlog:
    """The unacknowledged end of one stream of lines. Not thread-safe: its owner has a lock.

    `folder` may be set until the first spill, which creates it; with None nothing can be spilled. All
    streams beside it share `max_disk_bytes`: a segment is started only if a full one fits.
    """

    def __init__(self, folder: Optional[pathlib.Path], max_disk_bytes: int,
                 max_memory_bytes: int) -> None:
        self.folder = folder
        self._max_disk_bytes = max_disk_bytes
        self._max_memory_bytes = max_memory_bytes
        self._segments: Deque[Segment] = deque()
        self._lines: Deque[bytes] = deque()
        self._memory_bytes = 0
        self._acknowledged = 0
        self._end = 0
        # Bytes that disappeared from the disk.
        self.lost_bytes = 0

    @classmethod
    def left_behind(cls, folder: pathlib.Path) -> "Backlog":
        """Loads what another process left in `folder`. Raises OSError; ignores files with other names."""
        backlog = cls(folder, 0, 0)
        for path in sorted(folder.glob(f"[0-9]*{SUFFIX}")):
            segment = Segment(folder, int(path.stem), path.read_bytes().rfind(b"\n") + 1)
            if segment.size == 0:
                path.unlink()
            elif backlog._segments and segment.offset != backlog._segments[-1].end:
                break  # Bytes in between are lost. The next owner of the folder begins here.
            else:
                backlog._segments.append(segment)
        if backlog._segments:
            backlog._acknowledged = backlog._segments[0].offset
            backlog._end = backlog._segments[-1].end
        return backlog

    @property
    def end(self) -> int:
        """The offset at which the next line will begin."""
        return self._end

    @property
    def acknowledged(self) -> int:
        """The offset up to which the server has the stream."""
        return self._acknowledged

    @property
    def empty(self) -> bool:
        return self._acknowledged == self._end

    @property
    def memory_bytes(self) -> int:
        return self._memory_bytes

    def append(self, line: bytes) -> bool:
        """Adds a line; returns False if memory is full."""
        if self._memory_bytes + len(line) > self._max_memory_bytes:
            return False
        self._lines.append(line)
        self._memory_bytes += len(line)
        self._end += len(line)
        return True

    def oldest(self, max_bytes: int) -> Optional[Piece]:
        """The oldest lines, of at most max_bytes unless one alone is longer; None if there are none.

        Skips what has disappeared from the disk. Raises OSError if existing files cannot be read.
        """
        while self._segments:
            text = self._segments[0].read(self._acknowledged)
            if text:
                return Piece(self._acknowledged, first_lines(text, max_bytes))
            self.lost_bytes += self._segments[0].end - self._acknowledged
            self.acknowledge(self._segments[0].end)
        if self.empty:
            return None
        taken: List[bytes] = []
        size = 0
        for line in self._lines:
            if taken and size + len(line) > max_bytes:
                break
            taken.append(line)
            size += len(line)
        return Piece(self._acknowledged, b"".join(taken))

    def acknowledge(self, end: int) -> None:
        """Drops everything before the offset `end`, which is the start of a line or the end."""
        assert self._acknowledged <= end <= self._end
        self._acknowledged = end
        while self._segments and self._segments[0].end <= end:
            self._segments.popleft().path.unlink(missing_ok=True)
        in_memory_from = self._end - self._memory_bytes
        while self._lines and in_memory_from + len(self._lines[0]) <= end:
            in_memory_from += len(self._lines[0])
            self._memory_bytes -= len(self._lines.popleft())

    def spill(self, sync: bool = False) -> bool:
        """Moves the lines in memory to the disk; False if its limit is too small for all.

        Raises OSError if writing fails; lines that were not written stay in memory.
        """
        if self.folder is None:
            return not self._lines
        while self._lines:
            if self._segments and not self._segments[-1].full:
                chunk = self._next_lines(MAX_SEGMENT_BYTES - self._segments[-1].size)
                self._segments[-1].append(chunk, sync)
            elif spooled_bytes(self.folder.parent) + MAX_SEGMENT_BYTES > self._max_disk_bytes:
                return False
            else:
                chunk = self._next_lines(MAX_SEGMENT_BYTES)
                self._begin_segment(self.folder, chunk, sync)
            self._forget_spilled(len(chunk))
        return True

    def _begin_segment(self, folder: pathlib.Path, chunk: bytes, sync: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        segment = Segment(folder, self._end - self._memory_bytes)
        segment.append(chunk, sync)
        self._segments.append(segment)

    def _next_lines(self, enough_bytes: int) -> bytes:
        """The lines for one write: at most enough to fill a segment."""
        chunk = bytearray()
        for line in self._lines:
            chunk += line
            if len(chunk) >= enough_bytes:
                break
        return bytes(chunk)

    def _forget_spilled(self, size: int) -> None:
        self._memory_bytes -= size
        while size > 0:
            size -= len(self._lines.popleft())
