"""Records what was sent to a server and what it answered, and checks the server in every durability
test.
"""

import threading

METRIC = "durable"


class Ledger:
    """Samples by series and time. Each value is sent only once, at one time of one series.

    A batch, as everywhere here, is a list of (labels, [(time in ms, value), ...]) pairs.
    Thread-safe.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._sent = {}
        self._acknowledged = {}

    def send(self, batch):
        """Call this before sending the batch: from then on the server may have it."""
        self._enter(self._sent, batch)

    def acknowledge(self, batch):
        """The server acknowledged these."""
        self._enter(self._acknowledged, batch)

    @property
    def acknowledged_count(self):
        with self._lock:
            return sum(len(samples) for samples in self._acknowledged.values())

    def check(self, test, connection, time_s, window="4h"):
        """Fails `test` unless everything acknowledged is there, once, and nothing that was not
        sent.
        """
        acknowledged = self._copy(self._acknowledged)
        stored = self._stored(test, connection.query(f"{METRIC}[{window}]", time_s))
        sent = self._copy(self._sent)
        for labels, samples in acknowledged.items():
            have = stored.get(labels, {})
            lost = {t: v for t, v in samples.items() if have.get(t) != v}
            test.assertEqual(lost, {}, f"acknowledged and lost or changed: {dict(labels)}")
        for labels, samples in stored.items():
            known = sent.get(labels, {})
            made_up = {t: v for t, v in samples.items() if known.get(t) != v}
            test.assertEqual(made_up, {}, f"never sent: {dict(labels)}")

    def _enter(self, page, batch):
        with self._lock:
            for labels, samples in batch:
                page.setdefault(tuple(sorted(labels.items())), {}).update(samples)

    def _copy(self, page):
        with self._lock:
            return {labels: dict(samples) for labels, samples in page.items()}

    @staticmethod
    def _stored(test, result):
        """{labels: {time in ms: value}} of a query's response, in which nothing may occur twice."""
        stored = {}
        for row in result:
            labels = tuple(sorted(row["metric"].items()))
            test.assertNotIn(labels, stored, "a series twice")
            times_ms = [round(float(time_s) * 1000) for time_s, _ in row["values"]]
            test.assertEqual(times_ms, sorted(set(times_ms)), f"a time twice: {dict(labels)}")
            stored[labels] = dict(zip(times_ms, (float(value) for _, value in row["values"])))
        return stored
