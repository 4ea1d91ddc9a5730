"""JSON lines go from lockstep to VictoriaMetrics and back, and Prometheus' text format is imported
unchanged.

LOCKSTEP_PROGRAM names the server; VictoriaMetrics is among the peers of `./dev setup test`. What is
missing is skipped.
"""

import json
import math
import pathlib
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import recording
import remote_write
from lockstep_server import Server

BEGIN_S, SPAN_S = 1795242035, 20
WITHIN_S = 120
EVERYTHING = urllib.parse.urlencode({"match[]": '{__name__!=""}', "start": BEGIN_S, "end": BEGIN_S + SPAN_S})


def export(url):
    with urllib.request.urlopen(f"{url}/api/v1/export?{EVERYTHING}", timeout=WITHIN_S) as answer:
        return answer.read()


def samples(lines):
    """The samples of each series; infinities as texts, NaN as None."""
    series = {}
    for line in lines.splitlines():
        row = json.loads(line)
        series.setdefault(tuple(sorted(row["metric"].items())), []).extend(zip(row["timestamps"], row["values"], strict=True))
    return {labels: sorted(found, key=lambda sample: sample[0]) for labels, found in series.items()}


def about_equal(one, other):
    numbers = (int, float)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return math.isclose(one, other, rel_tol=1e-12)
    return one == other


class JsonLinesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-json-lines-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, name):
        (self.folder / name).mkdir()
        server = Server.ready(self.folder / name, "--storage.retention.time", "100y")
        self.addCleanup(server.kill)
        return server

    def post(self, url, path, body, encoding=None):
        headers = {"Content-Type": "text/plain"} | ({"Content-Encoding": encoding} if encoding else {})
        with urllib.request.urlopen(urllib.request.Request(f"{url}{path}", body, headers), timeout=WITHIN_S) as answer:
            self.assertEqual(answer.status, 204)

    def filled(self, *more_values):
        """A server with a recording, and a series with values and labels that are hard to encode."""
        server = self.serve("from")
        series = [(dict(labels), found) for labels, found in recording.read(BEGIN_S, BEGIN_S + SPAN_S).items()]
        self.assertGreater(len(series), 100)
        words = [math.inf, -math.inf, 1e300, -0.0, *more_values]
        series.append(({"__name__": "words", "text": 'a "b" \\ \n ä'},
                       [((BEGIN_S + i) * 1000, value) for i, value in enumerate(words)]))
        connection = server.connect()
        self.addCleanup(connection.close)
        self.assertEqual(connection.write(series).status, 204)
        return server

    def test_an_export_is_imported_as_it_was(self):
        lines = export(self.filled(5e-324, math.nan, remote_write.STALE).url)
        self.assertIn(b'"NaN",null]', lines)
        other = self.serve("to")
        self.post(other.url, "/api/v1/import", lines)
        self.assertEqual(export(other.url), lines)

    def test_there_and_back(self):
        # VictoriaMetrics does not keep NaN, or values close to zero.
        program = programs.find_peer("victoria-metrics")
        server = self.filled()
        lines = export(server.url)
        address = programs.free_address()
        peer = programs.Program(self.folder, "victoria-metrics",
                                [program, f"-httpListenAddr={address}", f"-storageDataPath={self.folder / 'vm'}",
                                 "-retentionPeriod=100y", "-search.latencyOffset=0s"])
        self.addCleanup(lambda: peer.alive and peer.kill())

        def is_up():
            try:
                return urllib.request.urlopen(f"http://{address}/health", timeout=5).status == 200
            except OSError:
                return False
        programs.wait_until(is_up, "VictoriaMetrics is up", WITHIN_S)
        self.post(f"http://{address}", "/api/v1/import", lines)
        expected = samples(lines)
        there = programs.wait_until(
            lambda: (found := samples(export(f"http://{address}"))) and len(found) == len(expected) and found,
            "VictoriaMetrics has it", WITHIN_S)
        back = self.serve("back")
        self.post(back.url, "/api/v1/import", export(f"http://{address}"))
        for found in (there, samples(export(back.url))):
            self.assertEqual(sorted(found), sorted(expected))
            for labels, of_series in expected.items():
                self.assertEqual([time_ms for time_ms, _ in found[labels]], [time_ms for time_ms, _ in of_series], labels)
                for (_, one), (_, other) in zip(found[labels], of_series, strict=True):
                    self.assertTrue(about_equal(one, other), (labels, one, other))

    def test_text_of_prometheus(self):
        server = self.serve("text")
        text = f'# HELP up Whether it is.\n# TYPE up gauge\nup{{job="a"}} 1 {BEGIN_S * 1000}\nup{{job="b"}} 0 {BEGIN_S * 1000}\n'
        self.post(server.url, "/api/v1/import/prometheus?extra_label=site=x", text.encode())
        self.assertEqual(samples(export(server.url)),
                         {(("__name__", "up"), ("job", job), ("site", "x")): [(BEGIN_S * 1000, value)]
                          for job, value in (("a", 1), ("b", 0))})


if __name__ == "__main__":
    unittest.main()
