"""What the specifications of remote write 1.0 and 2.0 require of a receiver: status codes and
`Written` headers.

LOCKSTEP_PROGRAM names the server. With `tools/build_remote_write_compliance.sh build/tools`, the
Prometheus project's published checks run too.
"""

import http.client
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
import remote_write_v2
from lockstep_server import Server
from remote_write import double, label, length_delimited, snappy, varint, varint_field

COMPLIANCE = programs.ROOT / "build/tools/remote_write_receiver.test"
COMPLIANCE_WITHIN_S = 300
V1, V2 = remote_write.HEADERS, remote_write_v2.HEADERS
NOW_MS = int(time.time() * 1000)
DAY_MS = 24 * 3600 * 1000
# Encodings that a receiver may reject with 415; lockstep accepts them.
READ_ALL_THE_SAME = {"TestBadContentEncodings/gzip", "TestBadContentEncodings/deflate"}
TOO_LARGE = 33 << 20
UP = (("__name__", "up"), ("job", "j"))


def sample(time_ms=NOW_MS, value=1.0):
    return length_delimited(2, b"\x09" + double(value) + b"\x10" + varint(time_ms))


def v1_series(labels=UP, samples=None):
    """A TimeSeries with exactly these labels."""
    return length_delimited(1, b"".join(label(*pair) for pair in labels) + (samples or sample()))


def v2(*series):
    """A Request of (labels, rest of the TimeSeries) with exactly these labels."""
    symbols = [""]
    encoded = b""
    for labels, rest in series:
        references = b""
        for text in (text for pair in labels for text in pair):
            if text not in symbols:
                symbols.append(text)
            references += varint(symbols.index(text))
        encoded += length_delimited(5, length_delimited(1, references) + rest)
    return b"".join(length_delimited(4, text.encode()) for text in symbols) + encoded


def v2_histogram(count=3, buckets=(1, 1)):
    """Schema 0, two buckets from index 1 on, a zero bucket with 1."""
    deltas = remote_write.zigzag(buckets[0]) + remote_write.zigzag(buckets[1] - buckets[0])
    return length_delimited(3, varint_field(1, count) + b"\x19" + double(5.0) + varint_field(4, 0) +
                            varint_field(6, 1) +
                            length_delimited(11, b"\x08" + remote_write.zigzag(1) + b"\x10\x02") +
                            length_delimited(12, deltas) + varint_field(15, NOW_MS))


def v2_exemplar(time_ms=NOW_MS, references=b""):
    return length_delimited(4, length_delimited(1, references) + b"\x11" + double(1.0) + b"\x18" +
                            varint(time_ms))


class ReceiverTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-receiver-")
        cls.addClassCleanup(folder.cleanup)
        cls.server = Server.ready(pathlib.Path(folder.name))
        cls.addClassCleanup(lambda: cls.server.alive and cls.server.kill())

    def post(self, body, headers):
        connection = http.client.HTTPConnection(self.server.address, timeout=60)
        self.addCleanup(connection.close)
        try:
            connection.request("POST", remote_write.PATH, body, headers)
        except BrokenPipeError:
            pass  # answered before the whole body was sent
        answer = connection.getresponse()
        text = answer.read().decode()
        written = [answer.headers[f"X-Prometheus-Remote-Write-{what}-Written"]
                   for what in ("Samples", "Histograms", "Exemplars")]
        return answer.status, written, text

    def check(self, name, body, headers, status, written=None, says=""):
        with self.subTest(name):
            got_status, got_written, text = self.post(body, headers)
            self.assertEqual(got_status, status, text)
            self.assertEqual(got_written, [None] * 3 if written is None else
                             [str(count) for count in written], text)
            self.assertIn(says, text)

    def test_what_is_no_request(self):
        good_1, good_2 = v1_series(), v2((UP, sample()))
        for content_type, status in {
                "application/json": 415, "text/plain": 415, "application/x-protobuf": 204,
                "application/x-protobuf;proto=io.prometheus.write.v3.Request": 415,
                "application/x-protobuf;proto=prometheus.WriteRequest": 204}.items():
            self.check(content_type, snappy(good_1), {**V1, "Content-Type": content_type}, status)
        for encoding in ("br", "lzma", "snappy, gzip"):
            self.check(encoding, snappy(good_1), {**V1, "Content-Encoding": encoding}, 415)
        nothing = [0, 0, 0]
        for name, damaged in {"not snappy": b"\xff" * 40, "snappy without its end": snappy(good_2)[:-5],
                              "not gzip": None}.items():
            headers = {"Content-Encoding": "gzip"} if damaged is None else {}
            damaged = damaged or b"\x1f\x8bxx"
            self.check(f"1.0, {name}", damaged, {**V1, **headers}, 400)
            self.check(f"2.0, {name}", damaged, {**V2, **headers}, 400, nothing)
        for name, damaged in {"no protobuf": b"\x0f\xff\xff", "without its end": good_1[:-4]}.items():
            self.check(f"1.0, {name}", snappy(damaged), V1, 400)
        for name, damaged in {"no protobuf": b"\x0f\xff\xff", "without its end": good_2[:-4]}.items():
            self.check(f"2.0, {name}", snappy(damaged), V2, 400, nothing)
        self.check("1.0, too big", b"\0" * TOO_LARGE, V1, 413)
        self.check("1.0, too big when decompressed", varint(TOO_LARGE) + b"\0" * 100, V1, 413)
        self.check("2.0, too big when decompressed", varint(TOO_LARGE) + b"\0" * 100, V2, 413, nothing)

    # Labels, and whether versions 1.0 and 2.0 accept them.
    LABELS = {
        "good": (UP, True, True),
        "not sorted": (UP[::-1], True, False),
        "twice": (UP + (("job", "k"),), False, False),
        "twice the same": (UP + (("job", "j"),), False, False),
        "an empty name": ((("", "x"),) + UP, False, False),
        "an empty value": (UP + (("rack", ""),), True, False),
        "no metric name": (UP[1:], False, False),
        "an empty metric name": ((("__name__", ""), ("job", "j")), False, False),
        "none": ((), False, False),
        "UTF-8": ((("__name__", "up.ü"), ("job.ü", "ü")), True, True),
    }

    def test_labels(self):
        for name, (labels, is_good_1, is_good_2) in self.LABELS.items():
            self.check(f"1.0, {name}", snappy(v1_series(labels)), V1, 204 if is_good_1 else 400)
            self.check(f"2.0, {name}", snappy(v2((labels, sample()))), V2, 204 if is_good_2 else 400,
                       [int(is_good_2), 0, 0])
        self.check("2.0, a name without a value",
                   snappy(length_delimited(4, b"") + length_delimited(4, b"__name__") +
                          length_delimited(5, length_delimited(1, b"\x01") + sample())),
                   V2, 400, [0, 0, 0])
        self.check("2.0, a symbol that is not there",
                   snappy(length_delimited(4, b"") + length_delimited(4, b"__name__") +
                          length_delimited(5, length_delimited(1, b"\x01\x07") + sample())),
                   V2, 400, [0, 0, 0])

    def test_what_is_bad_does_not_take_the_good_along(self):
        bad = UP[1:]
        self.check("1.0", snappy(v1_series(bad) + v1_series((("__name__", "partial_1"),))), V1, 400,
                   says="no metric name")
        self.check("2.0", snappy(v2((bad, sample()), ((("__name__", "partial_2"),),
                                                      sample() + v2_exemplar()))),
                   V2, 400, [1, 0, 1], "no metric name")
        stored = programs.ask(self.server.url, "query", query='count({__name__=~"partial_.*"})',
                              time=NOW_MS / 1000 + 1)["result"]
        self.assertEqual(stored[0]["value"][1], "2")

    def test_samples(self):
        old, far = sample(NOW_MS - 400 * DAY_MS), sample(NOW_MS + 2 * DAY_MS)
        for name, samples, good in (("too old", old, 0), ("too far ahead", far, 0),
                                    ("one of two too old", old + sample(), 1)):
            self.check(f"1.0, {name}", snappy(v1_series(UP, samples)), V1, 400)
            self.check(f"2.0, {name}", snappy(v2((UP, samples))), V2, 400, [good, 0, 0])
        again = sample(NOW_MS - 5000) + sample(NOW_MS - 9000)
        for name, samples in {"out of order": again, "again": again,
                              "another value": sample(NOW_MS - 5000, 2.0)}.items():
            self.check(f"1.0, {name}", snappy(v1_series(UP, samples)), V1, 204)
            count = 1 if name == "another value" else 2
            self.check(f"2.0, {name}", snappy(v2((UP, samples))), V2, 204, [count, 0, 0])
        stale = sample(NOW_MS, remote_write.STALE)
        self.check("2.0, stale", snappy(v2(((("__name__", "ended"),), stale))), V2, 204, [1, 0, 0])
        self.check("2.0, nothing", snappy(v2()), V2, 204, [0, 0, 0])
        self.check("1.0, nothing", snappy(b""), V1, 204)

    def test_histograms_and_exemplars(self):
        latency = (("__name__", "latency"),)
        self.check("a histogram", snappy(v2((latency, v2_histogram()))), V2, 204, [0, 1, 0])
        self.check("a count that is not that of the buckets", snappy(v2((latency, v2_histogram(99)))),
                   V2, 400, [0, 0, 0])
        self.check("a negative bucket", snappy(v2((latency, v2_histogram(buckets=(1, -1))))), V2, 400,
                   [0, 0, 0])
        steps = (("__name__", "steps"),)
        self.check("an exemplar", snappy(v2((steps, sample() + v2_exemplar()))), V2, 204, [1, 0, 1])
        self.check("an exemplar that is older than one before",
                   snappy(v2((steps, sample() + v2_exemplar(NOW_MS - 5000)))), V2, 400, [1, 0, 0])

    def test_published_checks(self):
        if not COMPLIANCE.exists():
            raise unittest.SkipTest(f"{COMPLIANCE} is missing: run "
                                    "'tools/build_remote_write_compliance.sh build/tools'")
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.yml"
            config.write_text(f"remote_write:\n- {{name: lockstep, url: {self.server.url}/api/v1/write}}\n")
            ran = subprocess.run([str(COMPLIANCE), "-test.v"], cwd=folder, capture_output=True,
                                 timeout=COMPLIANCE_WITHIN_S, text=True,
                                 env={**os.environ, "PROMETHEUS_RW2_COMPLIANCE_CONFIG_FILE": str(config)})
        # Nested tests: their parents fail with them.
        failed = {found[1] for found in re.finditer(r"--- FAIL: (\S+)/lockstep ", ran.stdout)}
        self.assertEqual(failed, READ_ALL_THE_SAME, ran.stdout[-4000:] + ran.stderr[-2000:])
        self.assertGreater(ran.stdout.count("--- PASS"), 50)


if __name__ == "__main__":
    unittest.main()
