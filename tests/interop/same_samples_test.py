"""Recorded telemetry becomes the same samples, whichever protocol it is sent by.

LOCKSTEP_PROGRAM names the server.
"""

import http.server
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import otel_sdk
import otlp
import programs
import recording
import remote_write
import remote_write_v2
from lockstep_server import Server

# The first job of the run begins in this interval.
BEGIN_S, SPAN_S = 1795242030, 120
SERIES_IN_A_REQUEST = 100
GRPC_ADDRESS = re.compile(r"listening for OTLP over gRPC.*?(127\.0\.0\.1:[0-9]+)")
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
WITHIN_S = 60
# What a scrape adds to samples is removed again.
SCRAPE = """
global: {{scrape_interval: 1s}}
scrape_configs:
- job_name: a-scrape
  honor_labels: true
  static_configs: [{{targets: ['{address}']}}]
  metric_relabel_configs:
  - {{regex: instance, action: labeldrop}}
  - {{source_labels: [job], regex: a-scrape, target_label: job, replacement: ""}}
"""


class Page:
    """An exporter that returns the pages in turn, then the last one."""

    def __init__(self, pages):
        self.shown = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                body = pages[min(self.shown, len(pages) - 1)].encode()
                self.shown += 1
                handler.send_response(200)
                handler.send_header("Content-Type", OPENMETRICS)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class SameSamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.series = recording.read(BEGIN_S, BEGIN_S + SPAN_S)
        cls.expected = {tuple(sorted(labels)): samples for labels, samples in cls.series.items()}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-same-samples-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *flags):
        server = Server.ready(self.folder, "--storage.retention.time", "100y", *flags)
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def requests(self):
        """The recording in lists of ({name: value}, samples)."""
        pairs = [(dict(labels), samples) for labels, samples in self.series.items()]
        for begin in range(0, len(pairs), SERIES_IN_A_REQUEST):
            yield pairs[begin:begin + SERIES_IN_A_REQUEST]

    def post(self, server, path, body, headers):
        request = urllib.request.Request(server.url + path, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
            self.assertIn(answer.status, (200, 204))
            return answer.headers

    def stored(self, server):
        # Ranges exclude their beginning.
        found = programs.ask(server.url, "query", query=f'{{__name__!=""}}[{SPAN_S}s]',
                             time=f"{BEGIN_S + SPAN_S - 0.001:.3f}")["result"]
        return {tuple(sorted(row["metric"].items())):
                [(round(time_s * 1000), float(value)) for time_s, value in row["values"]]
                for row in found if "scrape" not in row["metric"].get("job", "")}

    def check(self, server):
        stored = self.stored(server)
        self.assertGreater(len(stored), 200)
        self.assertEqual(sorted(stored), sorted(self.expected))
        self.assertEqual(stored, self.expected)

    def test_remote_write_1(self):
        server = self.start()
        for series in self.requests():
            self.post(server, "/api/v1/write", remote_write.body(series), remote_write.HEADERS)
        self.check(server)

    def test_remote_write_2(self):
        server = self.start()
        written = 0
        for series in self.requests():
            answer = self.post(server, "/api/v1/write", remote_write_v2.body(series),
                               remote_write_v2.HEADERS)
            written += int(answer["X-Prometheus-Remote-Write-Samples-Written"])
        self.assertEqual(written, sum(map(len, self.expected.values())))
        self.check(server)

    def test_otlp_protobuf(self):
        server = self.start()
        for series in self.requests():
            self.post(server, "/v1/metrics", otlp.protobuf(series),
                      {"Content-Type": "application/x-protobuf"})
        self.check(server)

    def test_otlp_json(self):
        server = self.start()
        for series in self.requests():
            self.post(server, "/v1/metrics", json.dumps(otlp.json_object(series)).encode(),
                      {"Content-Type": "application/json"})
        self.check(server)

    def test_otlp_grpc(self):
        python = otel_sdk.python()
        server = self.start("--otlp-grpc", "127.0.0.1:0")
        messages = [otlp.protobuf(series) for series in self.requests()]
        called = subprocess.run(
            [str(python), "-P", str(pathlib.Path(__file__).with_name("grpc_call.py")),
             GRPC_ADDRESS.search(server.log)[1], otlp.GRPC_METHOD],
            input=b"".join(struct.pack("<I", len(one)) + one for one in messages),
            capture_output=True, timeout=WITHIN_S)
        self.assertEqual(called.returncode, 0, called.stderr.decode(errors="replace"))
        # No response reports partial success.
        self.assertEqual(called.stdout, b"\n" * len(messages))
        self.check(server)

    def test_import(self):
        server = self.start()
        path = self.folder / "recording.om"
        path.write_text(recording.openmetrics(self.series))
        subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "import", "--to", server.url, str(path)],
                       check=True, capture_output=True, timeout=WITHIN_S)
        self.check(server)

    def test_scrape(self):
        half_ms = (BEGIN_S + SPAN_S // 2) * 1000
        halves = [{labels: [sample for sample in samples if (sample[0] < half_ms) == is_first]
                   for labels, samples in self.series.items()} for is_first in (True, False)]
        page = Page([recording.openmetrics(half) for half in halves])
        self.addCleanup(page.close)
        config = self.folder / "lockstep.yml"
        config.write_text(SCRAPE.format(address=page.address))
        server = self.start("--config", str(config))
        programs.wait_until(lambda: page.shown >= len(halves) and
                            len(self.stored(server)) == len(self.expected), "all is scraped", WITHIN_S)
        programs.wait_until(lambda: self.stored(server) == self.expected or page.shown >= 6,
                            "all is stored", WITHIN_S)
        self.check(server)


if __name__ == "__main__":
    unittest.main()
