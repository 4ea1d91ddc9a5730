"""Senders of InfluxDB line protocol: Telegraf's outputs for InfluxDB 1 and 2, and InfluxDB's client
for Python.

LOCKSTEP_PROGRAM names the server; `tools/build_telegraf.sh build/tools` builds Telegraf. What is
missing is skipped.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
import credentials
import programs
import pypi
import recording
from lockstep_server import Server

BEGIN_S, SPAN_S = 1795242035, 4
TELEGRAF = programs.ROOT / "build/tools/telegraf"
WITHIN_S = 120
TOKEN = "telegraf-token"
TELEGRAF_CONFIG = """
[agent]
  precision = "1ms"
  metric_batch_size = 500
  metric_buffer_limit = 1000000
  omit_hostname = true
[[inputs.file]]
  files = ["{lines}"]
  data_format = "influx"
"""
INFLUXDB_1 = """
[[outputs.influxdb]]
  urls = ["{url}"]
  database = "fleet"
"""
INFLUXDB_2 = """
[[outputs.influxdb_v2]]
  urls = ["{url}"]
  token = "{token}"
  organization = "lab"
  bucket = "fleet"
"""


def escaped(text):
    return "".join(f"\\{c}" if c in ", =" else c for c in text)


def line_protocol(series):
    """A field called value for each sample, and a text, which does not become one."""
    return "".join(
        ",".join([dict(labels)["__name__"], *(f"{name}={escaped(value)}" for name, value in labels if name != "__name__")]) +
        f' value={value!r},unit="a, \\"b\\" = c" {time_ms * 1_000_000}\n'
        for labels, samples in sorted(series.items()) for time_ms, value in samples)


class InfluxTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-influx-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, *flags):
        self.server = Server.ready(self.folder, "--storage.retention.time", "100y", *flags)
        self.addCleanup(lambda: self.server.alive and self.server.kill())

    def serve_with_roles(self):
        """A server where TOKEN may write and the token "reader" may read."""
        web = self.folder / "web.yml"
        web.write_text(f"lockstep_bearer_tokens:\n  telegraf: {{sha256: {credentials.digest(TOKEN)}}}\n"
                       f"  reader: {{sha256: {credentials.digest('reader')}}}\n"
                       "lockstep_roles:\n  - {token: telegraf, roles: [write]}\n  - {token: reader, roles: [read, metrics]}\n")
        self.serve("--web.config.file", str(web))

    def ask(self, path, **parameters):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        return connection.get(path, **parameters)

    def stored(self, selector, headers):
        found = programs.ask_as(self.server.url, headers, "query", query=f"{selector}[{SPAN_S}s]",
                                time=f"{BEGIN_S + SPAN_S - 0.001:.3f}")["result"]
        return {tuple(sorted(row["metric"].items())):
                [(round(time_s * 1000), float(value)) for time_s, value in row["values"]] for row in found}

    def run_telegraf(self, output, more_labels, headers):
        if not TELEGRAF.exists():
            raise unittest.SkipTest(f"{TELEGRAF} is missing: run 'tools/build_telegraf.sh build/tools'")
        series = recording.read(BEGIN_S, BEGIN_S + SPAN_S)
        self.assertGreater(len(series), 100)
        lines, config = self.folder / "recording.lines", self.folder / "telegraf.conf"
        lines.write_text(line_protocol(series))
        config.write_text(TELEGRAF_CONFIG.format(lines=lines) + output.format(url=self.server.url, token=TOKEN))
        telegraf = programs.Program(self.folder, "telegraf", [str(TELEGRAF), "--once", "--config", str(config)])
        self.addCleanup(lambda: telegraf.alive and telegraf.kill())
        self.assertEqual(telegraf.wait(), 0, telegraf.log[-2000:])
        self.assertNotIn(" E! ", telegraf.log)
        self.assertNotIn("creation failed", telegraf.log)
        expected = {tuple(sorted((*labels, *more_labels))): samples for labels, samples in series.items()}
        self.assertEqual(self.stored('{__name__!=""}', headers), expected)
        return sum(len(samples) for samples in series.values())

    def test_telegraf_for_influxdb_1(self):
        self.serve()
        count = self.run_telegraf(INFLUXDB_1, [("db", "fleet")], {})
        self.assertIn(f"\nlockstep_ingest_text_values_total {count}\n", self.ask("/metrics").text)

    def test_telegraf_for_influxdb_2(self):
        self.serve_with_roles()
        self.run_telegraf(INFLUXDB_2, [], credentials.bearer("reader"))

    def test_client_for_python(self):
        python = pypi.environment("clients", FOLDER / "client_requirements.txt")
        self.serve_with_roles()
        now_ms = int(time.time() * 1000)
        points = [["train step", {"job": "llm 7", "ra=nk": "3,4"}, {"loss": 2.25, "ok": True, "tokens": 2**53}, now_ms - 1000],
                  ["train step", {"job": "llm 7", "ra=nk": "3,4"}, {"loss": -1e-7, "note": 'a "quoted" \\ text'}, now_ms]]
        result = subprocess.run([str(python), str(FOLDER / "influx_sender.py")], capture_output=True, text=True, timeout=WITHIN_S,
                                input=json.dumps({"url": self.server.url, "token": TOKEN, "points": points}))
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        told = json.loads(result.stdout)
        self.assertEqual((told["ping"], told["health"]), (True, "pass"))
        self.assertEqual(told["refusal"]["status"], 400)
        self.assertIn("line 2: the field \"value\" has the value \"x\", which is not a number", told["refusal"]["message"])

        def values(query):
            found = programs.ask_as(self.server.url, credentials.bearer("reader"), "query", query=query)["result"]
            return [(row["metric"], [float(value) for _, value in row["values"]]) for row in found]
        labels = {"job": "llm 7", "ra_nk": "3,4"}
        self.assertEqual(values("train_step_loss[1m]"), [({"__name__": "train_step_loss", **labels}, [2.25, -1e-7])])
        self.assertEqual(values("train_step_ok[1m]"), [({"__name__": "train_step_ok", **labels}, [1])])
        self.assertEqual(values("train_step_tokens[1m]"), [({"__name__": "train_step_tokens", **labels}, [2**53])])
        self.assertEqual(values("good[1m]"), [({"__name__": "good"}, [1])])

    def test_wrong_tokens_are_refused(self):
        self.serve_with_roles()
        connection = self.server.connect()
        self.addCleanup(connection.close)
        for token, status in ((TOKEN, 204), ("reader", 403), ("other", 401)):
            with self.subTest(token=token):
                answer = connection.send("POST", "/api/v2/write?bucket=b", b"m value=1", {"Authorization": f"Token {token}"})
                self.assertEqual(answer.status, status)


if __name__ == "__main__":
    unittest.main()
