"""What was sent to a server and what became of it: the judge of every durability test."""

import threading

METRIC = "durable"


class Ledger:
    """Samples by series and time. Each value is sent once only, at one time of one series.

    A batch, as everywhere here, is a list of (labels, [(time in ms, value), ...]) pairs. Thread-safe.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._acknowledged = {}
        self._doubtful = {}

    def acknowledge(self, batch):
        """The server promised to keep these."""
        self._enter(self._acknowledged, batch)

    def doubt(self, batch):
        """Nobody knows whether the server has these: no answer came, or one that refused."""
        self._enter(self._doubtful, batch)

    @property
    def acknowledged_count(self):
        with self._lock:
            return sum(len(samples) for samples in self._acknowledged.values())

    def check(self, test, connection, time_s, window="4h"):
        """Fails `test` unless all that was acknowledged is there, once, and nothing was made up."""
        stored = self._stored(test, connection.query(f"{METRIC}[{window}]", time_s))
        with self._lock:
            for labels, samples in self._acknowledged.items():
                have = stored.get(labels, {})
                lost = {t: v for t, v in samples.items() if have.get(t) != v}
                test.assertEqual(lost, {}, f"acknowledged and lost or changed: {dict(labels)}")
            for labels, samples in stored.items():
                sent = self._doubtful.get(labels, {}) | self._acknowledged.get(labels, {})
                made_up = {t: v for t, v in samples.items() if sent.get(t) != v}
                test.assertEqual(made_up, {}, f"never sent: {dict(labels)}")

    def _enter(self, page, batch):
        with self._lock:
            for labels, samples in batch:
                page.setdefault(tuple(sorted(labels.items())), {}).update(samples)

    @staticmethod
    def _stored(test, result):
        """{labels: {time in ms: value}} of a query's answer, in which nothing may be twice."""
        stored = {}
        for row in result:
            labels = tuple(sorted(row["metric"].items()))
            test.assertNotIn(labels, stored, "a series twice")
            times_ms = [round(float(time_s) * 1000) for time_s, _ in row["values"]]
            test.assertEqual(times_ms, sorted(set(times_ms)), f"a time twice: {dict(labels)}")
            stored[labels] = dict(zip(times_ms, (float(value) for _, value in row["values"])))
        return stored
