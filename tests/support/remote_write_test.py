import unittest

import remote_write


class RemoteWriteTest(unittest.TestCase):
    def test_varint_is_protobufs(self):
        """The example of the protobuf encoding guide, and -1 as ten bytes."""
        self.assertEqual(remote_write.varint(150), b"\x96\x01")
        self.assertEqual(remote_write.varint(-1), b"\xff" * 9 + b"\x01")

    def test_request(self):
        """By hand from prompb: WriteRequest.timeseries 1, TimeSeries.labels 1 and .samples 2,
        Label.name 1 and .value 2, Sample.value 1 (double) and .timestamp 2."""
        request = remote_write.protobuf([({"b": "x", "a": ""}, [(1, 1.0), (-1, 2.0)])])
        labels = b"\x0a\x05\x0a\x01a\x12\x00" + b"\x0a\x06\x0a\x01b\x12\x01x"
        samples = (b"\x12\x0b\x09" + b"\0\0\0\0\0\0\xf0\x3f" + b"\x10\x01" +
                   b"\x12\x14\x09" + b"\0\0\0\0\0\0\0\x40" + b"\x10" + b"\xff" * 9 + b"\x01")
        series = labels + samples
        self.assertEqual(request, b"\x0a" + bytes([len(series)]) + series)

    def test_histogram(self):
        """By hand from prompb: Histogram.count_int 1, .sum 3, .schema 4 (sint32), .zero_threshold
        5, .zero_count_int 6, .positive_spans 11 with .offset 1 (sint32) and .length 2,
        .positive_deltas 12 (sint64), .reset_hint 14, .timestamp 15; buckets 1, 2 and 5 with 3, 1
        and 1.
        """
        value = remote_write.Histogram(schema=-1, sum=0.0, count=5, positive={1: 3, 2: 1, 5: 1})
        zero = b"\0" * 8
        self.assertEqual(
            remote_write.histogram(7, value),
            b"\x08\x05" + b"\x19" + zero + b"\x20\x01" + b"\x29" + zero + b"\x30\x00" +
            b"\x5a\x04\x08\x02\x10\x02" + b"\x5a\x04\x08\x04\x10\x01" +
            b"\x62\x03\x06\x03\x00" + b"\x70\x00" + b"\x78\x07")

    def test_snappy(self):
        """The length, then a literal whose length minus one takes four bytes."""
        self.assertEqual(remote_write.snappy(b""), b"\x00")
        self.assertEqual(remote_write.snappy(b"abc"), b"\x03\xfc\x02\x00\x00\x00abc")


if __name__ == "__main__":
    unittest.main()
