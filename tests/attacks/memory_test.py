"""Small requests that would expand to gigabytes: each is answered as docs/limits.md says, within
limited memory, while other clients are served.
"""

import gzip
import http.client
import json
import os
import pathlib
import struct
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import lockstep_server
import memory_group
import remote_write
from remote_write import length_delimited

MIB = 1 << 20
LIMIT = 256 * MIB
# The budget, plus the program and its store, plus what allocators keep.
MAX_RESIDENT = 640 * MIB
GROUP = 1024 * MIB
PROTOBUF = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
REFUSED = (413, 422, 503)


def key_value(key, text):
    return length_delimited(1, key.encode()) + length_delimited(2, length_delimited(1, text.encode()))


class PoliteClient(threading.Thread):
    """Sends small queries and writes in turn until stopped."""

    def __init__(self, address):
        super().__init__()
        self._address = address
        self._is_over = threading.Event()
        self.answers = []

    def run(self):
        while not self._is_over.is_set():
            connection = lockstep_server.Connection(self._address)
            try:
                now_ms = int(time.time() * 1000)
                self.answers.append(connection.write([({"__name__": "polite"}, [(now_ms, 1.0)])]).status)
                self.answers.append(connection.get("/api/v1/query", query="polite").status)
            except (OSError, http.client.HTTPException) as error:
                self.answers.append(repr(error))
            finally:
                connection.close()

    def stop(self):
        self._is_over.set()
        self.join()


class MemoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-attack-")
        self.addCleanup(folder.cleanup)
        group = memory_group.MemoryGroup(f"lockstep-test-{os.getpid()}", GROUP)
        self.addCleanup(group.close)
        self.server = lockstep_server.Server.ready(pathlib.Path(folder.name), "--memory-limit", f"{LIMIT // MIB}MB")
        self.addCleanup(self.server.kill)
        group.add(self.server.pid)
        self.polite = PoliteClient(self.server.address)
        self.polite.start()

    def tearDown(self):
        self.polite.stop()
        self.assertGreater(len(self.polite.answers), 1)
        self.assertLessEqual(set(self.polite.answers), {200, 204}, self.polite.answers)
        self.assertLess(self.peak_bytes(), MAX_RESIDENT)

    def peak_bytes(self):
        for line in pathlib.Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("the server is gone")

    def post(self, path, body, headers=None):
        connection = http.client.HTTPConnection(self.server.address, timeout=60)
        try:
            connection.request("POST", path, body, headers or {})
            return lockstep_server.Answer(connection.getresponse())
        finally:
            connection.close()

    def query(self, text, **parameters):
        return self.post("/api/v1/query", urllib.parse.urlencode({"query": text, **parameters}), FORM)

    def at_once(self, count, act):
        """The answers of `count` concurrent calls of act(number)."""
        answers = [None] * count

        def run(number):
            answers[number] = act(number)
        threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def account(self, name):
        connection = lockstep_server.Connection(self.server.address)
        accounts = json.loads(connection.get("/api/v1/status/memory").body)["data"]["accounts"]
        connection.close()
        return next(account for account in accounts if account["account"] == name)

    def otlp(self, job, points):
        resource = length_delimited(1, length_delimited(1, key_value("service.name", job)))
        time_ns = b"\x19" + struct.pack("<Q", time.time_ns())
        data = b"".join(
            length_delimited(1, time_ns + b"\x21" + struct.pack("<d", 1) +
                             length_delimited(7, key_value("i", str(i)))) for i in range(points))
        metric = length_delimited(1, b"g") + length_delimited(5, data)
        return self.post("/v1/metrics", gzip.compress(length_delimited(1, resource + length_delimited(2, length_delimited(2, metric)))),
                         PROTOBUF)

    def test_labels_of_a_resource_on_every_point(self):
        answer = self.otlp("j" * 100_000, 5_000)
        self.assertEqual(answer.status, 200)
        self.assertIn("longer than the limit of 2048", answer.text)
        answer = self.otlp("j" * 2_000, 50_000)
        self.assertEqual(answer.status, 413)
        self.assertIn("limit", answer.text)
        self.assertEqual(self.otlp("j" * 60, 10_000).status, 200)

    def test_a_symbol_that_many_series_name(self):
        count = 30_000
        texts = ["", "__name__", "s", "t" * 2000, "z"] + [f"k{i:02}" for i in range(50)] + [str(i) for i in range(count)]
        body = b"".join(length_delimited(4, text.encode()) for text in texts)
        long_labels = b"".join(bytes((5 + i, 3)) for i in range(50))
        sample = b"\x09" + struct.pack("<d", 1) + b"\x10" + remote_write.varint(int(time.time() * 1000))
        for i in range(count):
            references = b"\x01\x02" + long_labels + b"\x04" + remote_write.varint(55 + i)
            body += length_delimited(5, length_delimited(1, references) + length_delimited(2, sample))
        answer = self.post("/api/v1/write", gzip.compress(body),
                           {"Content-Type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
                            "Content-Encoding": "gzip"})
        self.assertEqual(answer.status, 413, answer.text)
        self.assertIn("limit of", answer.text)

    def test_bodies_that_unpack_to_much(self):
        zeros = gzip.compress(bytes(31 * MIB))
        for answer in self.at_once(8, lambda _: self.post("/api/v1/write", zeros, PROTOBUF)):
            self.assertIn(answer.status, (400, 413, 503), answer.text)
        # Samples of two bytes.
        empty = gzip.compress(length_delimited(1, b"\x0a\x0d\x0a\x08__name__\x12\x01a" + b"\x12\x00" * (12 * MIB)))
        self.assertEqual(self.post("/api/v1/write", empty, PROTOBUF).status, 413)

    def test_a_long_job_for_many_values(self):
        values = ",".join(f'"k{i}":1' for i in range(1000))
        lines = "\n".join(f'{{"job":"{"j" * 900_000}{i}","step":{i},{values}}}' for i in range(4))
        answer = self.post("/api/v1/push/steps", gzip.compress(lines.encode()), {"Content-Encoding": "gzip"})
        self.assertEqual(answer.status, 400)
        self.assertIn("longer than the limit of 2048", answer.text)
        answer = self.post("/api/v1/push/steps", b'{"job":"a","step":1,"loss":2}\n')
        self.assertEqual(answer.status, 200, answer.text)

    def test_streams_with_a_document_that_does_not_end(self):
        opened = gzip.compress(b'{"log_history":[\n' + b'{"step":1,"loss":2.0},\n' * 300_000)
        for i in range(40):
            answer = self.post(f"/api/v1/push/log?format=hf_trainer_state&job=a&stream=s{i}", opened,
                               {"Content-Encoding": "gzip"})
            self.assertIn(answer.status, (200, 503), answer.text)
        streams = self.account("streams")
        self.assertLessEqual(streams["heldBytes"], streams["limitBytes"])

    def test_exemplars_of_long_labels(self):
        for batch in range(20):
            body = b"".join(
                length_delimited(1, remote_write.label("__name__", "e") + remote_write.label("x", "a" * 2000 + f"{batch}.{i}") +
                                 length_delimited(3, remote_write.label("t", "1") + b"\x11" + struct.pack("<d", 1) + b"\x18" +
                                                  remote_write.varint(int(time.time() * 1000)))) for i in range(1000))
            self.assertEqual(self.post("/api/v1/write", gzip.compress(body), PROTOBUF).status, 204)
        exemplars = self.account("exemplars")
        self.assertLessEqual(exemplars["heldBytes"], exemplars["limitBytes"])
        self.assertGreater(exemplars["heldBytes"], 0)

    def test_texts_that_a_query_makes_long(self):
        replaced = joined = "vector(1)"
        names = ",".join(['"a"', '"b"'] * 25)
        for _ in range(6):
            replaced = 'label_replace(%s,"a","%s","a","(.*)")' % (replaced, "${1}x" * 40)
            joined = 'label_join(label_replace(%s,"b","x","",""),"a","-",%s)' % (joined, names)
        for text in (replaced, joined):
            answer = self.query(text)
            self.assertEqual(answer.status, 422, answer.text[:200])
            self.assertIn("more than the limit of 65536", answer.text)
        answer = self.query('count_over_time(count_values("v", vector(time()))[3000000s:1s])')
        self.assertIn(answer.status, REFUSED, answer.text[:200])

    def test_queries_that_are_large_together(self):
        answers = self.at_once(8, lambda _: self.query("mad_over_time(vector(1)[1500000s:1s])", timeout="20s"))
        for answer in answers:
            self.assertIn(answer.status, (200, 422, 503), answer.text[:200])
            if answer.status == 503:
                self.assertTrue(answer.headers["Retry-After"] or "timed out" in answer.text)
        self.assertIn("memory-limit", "".join(answer.text for answer in answers))

    def test_regular_expressions_that_take_long(self):
        selector = ",".join(f'a=~"\\\\pL{{30}}{i}"' for i in range(400))
        answer = self.query(f"x{{{selector}}}", timeout="1s")
        self.assertIn(answer.status, REFUSED, answer.text[:200])

    def test_forms_and_texts_that_are_too_long(self):
        self.assertEqual(self.post("/api/v1/query", b"a&" * 4_000_000, FORM).status, 413)
        self.assertEqual(self.post("/api/v1/query", b"a=1&" * 1100, FORM).status, 413)
        shortest = "count(polite)"
        self.assertEqual(self.query(shortest + " " * (16384 - len(shortest))).status, 200)
        answer = self.query(shortest + " " * (16385 - len(shortest)))
        self.assertEqual(answer.status, 422)
        self.assertIn("query.max-length", answer.text)


if __name__ == "__main__":
    unittest.main()
