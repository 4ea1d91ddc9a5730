"""StepLogger: what a training loop calls to have its steps stored."""

from __future__ import annotations

import atexit
import os
import pathlib
import sys
import threading
import time
import weakref
from collections import deque
from typing import Any, Optional, Union

from lockstep import identity as identities
from lockstep import spool as spools
from lockstep import step_lines
from lockstep.http_connection import HttpConnection
from lockstep.identity import Identity
from lockstep.own_gpu import own_gpu
from lockstep.registration import Registration
from lockstep.step_lines import StepRecord
from lockstep.step_worker import FlushMark, Queue, StepWorker
from lockstep.tally import Counts, Tally

DEFAULT_URL = "http://127.0.0.1:9009"
MAX_QUEUED_RECORDS = 10_000
REQUEST_TIMEOUT_S = 10.0
CLOSE_WITHIN_S = 5.0

_alive: "weakref.WeakSet[StepLogger]" = weakref.WeakSet()


class StepLogger:
    """Stores values per training step on a server, without ever getting in the training's way.

    `log` puts the values into a bounded queue and returns; a thread of its own sends them about once
    a second. While the server is away or slow, steps wait in memory and then in files, and what is
    there when the process ends is sent by any other logger on this host with the same spool folder.
    Nothing here raises or blocks: what goes wrong is counted (`counts`) and said once per kind on
    the logger "lockstep" of the logging module.

    Any thread may call any method; `log` also from signal handlers. After a fork the child's copy
    is a logger of its own with an empty queue.
    """

    _records: Queue
    _tally: Tally
    _worker: Optional[StepWorker]
    _starting: threading.Lock
    _closed: bool
    _all_sent: bool

    def __init__(self, url: Optional[str] = None, *, job: Optional[str] = None, run: Optional[str] = None,
                 rank: Optional[int] = None, attempt: Optional[int] = None, token: Optional[str] = None,
                 spool: Union[str, "os.PathLike[str]", None] = None, max_spool_bytes: int = 1 << 30,
                 interval_s: float = 1.0) -> None:
        """`url` and `token` default to $LOCKSTEP_URL and $LOCKSTEP_TOKEN; a URL that is none raises
        LockstepError, here and never later.

        `job`, `run`, `rank` and `attempt` replace what the launcher's environment says, see
        lockstep.identity. `spool` is the folder for what waits, by default $LOCKSTEP_SPOOL or
        one among the temporary files, "" for none; it holds at most `max_spool_bytes` of all
        processes together. `interval_s` is how long steps are collected before they are sent.
        """
        found = identities.find()
        self.identity = Identity(
            job=job if job is not None else found.job, run=run if run is not None else found.run,
            rank=rank if rank is not None else found.rank,
            attempt=attempt if attempt is not None else found.attempt,
            local_rank=found.local_rank, world_size=found.world_size, host=found.host)
        self._url = url or os.environ.get("LOCKSTEP_URL") or DEFAULT_URL
        self._token = token or os.environ.get("LOCKSTEP_TOKEN")
        self._connection()
        folder = spools.default_folder() if spool is None else pathlib.Path(spool) if spool else None
        self._spool = spools.Spool(folder) if folder else None
        self._max_spool_bytes = max_spool_bytes
        self._interval_s = interval_s
        self._begin()
        _alive.add(self)

    def log(self, step: int, **values: Any) -> None:
        """Takes values of a step: numbers, or tensors and arrays of one element.

        A value called `time` (Unix seconds), `job`, `run`, `rank` or `attempt` replaces the logger's own.

        Costs microseconds and never waits, for a GPU neither: a tensor on a device is copied there,
        and read later by the logger's thread.
        """
        try:
            records = self._records
            if self._closed or len(records) >= MAX_QUEUED_RECORDS:
                self._tally.add(dropped=1)
                return
            for name, value in values.items():
                if type(value) is not float:
                    self._hold(values, name, value)
            records.append(StepRecord(int(step), time.time(), values))
            if self._worker is None:
                self._start()
            elif len(records) == MAX_QUEUED_RECORDS // 2:
                self._worker.wake()
        except Exception:
            self._tally.add(errors=1)

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Waits until everything logged so far is on the server; False if it is not in time."""
        try:
            worker = self._worker
            if worker is None or self._closed:
                return not self._records
            mark = FlushMark()
            self._records.append(mark)
            worker.wake()
            return mark.decided.wait(timeout_s) and mark.reached
        except Exception:
            self._tally.add(errors=1)
            return False

    def close(self, timeout_s: float = CLOSE_WITHIN_S) -> bool:
        """Sends what waits, as far as that is possible at once, and leaves the rest in the spool.

        True if all is on the server. What is logged afterwards is dropped and counted. Called at
        the end of the process by itself. The server is told that the rank has ended: that it has
        failed, if an exception is under way or has ended the program.
        """
        try:
            self._closed = True
            worker, self._worker = self._worker, None
            if worker is not None:
                atexit.unregister(self.close)
                self._all_sent = worker.close(timeout_s, _exit_code())
            return self._all_sent
        except Exception:
            self._tally.add(errors=1)
            return False

    def fault(self, error: Exception) -> None:
        """Counts a fault of what feeds this logger, and warns once: it must not end a training either."""
        self._tally.add(errors=1)
        self._tally.warn_once("feeding", f"a step was not timed: {error!r}")

    @property
    def counts(self) -> Counts:
        """What became of the steps so far."""
        return self._tally.counts()

    def __enter__(self) -> "StepLogger":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connection(self) -> HttpConnection:
        return HttpConnection(self._url, self._token, REQUEST_TIMEOUT_S)

    def _begin(self) -> None:
        """An empty queue and no thread: the state of a new logger, and of one in a forked child."""
        self._records = deque()
        self._tally = Tally()
        self._worker = None
        self._starting = threading.Lock()
        self._closed = False
        self._all_sent = True

    def _hold(self, values: dict[str, Any], name: str, value: Any) -> None:
        try:
            values[name] = step_lines.hold(value)
        except Exception:
            values[name] = None
            self._tally.add(values_dropped=1)

    def _start(self) -> None:
        """Starts the thread, unless another thread is about to."""
        if not self._starting.acquire(blocking=False):
            return
        try:
            if self._worker is None and not self._closed:
                self._worker = StepWorker(
                    self._connection(), self._spool, self._max_spool_bytes,
                    step_lines.identity_fields(self.identity), Registration(self.identity, own_gpu()),
                    self._records, self._interval_s, self._tally)
                self._close_at_exit()
        finally:
            self._starting.release()

    def _close_at_exit(self) -> None:
        atexit.register(self.close)
        # Forked workers of multiprocessing end without atexit.
        multiprocessing = sys.modules.get("multiprocessing.util")
        if multiprocessing is not None:
            multiprocessing.Finalize(None, self.close, exitpriority=0)

    def _after_fork(self) -> None:
        worker = self._worker
        self._begin()
        if worker is not None:
            worker.forget()


def _exit_code() -> int:
    """Of the process, as far as it is known before its end."""
    error = sys.exc_info()[1]
    if isinstance(error, SystemExit):
        if isinstance(error.code, int):
            return error.code & 0xFF
        return 0 if error.code is None else 1
    if error is not None:
        return 1
    # The interpreter keeps the exception that has ended the program; where a person types, any one that was raised.
    is_typed = hasattr(sys, "ps1") or "IPython" in sys.modules
    return 1 if not is_typed and getattr(sys, "last_value", None) is not None else 0


def _after_fork_in_child() -> None:
    for logger in list(_alive):
        try:
            logger._after_fork()
        except Exception:
            pass  # A child that cannot log must still run.


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
