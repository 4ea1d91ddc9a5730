"""StepLogger: stores the steps of a training loop."""

from __future__ import annotations

import atexit
import os
import pathlib
import sys
import threading
import time
import weakref
from collections import deque
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union

from lockstep import annotation_queue
from lockstep import identity as identities
from lockstep import spool as spools
from lockstep import step_lines
from lockstep.annotation_queue import AnnotationQueue
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
    """Stores values per training step on a server, without ever disturbing the training.

    `log` puts the values into a bounded queue and returns; a separate thread sends them about once a
    second. While the server is unreachable or slow, steps wait in memory and then in files; if some are
    left when the process ends, any other logger on this host with the same spool folder sends them.
    Nothing here raises or blocks: problems are counted (`counts`), and each kind is logged once to the
    logger "lockstep" of the logging module.

    All methods are thread-safe; `log` may also be called from signal handlers. After a fork, the child's
    copy is a separate logger with an empty queue.
    """

    _records: Queue
    _annotations: AnnotationQueue
    _tally: Tally
    _worker: Optional[StepWorker]
    _starting: threading.Lock
    _closed: bool
    _all_sent: bool

    def __init__(self, url: Optional[str] = None, *, job: Optional[str] = None, run: Optional[str] = None,
                 rank: Optional[int] = None, attempt: Optional[int] = None, token: Optional[str] = None,
                 spool: Union[str, "os.PathLike[str]", None] = None, max_spool_bytes: int = 1 << 30,
                 interval_s: float = 1.0) -> None:
        """`url` and `token` default to $LOCKSTEP_URL and $LOCKSTEP_TOKEN. An invalid URL raises
        LockstepError here, never later.

        `job`, `run`, `rank` and `attempt` override the launcher's environment, see lockstep.identity.
        `spool` is the folder for waiting steps, by default $LOCKSTEP_SPOOL or a temporary folder, "" for
        none; it holds at most `max_spool_bytes` for all processes together. `interval_s` is how long
        steps are collected before they are sent.
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
        """Logs values of a step: numbers, or tensors and arrays of one element.

        A value called `time` (Unix seconds), `job`, `run`, `rank` or `attempt` replaces the logger's own.

        Takes microseconds and never waits, not even for a GPU: a tensor on a device is copied there, and
        read later by the logger's thread.
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

    def annotate(self, text: str, *, kind: str = "note", start: Optional[float] = None, end: Optional[float] = None,
                 step: Optional[int] = None, last_step: Optional[int] = None, tags: Sequence[str] = (),
                 labels: Optional[Mapping[str, Any]] = None, of_rank: bool = False) -> None:
        """Notes something about the job: at this moment, from `start` to now, or to `end`, in Unix seconds.

        All ranks may call this: rank 0 sends it for the job. With `of_rank` it is about this rank alone, which
        sends it with its rank as a label. Like `log`, it neither waits nor raises.
        """
        try:
            now = time.time()
            begin = now if start is None else float(start)
            finish = now if end is None and start is not None else begin if end is None else float(end)
            self._put(kind, text, start=begin, end=finish, first_step=step,
                      last_step=step if last_step is None else last_step, tags=tags, labels=labels, of_rank=of_rank)
        except Exception:
            self._tally.add(errors=1)

    @contextmanager
    def annotation(self, kind: str, text: str = "", *, step: Optional[int] = None, tags: Sequence[str] = (),
                   labels: Optional[Mapping[str, Any]] = None, of_rank: bool = False) -> Iterator[None]:
        """Annotates what runs inside, such as an evaluation or a profile; see `annotate`.

        The server has it from the begin on. If an exception ends it, it has the tag "failed".
        """
        more: Dict[str, Any] = {"id": annotation_queue.new_id(), "start": time.time(), "first_step": step,
                                "labels": labels, "of_rank": of_rank}
        self._try_put(kind, text, tags=tags, **more)
        try:
            yield
        except BaseException:
            self._try_put(kind, text, end=max(time.time(), more["start"]), tags=(*tags, "failed"), **more)
            raise
        self._try_put(kind, text, end=max(time.time(), more["start"]), tags=tags, **more)

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Waits until everything logged so far is on the server; False on timeout."""
        try:
            worker = self._worker
            if worker is None or self._closed:
                return not self._records and not self._annotations
            mark = FlushMark()
            self._records.append(mark)
            worker.wake()
            return mark.decided.wait(timeout_s) and mark.reached
        except Exception:
            self._tally.add(errors=1)
            return False

    def close(self, timeout_s: float = CLOSE_WITHIN_S) -> bool:
        """Sends waiting steps as far as possible, and leaves the rest in the spool.

        True if everything is on the server. Later steps are dropped and counted. Called automatically at
        the end of the process. Tells the server that the rank has ended, or failed, if an exception is
        propagating or has ended the program.
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
        """Counts a fault of this logger's caller, and warns once: it must not end a training either."""
        self._tally.add(errors=1)
        self._tally.warn_once("feeding", f"a step was not timed: {error!r}")

    @property
    def counts(self) -> Counts:
        """The outcomes of the steps so far."""
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
        self._annotations = AnnotationQueue(self._tally)
        self._worker = None
        self._starting = threading.Lock()
        self._closed = False
        self._all_sent = True

    def _try_put(self, kind: str, text: str, **more: Any) -> None:
        try:
            self._put(kind, text, **more)
        except Exception:
            self._tally.add(errors=1)

    def _put(self, kind: str, text: str, *, id: Optional[str] = None, start: Optional[float] = None,
             end: Optional[float] = None, first_step: Optional[int] = None, last_step: Optional[int] = None,
             tags: Sequence[str] = (), labels: Optional[Mapping[str, Any]] = None, of_rank: bool = False) -> None:
        if not of_rank and self.identity.rank != 0:
            return
        if self._closed:
            self._tally.add(dropped=1)
            return
        named = {**({"rank": self.identity.rank} if of_rank else {}), **(labels or {})}
        self._annotations.put(annotation_queue.fields(
            self.identity.job, id or annotation_queue.new_id(), kind, text, start=start, end=end,
            first_step=first_step, last_step=last_step, tags=tags, labels=named))
        if self._worker is None:
            self._start()

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
                    self._records, self._annotations, self._interval_s, self._tally)
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
    """The exit code of the process, as far as it is known before its end."""
    error = sys.exc_info()[1]
    if isinstance(error, SystemExit):
        if isinstance(error.code, int):
            return error.code & 0xFF
        return 0 if error.code is None else 1
    if error is not None:
        return 1
    # The interpreter keeps the exception that ended the program; in interactive sessions, the last
    # one raised.
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
