"""How a process ended, in the spool beside its steps, for as long as the server does not know it.

    FOLDER/STREAM/end.json     the body of POST /api/v1/training/register

Whoever sends the stream sends it behind the last step.
"""

from __future__ import annotations

import os
import pathlib
from typing import Optional

from lockstep.backlog import SUFFIX
from lockstep.http_connection import HttpConnection
from lockstep.registration import tell
from lockstep.step_push import Later

NAME = "end.json"


def save(folder: pathlib.Path, body: bytes) -> None:
    """Keeps it on the disk. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(folder / NAME, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())


def send(connection: HttpConnection, folder: pathlib.Path) -> Optional[Later]:
    """Sends what is there, if no steps are left; returns why it must be tried later, or None if it need not.

    Raises OSError.
    """
    path = folder / NAME
    if not path.exists() or any(folder.glob(f"[0-9]*{SUFFIX}")):
        return None
    if not tell(connection, path.read_bytes()):
        return Later("the server does not take the end of a process", None)
    path.unlink(missing_ok=True)
    return None
