"""A real Prometheus scrapes itself and a real node_exporter and writes everything to lockstep;
afterwards both must give the same responses.

LOCKSTEP_PROGRAM names the server; LOCKSTEP_E2E_SECONDS is how long Prometheus scrapes (default 60).
"""

import math
import os
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import queries
from lockstep_server import Server
from programs import ask
from prometheus_server import Prometheus

SCRAPE_S = float(os.environ.get("LOCKSTEP_E2E_SECONDS", "60"))
STEP_S = 3
# Arithmetic may differ in the last bits, because the two add in different orders.
RELATIVE_TOLERANCE = 1e-10

CONFIG = """
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: prometheus
    static_configs: [{{targets: ['{prometheus}']}}]
  - job_name: node
    static_configs: [{{targets: ['{node}'], labels: {{rack: 'r-1', note: 'a "b" \\ ü'}}}}]
remote_write:
  - url: {lockstep}/api/v1/write
    queue_config: {{batch_send_deadline: 500ms, max_shards: 4}}
    metadata_config: {{send_interval: 5s}}
"""


def start_node_exporter(folder):
    address = programs.free_address()
    flags = [f"--web.listen-address={address}"]
    if not pathlib.Path("/sys/devices/system/cpu").exists():
        # node_exporter 1.9 fails where /sys is not mounted; this /sys has only a CPU.
        sysfs = folder / "sysfs"
        cpus = sysfs / "devices/system/cpu"
        (cpus / "cpu0").mkdir(parents=True)
        (cpus / "offline").write_text("\n")
        flags.append(f"--path.sysfs={sysfs}")
    return programs.Listener(folder, "node_exporter",
                             [programs.find_program("prometheus-node-exporter"), *flags], address, "/")


def start_prometheus(folder, node, lockstep):
    address = programs.free_address()
    config = CONFIG.format(prometheus=address, node=node.address, lockstep=lockstep.url)
    return Prometheus(folder, config=config, address=address)


def sent_until(prometheus):
    """The time up to which Prometheus has delivered everything, in Unix seconds."""
    sent = ask(
        prometheus.url, "query",
        query="prometheus_remote_storage_queue_highest_sent_timestamp_seconds")["result"]
    return float(sent[0]["value"][1]) if sent else 0


def quiet_fraction(prometheus):
    """The fraction of a second that is farthest from every scrape.

    Windows of Prometheus before 3.0 include their left edge, ours do not. At such a time, no edge
    of a window (all are whole seconds long) coincides with a sample.
    """
    scrapes = ask(prometheus.url, "query", query=f"up[{int(SCRAPE_S) + 60}s]")["result"]
    fractions = sorted({time_s % 1 for row in scrapes for time_s, _ in row["values"]})
    gaps = [((after - before) % 1 or 1, before)
            for before, after in zip(fractions, fractions[1:] + fractions[:1])]
    width, before = max(gaps)
    return round((before + width / 2) % 1, 3)


def by_labels(data):
    """{labels: [(time, value text), ...]} of a query's response."""
    rows = data["result"]
    if data["resultType"] == "scalar":
        return {(): [tuple(rows)]}
    found = {}
    for row in rows:
        labels = tuple(sorted(row["metric"].items()))
        assert labels not in found, f"{labels} twice"
        found[labels] = [tuple(pair) for pair in row.get("values", [row.get("value")])]
    return found


def equal_values(one, other):
    a, b = float(one), float(other)
    return (math.isnan(a) and math.isnan(b)) or \
        math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE, abs_tol=0)


class PrometheusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-e2e-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.lockstep = Server.ready(path)
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        node = start_node_exporter(path)
        cls.prometheus = start_prometheus(path, node, cls.lockstep)
        cls.addClassCleanup(lambda: cls.prometheus.stop())
        time.sleep(SCRAPE_S)

        cls.end = math.floor(time.time()) - 1
        # The target disappears: Prometheus marks its series as stale, and so must we.
        node.stop()
        cls.gone = cls.end + 6
        programs.wait_until(lambda: sent_until(cls.prometheus) > cls.gone + 1,
                            "Prometheus has delivered its samples", 60)
        fraction = quiet_fraction(cls.prometheus)
        cls.end += fraction
        cls.gone += fraction
        # No window reaches back to the beginning of the series.
        cls.start = cls.end - SCRAPE_S + queries.LONGEST_WINDOW_S + 10

    def both(self, path, **parameters):
        return [ask(server.url, path, **parameters) for server in (self.prometheus, self.lockstep)]

    def check(self, exact, path, **parameters):
        theirs, ours = self.both(path, **parameters)
        self.assertEqual(theirs["resultType"], ours["resultType"])
        theirs, ours = by_labels(theirs), by_labels(ours)
        self.assertEqual(set(theirs), set(ours))
        for labels, points in theirs.items():
            self.assertEqual([t for t, _ in points], [t for t, _ in ours[labels]], labels)
            for (time_s, one), (_, other) in zip(points, ours[labels]):
                same = one == other if exact else equal_values(one, other)
                self.assertTrue(same, f"{dict(labels)} at {time_s}: {one} there, {other} here")
        return len(theirs)

    def check_queries(self, texts, exact):
        answered = 0
        for text in texts:
            with self.subTest(query=text):
                answered += self.check(exact, "query", query=text, time=self.end) > 0
                self.check(exact, "query_range", query=text, start=self.start, end=self.end,
                           step=STEP_S)
                # All series of the node are stale by now.
                self.check(exact, "query", query=text, time=self.gone)
        # Equality of empty responses would prove little.
        self.assertGreaterEqual(answered, len(texts) - 1)

    def test_queries_that_answer_with_samples(self):
        self.check_queries(queries.SAMPLES, exact=True)

    def test_queries_that_answer_with_arithmetic(self):
        self.check_queries(queries.VALUES, exact=False)

    def test_every_sample_of_every_series(self):
        """The raw samples with their own times."""
        for text in ('{job="node"}', '{job="prometheus"}'):
            series = self.check(True, "query", query=f"{text}[{queries.LONGEST_WINDOW_S}s]",
                                time=self.end)
            self.assertGreater(series, 100)

    def test_stale_series_are_gone(self):
        for server in (self.prometheus, self.lockstep):
            for time_s, count in ((self.gone, 0), (self.end, 1)):
                rows = ask(server.url, "query", query="node_load1", time=time_s)["result"]
                self.assertEqual(len(rows), count)

    def test_names(self):
        for path, parameters in queries.NAMES:
            with self.subTest(path=path, parameters=parameters):
                theirs, ours = self.both(path, start=self.start, end=self.end, **parameters)
                key = lambda item: sorted(item.items()) if isinstance(item, dict) else item
                self.assertEqual(sorted(theirs, key=key), sorted(ours, key=key))

    def test_metadata(self):
        for metric in ("node_load1", "node_cpu_seconds_total", "prometheus_build_info"):
            theirs, ours = self.both("metadata", metric=metric)
            self.assertEqual([(entry["type"], entry["help"]) for entry in theirs[metric]],
                             [(entry["type"], entry["help"]) for entry in ours[metric]])


if __name__ == "__main__":
    unittest.main()
