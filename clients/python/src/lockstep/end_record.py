"""How a process ended, kept in the spool next to its steps until the server knows it.

    FOLDER/STREAM/end.json     the body of POST /api/v1/training/register

The sender of the stream sends it after the last step.
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
    """Writes it to the disk. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(folder / NAME, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())


def send(connection: HttpConnection, folder: pathlib.Path) -> Optional[Later]:
    """Sends the record if no steps are left; returns why it must be retried later, or None.

    Raises OSError.
    """
    path = folder / NAME
    if not path.exists() or any(folder.glob(f"[0-9]*{SUFFIX}")):
        return None
    if not tell(connection, path.read_bytes()):
        return Later("the server does not accept the end of a process", None)
    path.unlink(missing_ok=True)
    return None
