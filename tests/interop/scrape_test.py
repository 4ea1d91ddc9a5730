"""A lockstep and a Prometheus scrape the same targets by the same configuration."""

import http.server
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
from lockstep_server import Server
from prometheus_server import Prometheus

WITHIN_S = 60
INTERVAL_S = 2
INTERVALS = f"global: {{scrape_interval: {INTERVAL_S}s, scrape_timeout: {INTERVAL_S}s}}\n"

# The test's pages: path -> (Content-Type, body). Others are 404.
TEXT = "text/plain; version=0.0.4"
PROTOBUF = ("application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
            "encoding=delimited")
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
COLLIDING = b"""# HELP jobs_total Of the queue.
# TYPE jobs_total counter
jobs_total{job="own",instance="i",queue="a b"} 3
jobs_total{job="",queue="c\\"d\\\\"} 4.5e-7
gauge NaN
gauge{le="+Inf"} -Inf
with_time 7 1700000000000
dropped_by_rule 1
twice 1
twice 2
"""
WITH_EXEMPLARS = b"""# TYPE steps counter
# UNIT latency_seconds seconds
# TYPE latency_seconds histogram
steps_total 17 # {trace="t1"} 1
steps_created 1700000000.5
latency_seconds_bucket{le="0.5"} 2 # {trace="t2"} 0.25
latency_seconds_bucket{le="+Inf"} 3
latency_seconds_sum 4.5
latency_seconds_count 3
# EOF
"""

RULES = """
  relabel_configs:
  - {source_labels: [__address__], target_label: host, regex: "(.*):.*"}
  - {source_labels: [__address__, job], modulus: 7, target_label: shard, action: hashmod}
  - {regex: "__meta_(.+)", action: labelmap}
  metric_relabel_configs:
  - {source_labels: [__name__], regex: "dropped_.*|go_.*|node_scrape_collector_duration_seconds", action: drop}
  - {source_labels: [__name__], target_label: family, regex: "([a-z]+)_.*", replacement: "${1}"}
  - {source_labels: [queue], target_label: queue_upper, action: uppercase}
  - {regex: "exported_instance", action: labeldrop}
"""


class Pages(http.server.ThreadingHTTPServer):
    """Returns the current content of `answers`."""

    def __init__(self):
        self.answers = {}
        self.requests = {}
        self.accepted = {}  # path -> all Accept headers
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("?")[0]
                pages.requests[path] = (self.path, dict(self.headers))
                pages.accepted.setdefault(path, set()).add(self.headers["Accept"])
                content_type, body = pages.answers.get(path, (TEXT, None))
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.daemon_threads = True
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """The client has given up, or was killed."""


def job(name, address, more="", path="/metrics"):
    return (f"- job_name: {name}\n  metrics_path: {path}\n"
            f"  static_configs: [{{targets: ['{address}'], labels: {{__meta_rack: r1}}}}]{more}\n")


def targets(server):
    return {target["scrapePool"]: target
            for target in programs.ask(server.url, "targets", state="active")["activeTargets"]}


def was_answered(target):
    """Whether there was a scrape within the timeout, whatever its response."""
    error = target["lastError"].lower()
    return target["health"] != "unknown" and not ("deadline" in error or "timed out" in error)


def values(server, selector):
    """The current {labels: value} as texts, without what changes from scrape to scrape."""
    result = programs.ask(server.url, "query", query=selector)["result"]
    return {json.dumps(sample["metric"], sort_keys=True):
            (sample.get("value") or sample["histogram"])[1] for sample in result}


def series(server, selector):
    return {json.dumps(labels, sort_keys=True)
            for labels in programs.ask(server.url, "series", match=selector)}


class Scraping(unittest.TestCase):
    """Pages to scrape, and the servers that scrape them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pages = Pages()
        self.addCleanup(self.pages.server_close)
        self.addCleanup(self.pages.shutdown)

    def lockstep(self, config):
        path = self.folder / "lockstep.yml"
        path.write_text(config)
        server = Server.ready(self.folder, "--config", str(path))
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def both(self, jobs, program=None):
        """A lockstep and a Prometheus that have scraped every target."""
        config = INTERVALS + "scrape_configs:\n" + jobs
        prometheus = Prometheus(self.folder, config=config, program=program)
        self.addCleanup(lambda: prometheus.alive and prometheus.kill())
        servers = self.lockstep(config), prometheus
        for server in servers:
            programs.wait_until(
                lambda server=server: (found := targets(server).values()) and
                all(was_answered(target) for target in found),
                "every target was scraped", WITHIN_S)
        return servers

    def exporter(self):
        address = programs.free_address()
        exporter = programs.Listener(
            self.folder, "node_exporter",
            [programs.find_program("prometheus-node-exporter"),
             f"--web.listen-address={address}"], address, "/metrics")
        self.addCleanup(lambda: exporter.alive and exporter.kill())
        return exporter

    def assert_same_soon(self, what, servers):
        """Queries both until they agree, because they scrape at different times."""
        try:
            programs.wait_until(lambda: what(servers[0]) == what(servers[1]), "the same", WITHIN_S)
        except TimeoutError:
            self.assertEqual(what(servers[0]), what(servers[1]))
        self.assertTrue(what(servers[0]))


class ScrapeTest(Scraping):
    def test_a_node_exporter_and_its_end(self):
        exporter = self.exporter()
        servers = self.both(job("node", exporter.address, RULES))
        self.assert_same_soon(lambda server: values(server, "up"), servers)
        self.assert_same_soon(lambda server: series(server, '{job="node"}'), servers)
        self.assertGreater(len(series(servers[0], '{job="node"}')), 300)
        for field in ("discoveredLabels", "labels", "scrapeUrl", "health", "lastError",
                      "scrapeInterval", "scrapeTimeout"):
            self.assertEqual(*[targets(server)["node"][field] for server in servers], field)

        exporter.kill()
        for server in servers:
            programs.wait_until(lambda server=server: list(values(server, "up").values()) == ["0"],
                                "the exporter is down", WITHIN_S)
        # All its series ended with the failed scrape; the scrape metrics continue.
        names = 'group by(__name__) ({job="node"})'
        self.assert_same_soon(lambda server: set(values(server, names)), servers)
        self.assertEqual(
            sorted(json.loads(labels)["__name__"] for labels in values(servers[0], names)),
            ["scrape_duration_seconds", "scrape_samples_post_metric_relabeling",
             "scrape_samples_scraped", "scrape_series_added", "up"])

    def test_pages_of_all_kinds(self):
        self.pages.answers = {"/plain": (TEXT, COLLIDING), "/honor": (TEXT, COLLIDING),
                              "/om": (OPENMETRICS, WITH_EXEMPLARS), "/few": (TEXT, COLLIDING),
                              "/bad": (TEXT, b"a 1\nb two\n"), "/empty": (TEXT, b"")}
        address = self.pages.address
        servers = self.both(
            job("plain", address, RULES, "/plain") +
            job("honor", address, "\n  honor_labels: true\n  params: {x: ['y z', w]}", "/honor") +
            job("om", address, "", "/om") +
            job("few", address, "\n  sample_limit: 3", "/few") +
            job("bad", address, "", "/bad") + job("empty", address, "", "/empty") +
            job("gone", address, "", "/gone"))
        steady = '{job!="",__name__!="scrape_duration_seconds",__name__!="scrape_series_added"}'
        self.assert_same_soon(lambda server: values(server, steady), servers)
        self.assert_same_soon(lambda server: values(server, "scrape_series_added"), servers)
        # Too old for both.
        self.assertEqual([series(server, "with_time") for server in servers], [set(), set()])
        for name, health in {"plain": "up", "few": "down", "bad": "down", "empty": "up",
                             "gone": "down"}.items():
            for server in servers:
                self.assertEqual(targets(server)[name]["health"], health, name)
        self.assertEqual(targets(servers[0])["bad"]["lastError"],
                         'line 2: "two" is not a number')
        self.assertEqual(targets(servers[0])["gone"]["lastError"],
                         targets(servers[1])["gone"]["lastError"])
        metadata = [{entry["metric"]: (entry["type"], entry["help"])
                     for entry in programs.ask(server.url, "targets/metadata",
                                               match_target='{job="plain"}')}
                    for server in servers]
        self.assertEqual(*metadata)
        self.assertEqual(metadata[0], {"jobs_total": ("counter", "Of the queue.")})

        # A series that disappears ends immediately.
        self.pages.answers["/plain"] = (TEXT, COLLIDING.replace(b"gauge NaN\n", b""))
        gauge = 'gauge{job="plain",le=""}'
        for server in servers:
            programs.wait_until(lambda server=server: not values(server, gauge),
                                "the gauge ended", WITHIN_S)

    def test_targets_come_and_go(self):
        self.pages.answers = {"/metrics": (TEXT, b"a 1\n"), "/other": (TEXT, b"b 1\n")}
        found = self.folder / "found.json"
        address = self.pages.address
        found.write_text(json.dumps([{"targets": [address], "labels": {"rack": "r7"}}]))
        config = (INTERVALS + f"scrape_configs:\n- job_name: found\n"
                  f"  file_sd_configs: [{{files: ['found.json']}}]\n")
        server = self.lockstep(config)
        programs.wait_until(lambda: values(server, 'a{rack="r7"}'), "it is found", WITHIN_S)

        found.write_text("[]")
        programs.wait_until(lambda: not targets(server), "it is gone", WITHIN_S)
        programs.wait_until(lambda: not values(server, '{rack="r7"}'), "all of it ended", WITHIN_S)

        # Another configuration, and an invalid one.
        path = self.folder / "lockstep.yml"
        path.write_text(config + job("other", address, "", "/other"))
        os.kill(server.pid, signal.SIGHUP)
        programs.wait_until(lambda: values(server, 'b{job="other"}'), "it is scraped", WITHIN_S)
        path.write_text("scrape_configs: [{job_nam: x}]\n")
        os.kill(server.pid, signal.SIGHUP)
        programs.wait_until(lambda: "cannot reload the configuration; keeping the old one" in server.log,
                            "it is refused", WITHIN_S)
        self.assertEqual(programs.ask(server.url, "scrape_pools"),
                         {"scrapePools": ["found", "other"]})

        # A server that stops leaves no series that look alive.
        self.assertEqual(server.stop(), 0)
        path.write_text("{}\n")
        after = self.lockstep("{}\n")
        self.assertEqual(values(after, "b"), {})
        self.assertEqual(len(series(after, "b")), 1)

    def test_asks_as_it_is_told(self):
        self.pages.answers = {"/metrics": (TEXT, b"a 1\n")}
        (self.folder / "token").write_text("sesame\n")
        server = self.lockstep(
            INTERVALS + "scrape_configs:\n" +
            job("told", self.pages.address,
                "\n  params: {m: [x]}\n  authorization: {credentials_file: token}"
                "\n  scrape_protocols: [PrometheusText0.0.4]"))
        programs.wait_until(lambda: values(server, "a"), "it is scraped", WITHIN_S)
        path, headers = self.pages.requests["/metrics"]
        self.assertEqual(path, "/metrics?m=x")
        self.assertEqual(headers["Authorization"], "Bearer sesame")
        self.assertEqual(headers["Accept"], "text/plain;version=0.0.4;q=0.6,*/*;q=0.5")
        self.assertEqual(headers["Accept-Encoding"], "gzip")
        self.assertEqual(headers["X-Prometheus-Scrape-Timeout-Seconds"], str(INTERVAL_S))
        connection = server.connect()
        self.addCleanup(connection.close)
        metrics = connection.get("/metrics").text
        self.assertIn("\nlockstep_scrape_targets 1\n", metrics)
        self.assertIn("\nlockstep_scrape_failed_scrapes_total 0\n", metrics)


class ProtobufTest(Scraping):
    """Next to a Prometheus that reads native histograms as configured."""

    KINDS = ("", "\n  scrape_native_histograms: true",
             "\n  scrape_native_histograms: true\n  always_scrape_classic_histograms: true",
             "\n  scrape_protocols: [PrometheusProto, PrometheusText0.0.4]",
             "\n  fallback_scrape_protocol: PrometheusProto")

    def test_what_a_prometheus_shows_of_itself(self):
        body = (programs.ROOT / "tests/fuzz/corpus/metric_families/prometheus").read_bytes()
        content_types = [PROTOBUF] * 4 + ["none/such"]
        self.pages.answers = {f"/{i}": (content_type, body)
                              for i, content_type in enumerate(content_types)}
        servers = self.both("".join(job(f"kind{i}", self.pages.address, keys, f"/{i}")
                                    for i, keys in enumerate(self.KINDS)),
                            program=programs.find_peer("prometheus-next"))
        for i in range(len(self.KINDS)):
            with self.subTest(keys=self.KINDS[i]):
                shown = f'{{job="kind{i}",__name__!~"scrape_(duration_seconds|series_added)"}}'
                self.assert_same_soon(lambda server, shown=shown: values(server, shown), servers)
                self.assertEqual(len(self.pages.accepted[f"/{i}"]), 1,
                                 self.pages.accepted[f"/{i}"])
        natives = [len([value for value in values(servers[0], f'{{job="kind{i}"}}').values()
                        if isinstance(value, dict)]) for i in range(len(self.KINDS))]
        self.assertEqual(natives[0], 0)
        self.assertGreater(natives[1], 3)
        self.assertEqual(natives, [0, natives[1], natives[1], 0, 0])
        # They end like other series.
        self.pages.answers["/1"] = (PROTOBUF, b"")
        of_kind = '{job="kind1",__name__!="up",__name__!~"scrape_.*"}'
        for server in servers:
            programs.wait_until(lambda server=server: not values(server, of_kind),
                                "all of it ended", WITHIN_S)

    def test_a_body_that_is_cut(self):
        self.pages.answers = {"/metrics": (PROTOBUF, b"\x05\x0a\x01x")}
        server = self.lockstep(INTERVALS + "scrape_configs:\n" + job("cut", self.pages.address))
        programs.wait_until(lambda: targets(server).get("cut", {}).get("health") == "down", "down", WITHIN_S)
        self.assertIn("metric family 1: not a MetricFamily message",
                      targets(server)["cut"]["lastError"])


# Bounds in all notations, and invalid labels.
BOUNDS = b"""# TYPE seconds histogram
seconds_bucket{le="0.50"} 1
seconds_bucket{le="1"} 2
seconds_bucket{le="2.0"} 3
seconds_bucket{le="1000000"} 4
seconds_bucket{le="1e21"} 5
seconds_bucket{le="many"} 6
seconds_bucket{le="+Inf"} 7
seconds_count{quantile="1"} 7
# TYPE share summary
share{quantile="0"} 1
share{quantile="0.99"} 2
share{quantile="1"} 3
share_sum{le="1"} 4
# TYPE plain gauge
plain{le="1",quantile="1"} 1
# TYPE width gaugehistogram
width_bucket{le="1"} 1
"""


class BoundsTest(Scraping):
    """Next to a Prometheus that has only one notation of bounds."""

    def test_bounds_of_texts(self):
        self.pages.answers = {"/plain": (TEXT, BOUNDS), "/om": (OPENMETRICS, BOUNDS + b"# EOF\n")}
        servers = self.both("".join(job(name, self.pages.address, "", f"/{name}")
                                    for name in ("plain", "om")),
                            program=programs.find_peer("prometheus-next"))
        shown = '{__name__=~"seconds.*|share.*|plain|width.*"}'
        self.assert_same_soon(lambda server: values(server, shown), servers)
        self.assertEqual(list(values(servers[0], 'seconds_bucket{le="1.0",job="om"}').values()), ["2"])


# Texts that one of the two might reject.
PROMETHEUS_TEXTS = [
    b'up{a="b" c="d"} 1\n', b'up { a = "b" , } 1\n', b'a 1 -5\n', b'a -1\n', b'a{b="x\ny"} 1\n',
    b'a{,b="c"} 1\n', b'a{b="c",,d="e"} 1\n', b'a 1\r\n', b'# TYPE a info\na 1\n',
    b'# HELP a.b x\na 1\n', b'# TYPE a  gauge\na 1\n', b'a 1e400\n', b'a 1e-400\n', b'a 0x10\n',
    b'a 0x1p3\n', b'a 1_0\n', b'a inf\n', b'a infinity\n', b'a nan\n', b'a +nan\n', b'{"m.x"} 1\n',
    b'{"m.x",a="b"}1\n', b'{a="b"} 1\n', b'{__name__="b"} 1\n', b'a{__name__="b"} 1\n',
    b'a{b="c",b="d"} 1\n', b'a{b="\xff"} 1\n', b'a{""="b"} 1\n', b'{""} 1\n', b'a 1 1.5\n',
    b'a 1 # {} 1\n', b'', b'a 1', b'a{"x"} 1\n', b'a{b} 1\n', b'  a 1\n', b'#HELP a x\na 1\n',
    b'# TYPE a\na 1\n', b'# TYPE "a.b" gauge\na 1\n', b'a{b="c"}{ 1\n', b'a{b="c",} 1 123 \n',
    b'a . \n', b'a 1.\n', b'a 1e\n', b'# HELP a \xff\na 1\n', b'a{b:c="d"} 1\n', b'{"a\xff"} 1\n',
    b'# TYPE a untyped\na 1\na 2\n', b'a{"b"="c"} 1\n', b'{"a", "b"="c"} 1\n', b'# \x00 x\na 1\n',
    b'a{b="c', b'a{b="c"', b'a{', b'a', b'\n\n', b'a 1 99999999999999999999\n',
]
OPENMETRICS_TEXTS = [text + b"# EOF\n" for text in (
    b'up{a="b" c="d"} 1\n', b'up {a="b"} 1\n', b'up{ a="b"} 1\n', b'up{a="b",} 1\n',
    b'up{a="b", c="d"} 1\n', b'a 1 \n', b'a  1\n', b'\na 1\n', b'# x\na 1\n',
    b'# TYPE a untyped\na 1\n', b'# UNIT a_seconds seconds\na_seconds 1\n',
    b'# UNIT a seconds\na 1\n', b'# UNIT a \na 1\n', b'a 1 1.5\n', b'a 1 NaN\n',
    b'a 1 # {a="b"} 1\n', b'a 1 2 # {a="b"} 1 5\n', b'a 1 # {a="b",} 1\n', b'a 1 # {} 1\n',
    b'a 1 # {"a.b"="c"} 1\n', b'a 1 # {a="b"}\n', b'a 1 # {a="b"} 1 2 3\n', b'a{b="x\ny"} 1\n',
    b'# HELP a\na 1\n', b'a 1\n# EOF\nb 1\n', b'#\ta\na 1\n', b'a 1 #{} 1\n',
    b'{"m.x","l.x"="y"} 1\n', b'a 1 # {"x"} 1\n', b'a_created 123\n', b'# TYPE "a.b" gauge\na 1\n',
    b'a{b="c",b="d"} 1\n', b'# HELP a \xff\na 1\n', b'a 1 # {a="\xff"} 1\n',
    b'a 1 # {a="b"} 1 x\n', b'# UNIT a_b b c\n', b'a{"b"="c"} 1\n', b'{"a", "b"="c"} 1\n',
    b'a 1 # { a="b"} 1\n')] + [b'a 1\n', b'a 1\n# EOF', b'a 1\n# EOF\n\n', b'# EOF\n', b'']
# Repeated labels in an exemplar, and a time that fits into no integer: Prometheus accepts them.
REFUSED_HERE_ALONE = [b'a 1 # {a="b",a="c"} 1\n# EOF\n', b'a 1 1e300\n# EOF\n']


class GrammarTest(Scraping):
    def test_what_is_refused(self):
        texts = ([(TEXT, text) for text in PROMETHEUS_TEXTS] +
                 [(OPENMETRICS, text) for text in OPENMETRICS_TEXTS + REFUSED_HERE_ALONE])
        self.pages.answers = {f"/{i}": text for i, text in enumerate(texts)}
        servers = self.both("".join(job(f"text{i}", self.pages.address, "", f"/{i}")
                                    for i in range(len(texts))),
                            program=programs.find_peer("prometheus"))
        ours, theirs = [targets(server) for server in servers]
        for i, (content_type, text) in enumerate(texts):
            one, other = ours[f"text{i}"], theirs[f"text{i}"]
            expected = "down" if text in REFUSED_HERE_ALONE else other["health"]
            with self.subTest(text=text, content_type=content_type):
                self.assertEqual(one["health"], expected,
                                 (one["lastError"], other["lastError"]))


if __name__ == "__main__":
    unittest.main()
