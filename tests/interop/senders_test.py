"""Common senders: lockstep has the samples that they were given.

LOCKSTEP_PROGRAM names the server. vmagent is among the peers of `./dev setup test`;
`tools/build_telegraf.sh build/tools` builds Telegraf. What is missing is skipped.
"""

import decimal
import http.server
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import recording
from lockstep_server import Server

BEGIN_S, SPAN_S = 1795242035, 20
# For one sample per request.
SPAN_OF_SINGLE_SAMPLES_S = 4
TELEGRAF = programs.ROOT / "build/tools/telegraf"
WITHIN_S = 120

VMAGENT = """
scrape_configs:
- job_name: recording
  scrape_interval: 1s
  honor_labels: true
  honor_timestamps: true
  static_configs: [{{targets: ['{address}']}}]
  metric_relabel_configs:
  - {{regex: instance, action: labeldrop}}
  - {{source_labels: [job], regex: recording, target_label: job, replacement: ""}}
"""
# A request has one time per series: Telegraf keeps only the last one.
TELEGRAF_CONFIG = """
[agent]
  precision = "1ms"
  metric_batch_size = 1000
  metric_buffer_limit = 1000000
  omit_hostname = true
[[inputs.file]]
  files = ["{text}"]
  data_format = "prometheus"
[[outputs.http]]
  url = "{url}/api/v1/write"
  data_format = "prometheusremotewrite"
  use_batch_format = false
  [outputs.http.headers]
    Content-Type = "application/x-protobuf"
    Content-Encoding = "snappy"
    X-Prometheus-Remote-Write-Version = "0.1.0"
"""


def exposition(series):
    """In Prometheus' text format, whose times are in milliseconds.

    Numbers have no exponents, because vmagent parses those with an error in the last bit.
    """
    lines = []
    for labels, samples in sorted(series.items()):
        told = ",".join(f'{name}="{value}"' for name, value in labels[1:])
        lines += [f"{labels[0][1]}{{{told}}} {decimal.Decimal(repr(value)):f} {time_ms}\n"
                  for time_ms, value in samples]
    return "".join(lines)


class SendersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-senders-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server.ready(self.folder, "--storage.retention.time", "100y")
        self.addCleanup(lambda: self.server.alive and self.server.kill())

    def read(self, span_s):
        self.series = recording.read(BEGIN_S, BEGIN_S + span_s)
        self.expected = {tuple(sorted(labels)): samples for labels, samples in self.series.items()}

    def show(self, text):
        """The address of an exporter that returns `text`."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        exporter = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        exporter.daemon_threads = True
        threading.Thread(target=exporter.serve_forever, daemon=True).start()
        self.addCleanup(exporter.server_close)
        self.addCleanup(exporter.shutdown)
        return f"127.0.0.1:{exporter.server_address[1]}"

    def run_program(self, name, arguments):
        program = programs.Program(self.folder, name, arguments)
        self.addCleanup(lambda: program.alive and program.kill())
        return program

    def stored(self):
        found = programs.ask(self.server.url, "query", query=f'{{__name__!=""}}[{SPAN_S}s]',
                             time=f"{BEGIN_S + SPAN_S - 0.001:.3f}")["result"]
        return {tuple(sorted(row["metric"].items())):
                [(round(time_s * 1000), float(value)) for time_s, value in row["values"]]
                for row in found}

    def check(self, sender):
        self.assertGreater(len(self.expected), 100)
        try:
            programs.wait_until(lambda: self.stored() == self.expected, "all is stored", WITHIN_S)
        except TimeoutError:
            self.assertEqual(sorted(self.stored()), sorted(self.expected), sender.log[-2000:])
            self.assertEqual(self.stored(), self.expected, sender.log[-2000:])

    def vmagent(self, *flags):
        program = programs.find_peer("vmagent")
        self.read(SPAN_S)
        config = self.folder / "vmagent.yml"
        config.write_text(VMAGENT.format(address=self.show(exposition(self.series).encode())))
        self.check(self.run_program("vmagent", [
            program, f"-promscrape.config={config}", "-httpListenAddr=127.0.0.1:0",
            f"-remoteWrite.url={self.server.url}/api/v1/write", "-remoteWrite.flushInterval=1s",
            f"-remoteWrite.tmpDataPath={self.folder / 'vmagent-data'}", *flags]))

    def test_vmagent_by_its_own_protocol(self):
        # Zstandard instead of snappy.
        self.vmagent("-remoteWrite.forceVMProto")

    def test_vmagent_by_that_of_prometheus(self):
        self.vmagent("-remoteWrite.forcePromProto")

    def test_vmagent_that_chooses(self):
        self.vmagent()

    def test_telegraf(self):
        if not TELEGRAF.exists():
            raise unittest.SkipTest(
                f"{TELEGRAF} is missing: run 'tools/build_telegraf.sh build/tools'")
        self.read(SPAN_OF_SINGLE_SAMPLES_S)
        text, config = self.folder / "recording.prom", self.folder / "telegraf.conf"
        text.write_text(exposition(self.series))
        config.write_text(TELEGRAF_CONFIG.format(text=text, url=self.server.url))
        self.check(self.run_program("telegraf", [str(TELEGRAF), "--once", "--config", str(config)]))


if __name__ == "__main__":
    unittest.main()
