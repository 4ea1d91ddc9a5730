"""The endpoints of Prometheus 3 other than queries, next to a real Prometheus 3.14: the same
requests get the same responses, or the test says what differs and why.

LOCKSTEP_PROGRAM names the server.
"""

import json
import pathlib
import re
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
from lockstep_server import Server
from prometheus3 import send
from prometheus_server import Prometheus

WITHIN_S = 60
NEWEST_PEER = "prometheus-next"
CONFIG = """
global:
  scrape_interval: 50s
  external_labels: {cluster: c1, replica: "1"}
scrape_configs:
- job_name: targets
  scrape_interval: 40s
  metrics_path: /m
  honor_labels: true
  basic_auth: {username: me, password: HIDDEN}
  static_configs: [{targets: ["127.0.0.1:1"], labels: {rack: r1}}]
  relabel_configs:
  - {target_label: a, replacement: b}
  - {source_labels: [__address__], regex: "(.*):(.*)", target_label: port, replacement: "$2"}
  - {source_labels: [__address__, a], modulus: 8, target_label: shard, action: hashmod, separator: "/"}
  - {source_labels: [drop], regex: "yes", action: drop}
  - {regex: "tmp_(.+)", action: labelmap}
"""
NAMES = ("http_requests_total", "http_request_seconds", "node_cpu_seconds_total", "node_memory_bytes", "up", "upper_case",
         "Upper", "train_loss", "loss_train", "a_b_c", "cab", "h\u00fcter_temperatur", "temp\u00e9rature_\u20ac")
TERMS = ("", "up", "tot", "ntt", "loss", "UP", "abc", "secnds", "node_mem", "temp\u00e9", "r_t", "zzz")
SEARCHES = [{"search[]": term, "include_score": "true", **more} for term in TERMS for more in (
    {}, {"sort_by": "alpha"}, {"fuzz_threshold": "30"}, {"fuzz_threshold": "80", "case_sensitive": "false"},
    {"fuzz_alg": "jarowinkler"}, {"fuzz_alg": "jarowinkler", "fuzz_threshold": "70"},
    {"sort_by": "score"} if term else {}, {"sort_by": "alpha", "sort_dir": "dsc", "limit": "3", "batch_size": "2"})]
SEARCHES += [
    {}, {"limit": "100"}, {"batch_size": "3"}, {"search[]": ["up", "loss"]}, {"search[]": "_", "limit": "2"},
    {"match[]": 'up{job="a"}'}, {"match[]": ['up{job="a"}', '{job="b"}']}, {"match[]": '{job="none"}'},
    {"case_sensitive": "0", "search[]": "U"}]
WRONG = [{"limit": "0"}, {"limit": "-1"}, {"limit": "x"}, {"batch_size": "0"}, {"batch_size": "1e3"}, {"fuzz_threshold": "101"},
         {"fuzz_threshold": "-1"}, {"fuzz_threshold": "x"}, {"fuzz_alg": "levenshtein"}, {"case_sensitive": "maybe"},
         {"include_score": "2"}, {"sort_dir": "asc"}, {"sort_by": "score", "sort_dir": "asc", "search[]": "a"},
         {"sort_by": "alpha", "sort_dir": "up"}, {"sort_by": "score"}, {"sort_by": "length"}, {"start": "x"}, {"end": "x"},
         {"start": "10", "end": "9"}, {"match[]": "{"}, {"match[]": "{}"}, {"search[]": ["a"] * 33},
         {"limit": "0", "start": "x"}, {"sort_by": "length", "limit": "x"}]
LABELS = [{"__address__": "h:9"}, {"__address__": "h", "drop": "yes", "tmp_x": "y"}, {}, {"tmp_c": "d", "a": ""}]


class EndpointsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        peer = programs.find_peer(NEWEST_PEER)
        folder = tempfile.TemporaryDirectory(prefix="lockstep-interop-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "lockstep.yml").write_text(CONFIG)
        cls.lockstep = Server.ready(path, "--config", str(path / "lockstep.yml"))
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        cls.prometheus = Prometheus(path, "--enable-feature=search-api", config=CONFIG, program=peer)
        cls.addClassCleanup(lambda: cls.prometheus.stop())
        now_ms = int(time.time() * 1000)
        series = [({"__name__": name, "job": "ab"[i % 2], f"label_{i}": f"v{i}"}, [(now_ms, i)])
                  for i, name in enumerate(NAMES)]
        for server in (cls.lockstep, cls.prometheus):
            status, _, text = send(server, "POST", remote_write.PATH, remote_write.body(series), remote_write.HEADERS)
            assert status == 204, (status, text)

    def ask(self, server, path, parameters):
        form = urllib.parse.urlencode(parameters, doseq=True)
        return send(server, "GET", f"/api/v1/{path}?{form}")

    def data(self, server, path, **parameters):
        status, _, body = self.ask(server, path, parameters)
        self.assertEqual(status, 200, body)
        return json.loads(body)["data"]

    def check_same(self, path, parameters):
        with self.subTest(path=path, parameters=parameters):
            self.assertEqual(self.ask(self.lockstep, path, parameters), self.ask(self.prometheus, path, parameters))

    def test_searches(self):
        # Scrapes add series of their own, with samples at their own times.
        sent = {"match[]": '{job=~"a|b"}'}
        for parameters in SEARCHES:
            self.check_same("search/metric_names", {**sent, **parameters})
            self.check_same("search/label_names", {**sent, **parameters})
            self.check_same("search/label_values", {**sent, **parameters, "label": "__name__"})
            self.check_same("search/label_values", {**sent, **parameters, "label": "label_3"})

    def test_a_limit_keeps_the_first(self):
        # Without a search term, Prometheus truncates before it sorts, so it keeps arbitrary ones.
        all_names = {"match[]": '{job=~"a|b"}'}
        for endpoint in ("metric_names", "label_names"):
            for limit, batch in ((2, 100), (5, 2)):
                lines = [self.ask(server, f"search/{endpoint}", {**all_names, **more})[2].decode().splitlines()
                         for server, more in ((self.prometheus, {}), (self.lockstep, {"limit": limit, "batch_size": batch}))]
                theirs, ours = ([one for line in part[:-1] for one in json.loads(line)["results"]] for part in lines)
                self.assertEqual(ours, theirs[:limit])
                self.assertEqual(len(lines[1]), -(-limit // batch) + 1)
                self.assertEqual(json.loads(lines[1][-1]), {"status": "success", "has_more": True})

    def test_searches_that_make_no_sense(self):
        for endpoint in ("metric_names", "label_names", "label_values"):
            for parameters in WRONG:
                self.check_same(f"search/{endpoint}", {"label": "job", **parameters})
        self.check_same("search/label_values", {})
        self.check_same("search/metric_names", {"include_metadata": "x"})

    def test_a_form_is_as_good(self):
        form = urllib.parse.urlencode({"search[]": "up", "match[]": '{job=~"a|b"}'})
        header = {"Content-Type": "application/x-www-form-urlencoded"}
        self.assertEqual(*(send(server, "POST", "/api/v1/search/metric_names", form, header)
                           for server in (self.lockstep, self.prometheus)))

    def test_relabelling_step_by_step(self):
        for server in (self.lockstep, self.prometheus):
            programs.wait_until(lambda server=server: self.ask(server, "targets/relabel_steps", {
                "scrapePool": "targets", "labels": "{}"})[0] == 200, "the pool is there", WITHIN_S)
        for labels in LABELS:
            self.check_same("targets/relabel_steps", {"scrapePool": "targets", "labels": json.dumps(labels)})
        for parameters in ({}, {"scrapePool": "targets"}, {"labels": "{}"}, {"scrapePool": "no", "labels": "{}"}):
            self.check_same("targets/relabel_steps", parameters)
        # Each JSON parser describes what is not an object of strings in its own words.
        for labels in ("x", "[]", '{"a": 1}', "{"):
            for server in (self.lockstep, self.prometheus):
                status, _, body = self.ask(server, "targets/relabel_steps", {"scrapePool": "targets", "labels": labels})
                self.assertEqual(status, 400)
                self.assertIn("error parsing labels: ", json.loads(body)["error"])

    def test_blocks_and_notifications(self):
        self.check_same("status/tsdb/blocks", {})
        self.check_same("notifications", {})

    def test_features_have_the_same_names(self):
        theirs, ours = (self.data(server, "features") for server in (self.prometheus, self.lockstep))
        self.assertEqual(set(theirs), set(ours))
        # The reference is built without the first two; slurm is our own.
        more = {"service_discovery_providers": {"dns", "ec2", "slurm"}}
        for category, features in ours.items():
            with self.subTest(category=category):
                self.assertEqual(set(features) - set(theirs[category]), more.get(category, set()))
        # These are about the Go build and its files.
        left_out = {name for category in theirs for name in set(theirs[category]) - set(ours[category])}
        self.assertEqual(left_out, {"stringlabels", "histograms_st_encoding", "use_uncached_io", "xor2_encoding"})
        self.assertTrue(all(ours["promql_functions"].values()))

    def test_own_metrics_have_the_same_form(self):
        theirs = self.data(self.prometheus, "status/self_metrics", metric_name_pattern="prometheus_build_info")
        ours = self.data(self.lockstep, "status/self_metrics", metric_name_pattern="lockstep_build_info")
        self.assertEqual(len(ours), 1)
        self.assertEqual(list(theirs[0]), list(ours[0]))
        self.assertEqual(ours[0]["type"], "GAUGE")
        self.assertEqual(ours[0]["metric"][0]["gauge"], theirs[0]["metric"][0]["gauge"])
        self.assertEqual(list(ours[0]["metric"][0]["label"][0]), list(theirs[0]["metric"][0]["label"][0]))
        histogram = self.data(self.lockstep, "status/self_metrics", metric_name_pattern=".*_duration_seconds")
        self.assertTrue(histogram)
        for family in histogram:
            self.assertEqual(family["type"], "HISTOGRAM")
            self.assertEqual(set(family["metric"][0]["histogram"]), {"sampleCount", "sampleSum", "bucket"})
        self.check_same("status/self_metrics", {"metric_name_pattern": "("})
        self.assertEqual(self.data(self.lockstep, "status/self_metrics", metric_name_pattern="lockstep_build"), [])

    def test_the_configuration_says_the_same(self):
        theirs, ours = (self.data(server, "status/config")["yaml"] for server in (self.prometheus, self.lockstep))
        for said in ("global:", "scrape_interval: 50s", "scrape_timeout: 10s", "external_labels:", "cluster: c1", 'replica: "1"',
                     "scrape_configs:", "job_name: targets", "scrape_interval: 40s", "metrics_path: /m", "honor_labels: true",
                     "username: me", "password: <secret>", "rack: r1", "target_label: port", "action: labelmap", "modulus: 8"):
            for text in (theirs, ours):
                self.assertIn(said, text)
        self.assertNotIn("HIDDEN", ours)

    def test_what_a_sidecar_of_thanos_looks_at(self):
        """The sidecar starts if the configuration has external labels under `global`, all flags are
        texts, these two are booleans, and there is a version.
        """
        config = self.data(self.lockstep, "status/config")["yaml"]
        labels = re.search(r"^global:\n(?:  .*\n)*?  external_labels:\n((?:    .*\n)+)", config, re.M)
        self.assertEqual(labels[1], '    cluster: c1\n    replica: "1"\n')
        flags = self.data(self.lockstep, "status/flags")
        self.assertTrue(all(isinstance(value, str) for value in flags.values()))
        self.assertIn(flags["web.enable-admin-api"], ("true", "false"))
        self.assertIn(flags["web.enable-lifecycle"], ("true", "false"))
        # Otherwise it would require both to be two hours.
        self.assertFalse({"storage.tsdb.min-block-duration", "storage.tsdb.max-block-duration"} & set(flags))
        self.assertRegex(self.data(self.lockstep, "status/buildinfo")["version"], r"^3\.\d+\.\d+$")

    def test_the_document_describes_this_server(self):
        status, kind, body = send(self.lockstep, "GET", "/api/v1/openapi.yaml")
        theirs = send(self.prometheus, "GET", "/api/v1/openapi.yaml")
        self.assertEqual((status, kind), theirs[:2])
        text = body.decode()
        self.assertTrue(text.startswith("openapi: 3.1.0\n"))
        self.assertIn("\nservers:\n  - url: /\n", text)
        self.assertIn("\n  /api/v1/search/metric_names:\n", text)


if __name__ == "__main__":
    unittest.main()
