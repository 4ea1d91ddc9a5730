"""The agent's requests equal those of the server tests' encoder byte for byte."""

import unittest

import remote_write as reference
from lockstep.agent.remote_write import HEADERS, PATH, RequestBuilder, varint
from lockstep.agent.samples import Sample, pairs


class RemoteWriteRequestsTest(unittest.TestCase):
    def check(self, samples, expected, common=()):
        builder = RequestBuilder(common)
        for time_ms, name, labels, value in samples:
            builder.add(time_ms, Sample(name, pairs(labels), value))
        self.assertEqual(builder.take(), reference.body(expected))
        self.assertEqual(builder.take(), b"")

    def test_series_keep_their_samples_together(self):
        self.check([(1700000000000, "up", {"gpu": "0"}, 1.5), (1700000000000, "up", {"gpu": "1"}, -0.0),
                    (1700000001000, "up", {"gpu": "0"}, float("inf"))],
                   [({"__name__": "up", "gpu": "0"}, [(1700000000000, 1.5), (1700000001000, float("inf"))]),
                    ({"__name__": "up", "gpu": "1"}, [(1700000000000, -0.0)])])

    def test_labels_are_sorted_and_common_ones_give_way(self):
        self.check([(1, "up", {"a": "1", "Z": "2", "c": "own", "empty": ""}, 0.0)],
                   [({"Z": "2", "__name__": "up", "a": "1", "b": "3", "c": "own"}, [(1, 0.0)])],
                   common=pairs({"b": "3", "c": "common"}))

    def test_text_beyond_ascii_and_long_labels(self):
        labels = {"name": "Zürich \N{DESERT}", "long": "x" * 300}
        self.check([(1, "up", labels, 0.0)], [({"__name__": "up", **labels}, [(1, 0.0)])])

    def test_a_request_may_be_large(self):
        rows = [(1, "up", {"series": str(number)}, float(number)) for number in range(1000, 5000)]
        self.check(rows, [({"__name__": "up", **labels}, [(time, value)]) for time, _, labels, value in rows])

    def test_varints(self):
        for number in (0, 1, 127, 128, 300, 1 << 32, (1 << 63) - 1):
            self.assertEqual(varint(number), reference.varint(number))

    def test_how_it_is_sent(self):
        self.assertEqual((PATH, HEADERS), (reference.PATH, reference.HEADERS))


if __name__ == "__main__":
    unittest.main()
