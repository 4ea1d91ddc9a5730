"""The recorded jobs on a lockstep and on Debian's Prometheus, for queries of Grafana's panels.

Server metrics, which the recordings lack, are taken from lockstep's /metrics while they are loaded.
"""

import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import programs
from lockstep_server import Connection, Server
from prometheus_server import Prometheus

RECORDING = ROOT / "demo/data/metrics.om.gz"
PUSHED = ROOT / "tests/training/data/sweep/steps.jsonl.gz"
# Recorded twenty minutes after the others; pushed as by a trainer's script.
PUSHED_JOB = "sweep-healthy"
SAMPLE = re.compile(r'([a-z_]\w*)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
# The time given to the server's own metrics: before everything that is queried, and never on the
# edge of a window, which older Prometheus servers include.
SELF_BEGIN_MS, SELF_EVERY_MS, SELF_TIMES = 1795241990700, 5000, 22
FOREVER = ("--storage.retention.time", "100y")


def exposed(text):
    """{labels as pairs: value} of an exposition."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            found[(("__name__", name), ("instance", "lockstep:9009"), ("job", "lockstep"),
                   *LABEL.findall(labels or ""))] = float(value)
    return found


def import_recording(server):
    subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "import", "--to", server.url, "--format", "openmetrics",
                    str(RECORDING)], check=True, stdout=subprocess.DEVNULL)


def write(address, series):
    """Remote-writes {labels as pairs: [(time in ms, value), ...]}."""
    connection = Connection(address)
    try:
        answer = connection.write([(dict(labels), samples) for labels, samples in series.items()])
        assert answer.stored, answer.text
    finally:
        connection.close()


def pushed_lines():
    lines = gzip.decompress(PUSHED.read_bytes()).splitlines(keepends=True)
    return b"".join(line for line in lines if b'"job":"%s"' % PUSHED_JOB.encode() in line)


def stored(server, selector, time_s, span):
    """Series of the server in write()'s format."""
    result = programs.ask(server.url, "query", query=f"{selector}[{span}]", time=time_s)["result"]
    return {tuple(sorted(row["metric"].items())): [(round(time * 1000), float(value)) for time, value in row["values"]]
            for row in result}


class Recordings:
    """Both servers. `flags` are lockstep's; `prometheus` is None if it was not requested."""

    def __init__(self, test_class, *flags, with_prometheus=False):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-grafana-")
        test_class.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        self.lockstep = Server.ready(path, *FOREVER, *flags)
        test_class.addClassCleanup(self.lockstep.kill)
        self.prometheus = None
        if with_prometheus:
            self.prometheus = Prometheus(path, "--storage.tsdb.retention.time=100y")
            test_class.addClassCleanup(self.prometheus.kill)
        self._load()

    def _load(self):
        series = {}
        connection = self.lockstep.connect()
        for index in range(SELF_TIMES):
            connection.query("vector(1)", SELF_BEGIN_MS / 1000)
            if index == SELF_TIMES - 3:
                import_recording(self.lockstep)
            time_ms = SELF_BEGIN_MS + index * SELF_EVERY_MS
            for labels, value in exposed(connection.get("/metrics").text).items():
                series.setdefault(labels, []).append((time_ms, value))
        connection.close()
        write(self.lockstep.address, series)
        self._push()
        if self.prometheus:
            import_recording(self.prometheus)
            write(self.prometheus.address, series)
            write(self.prometheus.address, stored(self.lockstep, f'{{job="{PUSHED_JOB}"}}', 1795243300, "1h"))

    def _push(self):
        request = urllib.request.Request(f"{self.lockstep.url}/api/v1/push/steps", pushed_lines())
        urllib.request.urlopen(request, timeout=60).close()
