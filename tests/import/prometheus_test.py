"""`lockstep import --from-prometheus` with a real Prometheus: everything it has is stored.

LOCKSTEP_PROGRAM names the program.
"""

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "support"))
import lockstep_server
import prometheus_server
import remote_write

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
IMPORT_WITHIN_S = 120
SERIES = 20
STEP_MS = 15_000
HOUR_MS = 3_600_000
# Not at the end of a slice, so that chunks extend beyond slices.
LENGTH_MS = 3 * HOUR_MS + 1234 * 1000


def content(start_ms):
    """Counters and gauges, with a stale marker at each end."""
    series = []
    for rank in range(SERIES):
        for name, value in (("steps_total", lambda i: i), ("loss", lambda i: 10 / (i + 1) + rank)):
            times = range(start_ms + rank * 7, start_ms + LENGTH_MS, STEP_MS)
            points = [(time_ms, float(value(i))) for i, time_ms in enumerate(times)]
            points[-1] = (points[-1][0], remote_write.STALE)
            series.append(({"__name__": name, "job": "j", "rank": str(rank)}, points))
    return series


class LimitedReceiver:
    """Accepts a number of writes and then no more."""

    def __init__(self, writes):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                receiver.left -= 1
                self.send_response(204 if receiver.left >= 0 else 403)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.left = writes
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class PrometheusImportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-import-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "source").mkdir()
        self.prometheus = prometheus_server.Prometheus(self.folder / "source")
        self.addCleanup(self.prometheus.stop)
        # Samples of a single request may be arbitrarily old.
        self.start_ms = int(time.time() * 1000) // HOUR_MS * HOUR_MS - 4 * HOUR_MS
        series = content(self.start_ms)
        request = urllib.request.Request(self.prometheus.url + remote_write.PATH, remote_write.body(series),
                                         remote_write.HEADERS, method="POST")
        urllib.request.urlopen(request, timeout=60).read()
        self.sample_count = sum(len(points) for _, points in series)

    def import_from(self, to, *arguments, status=0):
        result = subprocess.run([PROGRAM, "import", "--to", to, "--from-prometheus", self.prometheus.url,
                                 *arguments], capture_output=True, text=True, timeout=IMPORT_WITHIN_S,
                                cwd=self.folder)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def serve(self):
        server = lockstep_server.Server.ready(self.folder)
        self.addCleanup(server.stop)
        return server

    @staticmethod
    def samples(url, selector, time_ms):
        parameters = urllib.parse.urlencode({"query": f"{selector}[5h]", "time": time_ms / 1000})
        with urllib.request.urlopen(f"{url}/api/v1/query?{parameters}", timeout=60) as answer:
            result = json.load(answer)["data"]["result"]
        return {json.dumps(series["metric"], sort_keys=True): series["values"] for series in result}

    def test_all_that_it_has(self):
        server = self.serve()
        result = self.import_from(server.url, "--resume")
        self.assertIn(": remote read: ", result.stdout)
        end_ms = self.start_ms + LENGTH_MS
        for selector in ("steps_total", "loss"):
            expected = self.samples(self.prometheus.url, selector, end_ms)
            self.assertEqual(len(expected), SERIES)
            self.assertEqual(self.samples(server.url, selector, end_ms), expected)
        self.assertEqual(list(self.folder.glob("*.lockstep-offset")), [])

    def test_selectors_and_times(self):
        server = self.serve()
        start_s, end_s = self.start_ms // 1000 + 100, self.start_ms // 1000 + 5000
        dry = self.import_from(server.url, "--match", 'loss{rank="3"}', "--match", 'steps_total{rank=~"1|2"}',
                               "--start", str(start_s), "--end", str(end_s), "--dry-run")
        expected = sum(start_s * 1000 <= time_ms <= end_s * 1000
                       for labels, points in content(self.start_ms) for time_ms, _ in points
                       if (labels["__name__"], labels["rank"]) in
                       (("loss", "3"), ("steps_total", "1"), ("steps_total", "2")))
        self.assertIn(f" {expected} samples of 3 series", dry.stdout.replace(",", ""))
        self.assertEqual(self.samples(server.url, "loss", self.start_ms + LENGTH_MS), {})
        self.import_from(server.url, "--match", "loss{", "--start", "0", status=2)
        self.import_from(server.url, "--start", "yesterday", status=2)

    def test_goes_on_after_an_interruption(self):
        times = ("--match", '{job="j"}', "--resume", "--start", str(self.start_ms // 1000))
        read = re.compile(r"remote read: ([0-9,]+) samples")
        whole = LimitedReceiver(1 << 30)
        self.addCleanup(whole.stop)
        all_of_it = int(read.search(self.import_from(whole.url, *times[:2], *times[3:]).stdout)[1].replace(",", ""))
        self.assertEqual(all_of_it, self.sample_count)
        full = LimitedReceiver(2)
        self.addCleanup(full.stop)
        self.assertIn("403", self.import_from(full.url, *times, status=1).stderr)
        self.assertEqual(len(list(self.folder.glob("prometheus-*.lockstep-offset"))), 1)
        rest = int(read.search(self.import_from(whole.url, *times).stdout)[1].replace(",", ""))
        self.assertLess(rest, all_of_it)
        self.assertGreater(rest, 0)
        self.assertEqual(list(self.folder.glob("*.lockstep-offset")), [])

    def test_a_source_that_is_not_there(self):
        self.prometheus.stop()
        server = self.serve()
        result = self.import_from(server.url, "--start", "0", "--end", "10", status=1)
        self.assertIn("no answer from", result.stderr)


if __name__ == "__main__":
    unittest.main()
