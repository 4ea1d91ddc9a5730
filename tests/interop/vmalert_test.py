"""vmalert and vmctl work with lockstep as with VictoriaMetrics: vmalert evaluates its rules and
keeps its state there, and restores it after it was killed; vmctl uses remote read and writes JSON
lines.

LOCKSTEP_PROGRAM names the server. All three programs of VictoriaMetrics are among the peers of
`./dev setup test`; without them the tests are skipped.
"""

import datetime
import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
from lockstep_server import Server

WITHIN_S = 120
COPIED_WITHIN_S = 30
RULES = """
groups:
- name: gpus
  interval: 1s
  rules:
  - record: job:gpu_temperature:max
    expr: max by (job) (gpu_temperature)
  - alert: GpuIsHot
    expr: gpu_temperature > 80
    labels: {severity: page}
    annotations: {summary: "{{ $labels.gpu }} has {{ $value }} degrees"}
  - alert: GpuStaysHot
    expr: gpu_temperature > 80
    for: 1h
"""
COPIED_START_S = 1_700_000_000
COPIED = [
    (
        {"__name__": "train_loss", "job": "llm", "rank": str(rank)},
        [((COPIED_START_S + 15 * i) * 1000, 2.5 * i + rank / 8) for i in range(500)],
    )
    for rank in range(8)
]


class Receiver:
    """Receives alerts like an Alertmanager; `alerts` is a queue of them."""

    def __init__(self):
        self.alerts = queue.Queue()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                for alert in json.loads(body):
                    receiver.alerts.put(alert)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Setting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-vmalert-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server.ready(self.folder, "--storage.retention.time", "100y")
        self.addCleanup(self.server.kill)
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def query(self, text, **parameters):
        return programs.ask(self.server.url, "query", query=text, **parameters)["result"]


class VmalertTest(Setting):
    def setUp(self):
        super().setUp()
        self.program = programs.find_peer("vmalert")
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        (self.folder / "rules.yml").write_text(RULES)

    def start(self):
        address = programs.free_address()
        vmalert = programs.Listener(
            self.folder,
            "vmalert",
            [
                self.program,
                f"-rule={self.folder / 'rules.yml'}",
                f"-datasource.url={self.server.url}",
                f"-remoteWrite.url={self.server.url}",
                f"-remoteRead.url={self.server.url}",
                f"-notifier.url={self.receiver.url}",
                f"-httpListenAddr={address}",
                "-remoteWrite.flushInterval=1s",
                # Otherwise rules are evaluated half a minute in the past.
                "-rule.evalDelay=0s",
            ],
            address,
            "/health",
        )
        self.addCleanup(lambda: vmalert.alive and vmalert.kill())
        return vmalert

    def heat(self, degrees):
        labels = {"__name__": "gpu_temperature", "job": "llm", "gpu": "3"}
        self.assertTrue(self.connection.write([(labels, [(int(time.time() * 1000), degrees)])]).stored)

    def alert(self, vmalert, name):
        """vmalert's view of an alert; None until it knows it."""
        with urllib.request.urlopen(vmalert.url + "/api/v1/alerts", timeout=60) as answer:
            found = [a for a in json.load(answer)["data"]["alerts"] if a["name"] == name]
        return found[0] if found else None

    def test_alerts_reach_the_notifier_and_rules_are_recorded(self):
        self.heat(90.5)
        vmalert = self.start()
        alert = self.receiver.alerts.get(timeout=WITHIN_S)
        self.assertEqual(alert["labels"], {
            "alertgroup": "gpus", "alertname": "GpuIsHot", "gpu": "3", "job": "llm", "severity": "page"})
        self.assertEqual(alert["annotations"], {"summary": "3 has 90.5 degrees"})
        programs.wait_until(
            lambda: self.query("job:gpu_temperature:max"), "the rule is recorded", WITHIN_S)
        states = programs.wait_until(
            lambda: self.query('ALERTS{alertname="GpuIsHot"}'), "the state is kept", WITHIN_S)
        self.assertEqual(states[0]["metric"]["alertstate"], "firing", vmalert.log[-2000:])

    def test_the_state_of_alerts_outlives_vmalert(self):
        self.heat(90)
        first = self.start()
        pending = programs.wait_until(
            lambda: self.alert(first, "GpuStaysHot"), "the alert is pending", WITHIN_S)
        self.assertEqual(pending["state"], "pending")
        programs.wait_until(
            lambda: self.query('ALERTS_FOR_STATE{alertname="GpuStaysHot"}'),
            "the state is kept", WITHIN_S)
        first.kill()
        # An alert pending for longer than a second can only be restored from the server.
        begun = datetime.datetime.fromisoformat(pending["activeAt"])
        programs.wait_until(
            lambda: time.time() > begun.timestamp() + 2, "time goes by", WITHIN_S)
        self.heat(91)
        second = self.start()
        restored = programs.wait_until(
            lambda: (found := self.alert(second, "GpuStaysHot")) and found["restored"] and found,
            "the alert is restored", WITHIN_S)
        self.assertEqual(restored["state"], "pending")
        self.assertLess(
            abs(datetime.datetime.fromisoformat(restored["activeAt"]) - begun),
            datetime.timedelta(seconds=1), second.log[-2000:])


class VmctlTest(Setting):
    def setUp(self):
        super().setUp()
        self.program = programs.find_peer("vmctl")
        self.assertTrue(self.connection.write(COPIED).stored)
        self.assertEqual(len(self.stored(self.server.url)), len(COPIED))

    def victoria_metrics(self):
        address = programs.free_address()
        peer = programs.Listener(
            self.folder,
            "victoria-metrics",
            [
                programs.find_peer("victoria-metrics"),
                f"-storageDataPath={self.folder / 'peer'}",
                f"-httpListenAddr={address}",
                "-retentionPeriod=100y",
                "-search.latencyOffset=0s",
            ],
            address,
            "/health",
        )
        self.addCleanup(peer.kill)
        return peer

    def copy(self, target, *flags):
        start = datetime.datetime.fromtimestamp(COPIED_START_S - 60, datetime.timezone.utc)
        copied = subprocess.run(
            [
                self.program,
                "remote-read",
                "-s",
                "--disable-progress-bar",
                f"--remote-read-src-addr={self.server.url}",
                f"--remote-read-filter-time-start={start:%Y-%m-%dT%H:%M:%SZ}",
                f"--remote-read-filter-time-end={start + datetime.timedelta(hours=4):%Y-%m-%dT%H:%M:%SZ}",
                "--remote-read-step-interval=hour",
                "--remote-read-filter-label=__name__",
                "--remote-read-filter-label-value=train_.*",
                f"--vm-addr={target}",
                *flags,
            ],
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )
        self.assertEqual(copied.returncode, 0, copied.stderr[-2000:] + copied.stdout[-2000:])
        expected = self.stored(self.server.url)
        try:
            programs.wait_until(lambda: self.stored(target) == expected, "all is copied", COPIED_WITHIN_S)
        except TimeoutError:
            self.assertEqual(self.stored(target), expected, copied.stdout[-2000:] + copied.stderr[-2000:])

    def stored(self, url):
        found = programs.ask(
            url, "query", query='{__name__="train_loss"}[3h]', time=str(COPIED_START_S + 9000))["result"]
        return {
            tuple(sorted(row["metric"].items())): [(at, float(value)) for at, value in row["values"]]
            for row in found
        }

    def test_remote_read(self):
        self.copy(self.victoria_metrics().url)

    def test_remote_read_of_chunks(self):
        self.copy(self.victoria_metrics().url, "--remote-read-use-stream")

    def test_into_another_lockstep(self):
        (self.folder / "other").mkdir()
        other = Server.ready(self.folder / "other", "--storage.retention.time", "100y")
        self.addCleanup(other.kill)
        self.copy(other.url)


if __name__ == "__main__":
    unittest.main()
