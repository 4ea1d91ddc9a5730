"""The folder where streams wait while the server is unreachable, shared by all processes of a host.

    FOLDER/STREAM.lock     held (flock) by the process that owns the stream, as long as it lives
    FOLDER/STREAM/         the stream's segments, see backlog.py, and how its process ended, see end_record.py

A stream whose lock is free was left behind; any process may claim and send it.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Iterator, Optional

from lockstep.backlog import entries, exists

try:
    import fcntl
except ImportError:  # Windows has no flock, so nothing is spooled there.
    fcntl = None  # type: ignore[assignment]


def default_folder() -> pathlib.Path:
    """$LOCKSTEP_SPOOL, or a folder of this user in the host's temporary folder."""
    told = os.environ.get("LOCKSTEP_SPOOL")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return pathlib.Path(told) if told else pathlib.Path(tempfile.gettempdir(), f"lockstep-spool-{user}")


class Claim:
    """Exclusive ownership of a stream's folder, until released or the process ends."""

    def __init__(self, folder: pathlib.Path, lock: pathlib.Path, descriptor: int) -> None:
        self.folder = folder
        self.stream = folder.name
        self._lock = lock
        self._descriptor = descriptor

    def release(self) -> None:
        """Releases the stream; deletes folder and lock if nothing of the stream is left."""
        try:
            if self.folder.exists():
                self.folder.rmdir()
            self._lock.unlink(missing_ok=True)
        except OSError:
            pass  # Something is left for the next owner.
        self.close()

    def close(self) -> None:
        """Closes only this process's handle: after a fork, the parent keeps its claim."""
        os.close(self._descriptor)


class Spool:
    """The spool folder. Methods raise OSError on disk errors."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder

    def claim(self, stream: str) -> Optional[Claim]:
        """Claims that stream; None if another process owns it."""
        if fcntl is None:
            raise OSError("this system has no file locks")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = self._folder / f"{stream}.lock"
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking, its previous owner may have removed the file.
            if os.fstat(descriptor).st_ino == os.stat(lock).st_ino:
                return Claim(self._folder / stream, lock, descriptor)
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def claim_left_behind(self) -> Iterator[Claim]:
        """Claims streams left by earlier processes, oldest first; the caller must release each."""
        streams = [entry for entry in entries(self._folder) if exists(entry) and entry.is_dir()]
        for entry in sorted(streams, key=lambda entry: entry.stat().st_mtime):
            claim = self.claim(entry.name)
            if claim is not None:
                yield claim
