"""/federate responds byte for byte like a real Prometheus 3, and a Prometheus that scrapes it also
gets the native histograms.

LOCKSTEP_PROGRAM names the server.
"""

import json
import math
import pathlib
import tempfile
import time
import unittest
import urllib.parse

import prometheus3
import programs
import remote_write

PROTOBUF = ("application/vnd.google.protobuf;"
            "proto=io.prometheus.client.MetricFamily;encoding=delimited")
SELECTORS = (
    ('{__name__=~".+"}',), ("up",), ("up", 'up{job="api"}', "odd"), ("none",), ("stale",), ("old",),
    ('{__name__=~"dotted.*|zü.*"}',), ("h",), (), ("up{",), ("rate(up[5m])",), ("up[5m]",), ("{}",),
)
ACCEPTS = (
    "", "*/*", "text/plain", "text/plain;version=0.0.4;escaping=allow-utf-8",
    "text/plain;escaping=dots", "text/plain;escaping=values", "text/plain;escaping=no-such",
    "application/openmetrics-text;version=1.0.0;q=0.9,text/plain;q=0.5", "application/json",
    PROTOBUF, f"{PROTOBUF};escaping=values", f"{PROTOBUF};q=0.4,text/plain;q=0.5",
    f"text/plain;q=0.4,{PROTOBUF};q=0.5,*/*;q=0.1",
)


def content(now_ms):
    at = now_ms - 30_000
    floats = remote_write.protobuf([
        ({"__name__": "up", "job": "api", "instance": "a:1"}, [(at - 9000, 1), (at, 0)]),
        ({"__name__": "up", "job": "b"}, [(at, 3.5)]),
        ({"__name__": "old"}, [(now_ms - 400_000, 1)]),
        ({"__name__": "stale"}, [(at - 9000, 1), (at, remote_write.STALE)]),
        ({"__name__": "dotted.name", "l.b": "x", "ok": "y"}, [(at, 1)]),
        ({"__name__": "zürich", "é": "x"}, [(at, 1)]),
        ({"__name__": "ns:a_b"}, [(at, 1)]),
    ] + [({"__name__": "odd", "text": f'"{value}" \\ \n'}, [(at, value)])
         for value in (math.nan, math.inf, -math.inf, 1e6, 123456789.0, 1e-5, -0.0, -1, 1 / 3,
                       5e-324, 1e21)])
    shape = {"schema": 2, "zero_threshold": 0.001, "zero_count": 1.0, "count": 9.5, "sum": 4.25,
             "positive": {-2: 1, -1: 2.5, 3: 3}, "negative": {0: 2}, "floats": True}
    return floats + remote_write.protobuf([
        ({"__name__": "h", "k": "counter"}, [(at, remote_write.Histogram(**shape))]),
        ({"__name__": "h", "k": "gauge"}, [(at, remote_write.Histogram(**shape, gauge=True))])])


class FederateTest(prometheus3.SideBySide):
    prometheus_flags = ("--enable-feature=native-histograms",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.now_ms = int(time.time() * 1000)
        for server in (cls.prometheus, cls.lockstep):
            prometheus3.push(server, content(cls.now_ms))

    def ask(self, server, selectors, accept):
        form = urllib.parse.urlencode({"match[]": selectors}, doseq=True)
        return prometheus3.send(server, "GET", f"/federate?{form}", headers={"Accept": accept})

    def test_the_same_bytes_for_every_selector(self):
        for selectors in SELECTORS:
            with self.subTest(selectors=selectors):
                self.assertEqual(self.ask(self.prometheus, selectors, ""),
                                 self.ask(self.lockstep, selectors, ""))

    def test_the_same_text_for_every_reader(self):
        for accept in ACCEPTS:
            with self.subTest(accept=accept):
                theirs = self.ask(self.prometheus, ('{__name__=~".+"}',), accept)
                ours = self.ask(self.lockstep, ('{__name__=~".+"}',), accept)
                self.assertEqual(theirs[:2], ours[:2])
                if theirs[1].startswith("text/"):
                    self.assertEqual(theirs[2], ours[2])

    def test_only_get(self):
        for server in (self.prometheus, self.lockstep):
            self.assertEqual(prometheus3.send(server, "POST", "/federate")[0], 405)

    def test_a_prometheus_scrapes_the_same_from_both(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-interop-")
        self.addCleanup(folder.cleanup)
        jobs = [{"job_name": name, "metrics_path": "/federate", "honor_labels": True,
                 "scrape_interval": "1s", "params": {"match[]": ['{__name__=~"up|odd|h|ns.*"}']},
                 "metric_relabel_configs": [{"target_label": "via", "replacement": name}],
                 "static_configs": [{"targets": [server.address]}]}
                for name, server in (("theirs", self.prometheus), ("ours", self.lockstep))]
        scraper = prometheus3.start_prometheus(
            pathlib.Path(folder.name), "--enable-feature=native-histograms",
            config=json.dumps({"scrape_configs": jobs}))
        self.addCleanup(scraper.stop)

        def scraped(via):
            rows = programs.ask(scraper.url, "query", query=f'{{via="{via}"}}[10m]')["result"]
            return sorted(json.dumps(
                [{name: text for name, text in row["metric"].items() if text != via},
                 row.get("values"), row.get("histograms")], sort_keys=True) for row in rows)

        theirs = programs.wait_until(lambda: scraped("theirs"), "a scrape of Prometheus", 60)
        programs.wait_until(lambda: scraped("ours") == theirs, "the same from lockstep", 60)
        self.assertTrue(any('"buckets"' in row for row in theirs))


if __name__ == "__main__":
    unittest.main()
