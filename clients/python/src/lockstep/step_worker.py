"""The thread of a StepLogger: takes records from its queue, and delivers them.

Each round takes the logged records, appends them to the stream, and sends until nothing waits or the
server refuses. After a failure everything that waits goes to the disk, and the next attempt is made
after the back-off. Once its own stream is sent, it sends streams that earlier processes left in the
spool, one request per round.
"""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections import deque
from typing import Any, Deque, Iterator, List, Mapping, Optional, Union

from lockstep import end_record, step_lines
from lockstep.annotation_queue import AnnotationQueue
from lockstep.backlog import Backlog
from lockstep.backoff import Backoff
from lockstep.http_connection import HttpConnection
from lockstep.registration import Registration, tell
from lockstep.spool import Claim, Spool
from lockstep.step_lines import StepRecord
from lockstep.step_push import Later
from lockstep.stream_sender import StreamSender
from lockstep.tally import Tally

MAX_MEMORY_BYTES = 8 << 20
# How often to check the spool for what other processes left while this one runs.
ROUNDS_BETWEEN_LOOKS = 60
# Hold at most this much in memory, even if the server is slow.
SPILL_FROM_BYTES = 1 << 20


class FlushMark:
    """Marks a queue position: everything before it must be on the server to be `reached`.

    `decided` is set once that is the case, or has become impossible.
    """

    def __init__(self) -> None:
        self.decided = threading.Event()
        self.reached = False
        self.end: Optional[int] = None


Queue = Deque[Union[StepRecord, FlushMark]]


class StepWorker:
    """Owns the stream of one process. The logger calls the constructor and `close`."""

    def __init__(self, connection: HttpConnection, spool: Optional[Spool], max_spool_bytes: int,
                 shared: Mapping[str, Any], registration: Registration, records: Queue,
                 annotations: AnnotationQueue, interval_s: float, tally: Tally) -> None:
        self._connection = connection
        self._spool = spool
        self._shared = shared
        self._registration = registration
        self._records = records
        self._annotations = annotations
        self._interval_s = interval_s
        self._tally = tally
        self._stream = uuid.uuid4().hex
        self._claim: Optional[Claim] = None
        self._sender = StreamSender(self._stream, Backlog(None, max_spool_bytes, MAX_MEMORY_BYTES), tally)
        self._left_behind: Optional[Iterator[Claim]] = None
        self._rounds_to_look = 0
        self._adopted: Optional[tuple[Claim, StreamSender]] = None
        self._marks: List[FlushMark] = []
        self._backoff = Backoff()
        self._not_before = 0.0
        self._must_wait = False
        # SimpleQueue.put may interrupt itself, as a signal handler that logs can make it do.
        self._wakes: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        self._closing = threading.Event()
        self._exit_code = 0
        self._abandoned = False
        self._thread = threading.Thread(target=self._run, name="lockstep-steps", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Starts the next round immediately. Safe in signal handlers."""
        self._wakes.put(None)

    def close(self, timeout_s: float, exit_code: int = 0) -> bool:
        """Sends what it can in time, and leaves the rest in the spool. True if all steps are sent.

        Tells the server that the process ended with `exit_code`, or leaves that to the sender of the rest.
        """
        self._exit_code = exit_code
        self._closing.set()
        self.wake()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            # It waits for the network; what it has not sent belongs to us now.
            self._abandoned = True
            self._take_records(lock_within_s=timeout_s)
            self._spill(sync=True, lock_within_s=timeout_s)
            if self._registration.has_steps:
                self._save_end(self._registration.end(exit_code))
        all_sent = self._sender.backlog.empty and not self._records and not self._annotations
        self._annotations.give_up()
        return all_sent

    def forget(self) -> None:
        """After a fork, in the child: closes the parent's resources. The object is unusable afterwards."""
        for claim in (self._claim, self._adopted[0] if self._adopted else None):
            if claim is not None:
                claim.close()

    def _run(self) -> None:
        self._claim_folder()
        closing = False
        while not closing:
            self._sleep()
            closing = self._closing.is_set()
            self._round()
        if not self._abandoned:
            self._spill(sync=True)
            self._say_end()
        for mark in self._marks:
            mark.decided.set()
        self._drop_adopted()
        if self._claim is not None:
            self._claim.release()
        self._connection.close()

    def _claim_folder(self) -> None:
        """Done on this thread, so that the training does not wait for the disk."""
        if self._spool is None:
            return
        try:
            self._claim = self._spool.claim(self._stream)
        except (OSError, ValueError) as error:  # ValueError: an impossible path.
            self._spool = None
            self._disk_failed(error)
        if self._claim is not None:
            self._sender.backlog.folder = self._claim.folder

    def _sleep(self) -> None:
        try:
            self._wakes.get(timeout=self._interval_s)
        except queue.Empty:
            pass

    def _round(self) -> None:
        try:
            self._take_records()
            # A flush ignores our own back-off, but not a pause requested by the server.
            if time.monotonic() >= self._not_before or (self._wanted() and not self._must_wait):
                self._send()
        except Exception as error:  # Faults here must never reach the training.
            self._tally.add(errors=1)
            self._tally.warn_once("error", f"logging steps failed: {error!r}")

    def _wanted(self) -> bool:
        return bool(self._marks) or self._closing.is_set()

    def _take_records(self, lock_within_s: float = -1) -> None:
        """Moves the queue's records to the end of the stream."""
        if not self._sender.lock.acquire(timeout=lock_within_s):
            return
        try:
            while self._records:
                record = self._records.popleft()
                if isinstance(record, FlushMark):
                    record.end = self._sender.backlog.end
                    self._marks.append(record)
                else:
                    self._append(record)
        finally:
            self._sender.lock.release()
        if self._tally.counts().values_dropped:
            self._tally.warn_once("value", "a value that is not a number was dropped from its step")
        if self._sender.backlog.memory_bytes >= SPILL_FROM_BYTES:
            self._spill()

    def _append(self, record: StepRecord) -> None:
        self._registration.note_step(record.time_s)
        try:
            line = step_lines.encode(self._shared, record)
        except Exception as error:
            self._tally.add(dropped=1)
            self._tally.warn_once("value", f"a step could not be written as JSON: {error!r}")
            return
        backlog = self._sender.backlog
        if not backlog.append(line):
            self._spill_locked(sync=False)
            if not backlog.append(line):
                self._tally.add(dropped=1)
                self._tally.warn_once("full", "the server is unreachable and the spool is full: steps are dropped")

    def _send(self) -> None:
        while not self._sender.backlog.empty and not self._abandoned:
            later = self._sender.send_oldest(self._connection)
            if later is not None:
                self._postpone(later)
                return
            self._backoff.succeeded()
            self._registration.send(self._connection)
            self._reach_marks()
            self._take_records()
        later = None if self._abandoned else self._annotations.send(self._connection)
        if later is not None:
            self._postpone(later)
            return
        self._reach_marks()
        self._not_before, self._must_wait = 0.0, False
        if not self._closing.is_set():
            self._registration.stay(self._connection)
            self._send_left_behind()

    def _say_end(self) -> None:
        """After the last step. While steps are left in the spool, the server is unreachable anyway.

        A process that logs no steps is no rank of the job: its end says nothing about it.
        """
        if not self._registration.has_steps:
            return
        try:
            body = self._registration.end(self._exit_code)
            is_next = self._sender.backlog.empty
            if body is not None and not (is_next and tell(self._connection, body)):
                self._save_end(body)
        except Exception:
            self._tally.add(errors=1)

    def _save_end(self, body: Optional[bytes]) -> None:
        try:
            if body is not None and self._claim is not None:
                end_record.save(self._claim.folder, body)
        except OSError as error:
            self._disk_failed(error)

    def _postpone(self, later: Later) -> None:
        delay_s = self._backoff.failed() if later.after_s is None else self._backoff.asked(later.after_s)
        self._not_before = time.monotonic() + delay_s
        self._must_wait = later.after_s is not None
        self._tally.warn_once("away", f"steps wait: {later.why}")
        self._spill()

    def _reach_marks(self) -> None:
        if self._annotations:
            return
        acknowledged = self._sender.backlog.acknowledged
        for mark in [mark for mark in self._marks if mark.end is not None and mark.end <= acknowledged]:
            self._marks.remove(mark)
            mark.reached = True
            mark.decided.set()

    def _spill(self, sync: bool = False, lock_within_s: float = -1) -> None:
        if self._sender.lock.acquire(timeout=lock_within_s):
            try:
                self._spill_locked(sync)
            finally:
                self._sender.lock.release()

    def _spill_locked(self, sync: bool) -> None:
        try:
            self._sender.backlog.spill(sync)
        except OSError as error:
            self._disk_failed(error)

    def _disk_failed(self, error: Exception) -> None:
        self._tally.add(errors=1)
        self._tally.warn_once("disk", f"the spool is unusable, steps wait only in memory: {error}")

    def _send_left_behind(self) -> None:
        """Sends one request of a stream left by an earlier process, if there is one."""
        try:
            if self._adopted is None:
                self._adopt_next()
            if self._adopted is not None:
                self._send_adopted(*self._adopted)
        except OSError as error:
            self._drop_adopted()
            self._left_behind, self._rounds_to_look = None, ROUNDS_BETWEEN_LOOKS
            self._disk_failed(error)

    def _adopt_next(self) -> None:
        if self._left_behind is None:
            self._rounds_to_look -= 1
            if self._spool is None or self._rounds_to_look > 0:
                return
            self._left_behind = self._spool.claim_left_behind()
        claim = next(self._left_behind, None)
        if claim is None:
            self._left_behind, self._rounds_to_look = None, ROUNDS_BETWEEN_LOOKS
            return
        try:
            backlog = Backlog.left_behind(claim.folder)
        except BaseException:
            claim.release()
            raise
        self._adopted = claim, StreamSender(claim.stream, backlog, self._tally)

    def _send_adopted(self, claim: Claim, sender: StreamSender) -> None:
        later = sender.send_oldest(self._connection)
        if later is None and sender.backlog.empty:
            later = end_record.send(self._connection, claim.folder)
        if later is not None:
            self._postpone(later)
            return
        if sender.backlog.empty:
            self._drop_adopted()
        self.wake()

    def _drop_adopted(self) -> None:
        if self._adopted is not None:
            self._adopted[0].release()
            self._adopted = None
