"""Remote read: chunks and samples equal those of a real Prometheus 3 byte for byte, and a
Prometheus without data answers queries by reading from lockstep.

LOCKSTEP_PROGRAM names the server.
"""

import json
import math
import pathlib
import random
import tempfile
import unittest

import prometheus3
import remote_read
import remote_write

# The samples of one chunk are between two multiples of two hours, where Prometheus cuts chunks.
START_MS = 1709251200_000
END_MS = START_MS + 7_199_999
ODD_VALUES = (1, 1, 2.5, 2.5, -7, 1e300, math.nan, remote_write.STALE, 0, math.pi, 42, 43, 45.5,
              1e-9, math.inf, -math.inf, 5e-324)

EXPRESSIONS = (
    "noise", "sum by (k) (rate(noise[5m]))", 'noise{k=~"1|2"}', 'noise{k!="1"}',
    'noise{k!~"1|2"} offset 5m', "odd", "h", "rate(h[2m])", "histogram_quantile(0.9, rate(h[2m]))",
    "histogram_sum(h)", "increase(h[10m])", "resets(h[10m])", "max_over_time(noise[10m:1m])", "none",
    "count_over_time(odd[1h])", "mixed", "nhcb",
)


def content():
    rng = random.Random(7)
    series = [({"__name__": "odd"}, [(START_MS + 1234 + 15000 * i + i % 7 * 13 * (i % 3), value)
                                     for i, value in enumerate(ODD_VALUES)])]
    for k in range(3):
        value, points = 1000.0, []
        for i in range(110):
            value += rng.choice((0, 1, rng.random() * 10, 3.5))
            points.append((START_MS + 500 + 60_000 * i + rng.choice((0, 0, 0, 1, -300, 70)), value))
        series.append(({"__name__": "noise", "k": str(k)}, points))
    # More than fits into one part of a response, with values so small that each series has one
    # chunk.
    for k in range(600):
        series.append(({"__name__": "many", "k": f"{k:03}"},
                       [(START_MS + 1000 * i + rng.randrange(1000), rng.randrange(1 << 20))
                        for i in range(110)]))
    series.append(({"__name__": "mixed"}, [(START_MS + 15000 * i, i) for i in range(5)]))
    return remote_write.protobuf(series) + histograms()


def histograms():
    def at(i):
        return START_MS + 1000 + 15000 * i

    def exponential(i, **changes):
        shape = {"schema": 3, "zero_threshold": 2.0 ** -128, "zero_count": 0.5, "count": 10.5 + i,
                 "sum": 3.25 * i, "positive": {-3: 3.0 + i, -2: 4, 1: 2}, "negative": {0: 1.0},
                 "floats": True}
        return at(i), remote_write.Histogram(**{**shape, **changes})

    counters = [exponential(i) for i in range(20)]
    counters += [exponential(i, count=4.0 + i, positive={-3: 1.0 + i - 20, -2: 1, 1: 1})
                 for i in range(20, 30)]
    counters += [exponential(i, schema=2, count=50.0 + i) for i in range(30, 35)]
    custom = [(at(i), remote_write.Histogram(
        schema=-53, count=4.0 + i, sum=8, positive={0: 1, 1: 2, 2: 1 + i}, floats=True,
        custom_bounds=(0.005, 1.5, 100 / 3))) for i in range(5)]
    return remote_write.protobuf([
        ({"__name__": "h"}, counters), ({"__name__": "nhcb"}, custom),
        ({"__name__": "mixed"}, [exponential(i) for i in range(6, 9)])])


class RemoteReadTest(prometheus3.SideBySide):
    prometheus_flags = ("--enable-feature=native-histograms",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for server in (cls.prometheus, cls.lockstep):
            prometheus3.push(server, content())

    def read(self, server, queries, accepted):
        return prometheus3.send(server, "POST", remote_read.PATH,
                                remote_read.body(queries, accepted), remote_read.HEADERS)

    def test_the_same_float_chunks(self):
        queries = [(START_MS, END_MS, [("__name__", "=~", "odd|noise")]),
                   (START_MS, END_MS, [("__name__", "=", "many")]),
                   (START_MS, END_MS, [("__name__", "=", "none")]),
                   (START_MS, END_MS, [("__name__", "=", "noise"), ("k", "!=", "1")])]
        theirs, ours = (self.read(server, queries, (1, 0))
                        for server in (self.prometheus, self.lockstep))
        self.assertEqual(theirs[:2], ours[:2])
        self.assertEqual(remote_read.chunks(theirs[2]), remote_read.chunks(ours[2]))
        self.assertEqual(theirs[2], ours[2])

    def test_the_same_samples(self):
        queries = [(START_MS + 100_000, START_MS + 400_000, [("__name__", "=~", "odd|noise|h")]),
                   (START_MS, END_MS, [("__name__", "!~", "h|nhcb|mixed"), ("k", "!~", "2")])]
        theirs, ours = (self.read(server, queries, (0,))
                        for server in (self.prometheus, self.lockstep))
        self.assertEqual(theirs[:2], ours[:2])
        for theirs_rows, our_rows in zip(remote_read.samples(theirs[2]),
                                         remote_read.samples(ours[2]), strict=True):
            key = lambda row: sorted(row[0].items())
            for one, other in zip(sorted(theirs_rows, key=key), sorted(our_rows, key=key),
                                  strict=True):
                self.assertEqual(one[:2], other[:2])
                self.assertEqual(len(one[2]), len(other[2]))

    def test_what_is_no_request_is_refused(self):
        for body in (b"", b"no snappy", remote_write.snappy(b"\xff\xff"),
                     remote_read.body([], (7,))):
            with self.subTest(body=body):
                theirs, ours = (prometheus3.send(server, "POST", remote_read.PATH, body,
                                                 remote_read.HEADERS)
                                for server in (self.prometheus, self.lockstep))
                self.assertEqual(theirs[:2], ours[:2])

    def test_a_prometheus_answers_with_what_it_reads_here(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-interop-")
        self.addCleanup(folder.cleanup)
        remote = {"url": f"{self.lockstep.url}/api/v1/read", "read_recent": True}
        reader = prometheus3.start_prometheus(
            pathlib.Path(folder.name), "--enable-feature=native-histograms",
            config=json.dumps({"remote_read": [remote]}))
        self.addCleanup(reader.stop)
        for query in EXPRESSIONS:
            with self.subTest(query=query):
                parameters = {"query": query, "start": START_MS // 1000,
                              "end": START_MS // 1000 + 3600, "step": 30}
                self.assertEqual(self.result(self.prometheus, parameters),
                                 self.result(reader, parameters))

    def result(self, server, parameters):
        status, document = prometheus3.ask(server, "query_range", **parameters)
        self.assertEqual(status, 200, document)
        return document


if __name__ == "__main__":
    unittest.main()
