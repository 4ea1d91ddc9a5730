"""What docs/sending says about Telegraf, a Pushgateway, VictoriaMetrics and Datadog is true: the
configurations, programs and lines on the pages, with only addresses and times replaced, produce the
series in the pages' tables.

LOCKSTEP_PROGRAM names the server. `tools/build_telegraf.sh build/tools` builds Telegraf, clients
come from PyPI. What is missing is skipped.
"""

import json
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import programs
import pypi
from lockstep_server import Server

PAGES = ROOT / "docs/sending"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
TELEGRAF = ROOT / "build/tools/telegraf"
WITHIN_S = 120
TIME_OF_PAGES_S = 1795242060


def blocks(page, kind):
    return [content for one, content in BLOCK.findall((PAGES / f"{page}.md").read_text()) if one == kind]


class OtherSendersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-docs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server.ready(self.folder, "--storage.retention.time", "100y")
        self.addCleanup(self.server.kill)
        self.now_s = int(time.time())

    def here(self, text):
        """A snippet of a page, adapted to this server and time."""
        self.assertIn("http://lockstep.example:9009", text)
        return text.replace("http://lockstep.example:9009", self.server.url).replace(str(TIME_OF_PAGES_S), str(self.now_s))

    def values(self, query):
        found = programs.ask(self.server.url, "query", query=query)["result"]
        return {tuple(sorted(row["metric"].items())): float(row["value"][1]) for row in found}

    def await_values(self, query, expected, sender):
        try:
            programs.wait_until(lambda: self.values(query) == expected, query, WITHIN_S)
        except TimeoutError:
            self.assertEqual(self.values(query), expected, sender.log[-2000:])

    def telegraf(self, config, *flags):
        if not TELEGRAF.exists():
            raise unittest.SkipTest(f"{TELEGRAF} is missing: run 'tools/build_telegraf.sh build/tools'")
        path = self.folder / "telegraf.conf"
        path.write_text('[agent]\n  omit_hostname = true\n  interval = "1s"\n  flush_interval = "1s"\n' + config)
        program = programs.Program(self.folder, "telegraf", [str(TELEGRAF), *flags, "--config", str(path)])
        self.addCleanup(lambda: program.alive and program.kill())
        return program

    def test_outputs_of_telegraf(self):
        lines = self.folder / "lines"
        first, second = blocks("influxdb", "toml")
        for i, (block, labels) in enumerate(((first, []), (second, [("db", "telegraf")]))):
            with self.subTest(block=block):
                lines.write_text(f'cpu,host=n{i} usage_idle=97.5,procs=3i,ok=t,note="x" {self.now_s * 10**9}\n')
                program = self.telegraf(f'[[inputs.file]]\n  files = ["{lines}"]\n  data_format = "influx"\n' + self.here(block),
                                        "--once")
                self.assertEqual(program.wait(), 0, program.log[-2000:])
                self.assertEqual(self.values(f'{{host="n{i}"}}'), {
                    tuple(sorted((("__name__", name), ("host", f"n{i}"), *labels))): value
                    for name, value in (("cpu_usage_idle", 97.5), ("cpu_procs", 3), ("cpu_ok", 1))})

    def post(self, command):
        """What curl would send."""
        words = shlex.split(self.here(command))
        [url] = [word for word in words if word.startswith("http")]
        body = words[words.index("--data-binary") + 1]
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        with urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers), timeout=60) as answer:
            self.assertLess(answer.status, 300)

    def test_line_of_the_page_on_influxdb(self):
        [command] = blocks("influxdb", "")
        self.post(command)
        self.assertEqual(self.values("cpu_usage_idle"), {(("__name__", "cpu_usage_idle"), ("host", "n1")): 97.5})

    def test_line_of_the_page_on_victoriametrics(self):
        [line] = blocks("victoriametrics", "json")
        with urllib.request.urlopen(urllib.request.Request(f"{self.server.url}/api/v1/import", line.encode()), timeout=60) as answer:
            self.assertEqual(answer.status, 204)
        with urllib.request.urlopen(f"{self.server.url}/api/v1/export?match[]=up", timeout=60) as answer:
            self.assertEqual(json.load(answer), json.loads(line))

    def run_python(self, page):
        [program] = blocks(page, "python")
        python = pypi.environment("clients", ROOT / "tests/interop/client_requirements.txt")
        result = subprocess.run([str(python), "-c", self.here(program)], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_page_on_a_pushgateway(self):
        self.run_python("pushgateway")
        labels = (("__name__", "dataset_rows"), ("instance", "n1"), ("job", "tokenize"))
        self.assertEqual(self.values("dataset_rows"), {labels: 1.2e9})
        self.assertEqual(self.values('time() - last_over_time(push_time_seconds{job="tokenize"}[2d]) > 86400'), {})
        [command] = blocks("pushgateway", "")
        text, _, curl = command.partition("|")
        words = shlex.split(self.here(curl))
        body = shlex.split(text)[1] + "\n"
        request = urllib.request.Request(words[-1], body.replace("1.2e9", "7").encode(), method=words[words.index("-X") + 1])
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.assertEqual(answer.status, 200)
        self.assertEqual(self.values("dataset_rows"), {labels: 7})

    def test_page_on_datadog(self):
        self.run_python("datadog")
        self.assertEqual(self.values('{"train.loss"}'),
                         {(("__name__", "train.loss"), ("host", "n1"), ("job", "pretrain-7")): 2.25})

    def test_graphite_and_statsd_by_telegraf(self):
        [block] = blocks("graphite-statsd", "toml")
        graphite, statsd = programs.free_address(), programs.free_address()
        config = self.here(block).replace("tcp://:2003", f"tcp://{graphite}").replace('":8125"', f'"{statsd}"')
        program = self.telegraf(config)
        programs.wait_until(lambda: program.log.count("Listening on") + program.log.count("UDP listening on") >= 2,
                            "Telegraf listens", WITHIN_S)
        page = (PAGES / "graphite-statsd.md").read_text()
        lines = re.findall(r"^\| `([^`]+ %d)` " % TIME_OF_PAGES_S, page, re.M)
        self.assertEqual(len(lines), 2)
        with socket.create_connection(tuple(graphite.split(":"))) as connection:
            for line in lines:
                connection.sendall(line.replace(str(TIME_OF_PAGES_S), str(self.now_s)).encode() + b"\n")
        sent = [line.replace("&#124;", "|") for line in re.findall(r"<code>(.*?)</code>", page)]
        self.assertEqual(len(sent), 3)
        host, port = statsd.split(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for line in sent:
                sender.sendto(line.encode(), (host, int(port)))
        for query, labels, value in (
                ("load_shortterm", [("host", "n1")], 1.5), ("queue_depth", [], 7),
                ("train_steps", [("job", "pretrain-7"), ("metric_type", "counter")], 5),
                ("train_loss", [("metric_type", "gauge")], 2.25), ("step_time_mean", [("metric_type", "timing")], 320),
                ("step_time_upper", [("metric_type", "timing")], 320), ("step_time_count", [("metric_type", "timing")], 1)):
            self.await_values(query, {tuple(sorted((("__name__", query), *labels))): value}, program)


if __name__ == "__main__":
    unittest.main()
