"""Writers that push known, unique values until their server dies."""

import http.client
import threading
import time

from ledger import METRIC

SERIES_PER_WRITER = 7
STEP_MS = 10


def recent_hour_ms():
    """A time within every retention that leaves room for an hour of samples."""
    return int(time.time() - 3600) * 1000


class Script:
    """The batches of one writer, across the lives of many servers."""

    def __init__(self, number, start_ms):
        self._number = number
        self._start_ms = start_ms
        self._sent_count = 0

    def next_batch(self, generation):
        """Some series persist, one is new in every generation. Every fifth batch is out of order."""
        self._sent_count += 1
        backwards = self._sent_count % 5 == 0
        time_ms = self._start_ms + STEP_MS * (-self._sent_count if backwards else self._sent_count)
        names = [f"s{i}" for i in range(SERIES_PER_WRITER)] + [f"generation-{generation}"]
        first = (self._number << 40) + self._sent_count * len(names)
        return [({"__name__": METRIC, "writer": str(self._number), "series": name},
                 [(time_ms, float(first + i))]) for i, name in enumerate(names)]


class Writer(threading.Thread):
    """Pushes batches on one connection until that breaks; then it has ended.

    `in_doubt` are the batches without a response; `complaint` is a response that no healthy server
    gives, or None. `on_stored` is called after every stored batch.
    """

    def __init__(self, server, script, generation, ledger, on_stored):
        super().__init__(daemon=True)
        self._server = server
        self._script = script
        self._generation = generation
        self._ledger = ledger
        self._on_stored = on_stored
        self.in_doubt = []
        self.complaint = None

    def run(self):
        connection = self._server.connect()
        try:
            while self._push(connection):
                self._on_stored()
        finally:
            connection.close()

    def _push(self, connection):
        batch = self._script.next_batch(self._generation)
        self._ledger.send(batch)
        try:
            answer = connection.write(batch)
        except (OSError, http.client.HTTPException):
            self.in_doubt.append(batch)
            return False
        if not answer.stored:
            self.complaint = f"{answer.status} {answer.text}"
            return False
        self._ledger.acknowledge(batch)
        return True
