"""A Thanos next to lockstep: its sidecar serves lockstep's data to its querier, whose responses
equal lockstep's plus the external labels; and its query frontend works in front of lockstep.

LOCKSTEP_PROGRAM names the server. tools/build_thanos.sh build/tools builds Thanos; without it the
test is skipped.
"""

import json
import pathlib
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
from lockstep_server import Server

THANOS = programs.ROOT / "build/tools/thanos"
EXTERNAL = {"cluster": "c1", "replica": "1"}
CONFIG = 'global:\n  external_labels: {cluster: c1, replica: "1"}\n'
SCRAPE = 'scrape_configs:\n- job_name: nobody\n  static_configs: [{targets: ["127.0.0.1:1"]}]\n'
RULES = """
groups:
- name: heat
  interval: 1s
  rules:
  - {alert: Hot, expr: temp > 41, for: 1h, labels: {severity: page}, annotations: {summary: hot}}
  - {record: "gpu:temp:max", expr: "max by (gpu) (temp)"}
"""
WITHIN_S = 60
STEP_S = 15
SAMPLES = 480
# These keep the labels of the series, and have the external ones through Thanos.
KEPT = ("temp", 'temp{gpu=~"0|2"}', 'temp{gpu!="1"} offset 10m', "rate(steps_total[5m])", "max_over_time(temp[30m:1m])", "temp[2m]",
        "changes(gaps[1h])", "gaps", "latency", "rate(latency[5m])", "none", "-temp", "temp > 41",
        # Its Prometheus is older and rounds differently.
        "round(histogram_quantile(0.9, latency), 1e-9)")
# These list the labels that they keep.
AGGREGATED = ("sum(temp)", "sum by (gpu) (rate(steps_total[5m]))", "count(gaps)", "avg without (gpu, cluster, replica) (temp)",
              "histogram_sum(sum(latency))", "scalar(sum(temp)) + 1", "1 + 1", "topk(1, sum by (gpu) (temp))", "quantile(0.5, temp)")
REFUSED = ("temp +", "rate(temp)")


def series(now_ms):
    begin_ms = now_ms - SAMPLES * STEP_S * 1000
    times = [begin_ms + i * STEP_S * 1000 for i in range(SAMPLES)]
    found = [({"__name__": "temp", "gpu": str(gpu)}, [(at, 40 + (i * (gpu + 1)) % 7 / 3) for i, at in enumerate(times)])
             for gpu in range(3)]
    found += [({"__name__": "steps_total", "gpu": str(gpu)}, [(at, i * (gpu + 1)) for i, at in enumerate(times)])
              for gpu in range(3)]
    found.append(({"__name__": "gaps"}, [(at, remote_write.STALE if i % 40 < 9 else i // 9) for i, at in enumerate(times)]))
    return remote_write.protobuf(found) + remote_write.protobuf([({"__name__": "latency"}, [
        (at, remote_write.Histogram(schema=2, zero_threshold=2.0 ** -128, zero_count=0, count=3 * i + 3, sum=2.5 * i,
                                    positive={-1: i + 1, 0: i + 1, 3: i + 1}, negative={}))
        for i, at in enumerate(times)])])


def with_external(result, labels=EXTERNAL):
    """A result with external labels added."""
    if not isinstance(result, list) or not result or "metric" not in result[0]:
        return result
    return [{**row, "metric": {**row["metric"], **labels}} for row in result]


def in_order(result):
    if not isinstance(result, list) or not result or not isinstance(result[0], dict):
        return result
    return sorted(result, key=lambda row: sorted(row.get("metric", row).items()))


class ThanosTest(unittest.TestCase):
    def setUp(self):
        if not THANOS.exists():
            raise unittest.SkipTest(f"{THANOS} is missing: run 'tools/build_thanos.sh build/tools'")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-thanos-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # What Thanos writes while running must not be among lockstep's data.
        self.scratch = self.folder / "thanos"
        self.scratch.mkdir()
        # The frontend aligns ranges to multiples of their steps.
        self.now_s = int(time.time()) // 600 * 600
        self.tenant = {}
        self.server = None
        self.addCleanup(lambda: self.server is not None and self.server.kill())

    def start_lockstep(self, config=CONFIG, http="127.0.0.1:0"):
        path = self.folder / "lockstep.yml"
        path.write_text(config)
        self.server = Server.ready(self.folder, "--config", str(path), http=http)

    def fill(self):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        answer = connection.send("POST", remote_write.PATH, remote_write.snappy(series(self.now_s * 1000)), remote_write.HEADERS)
        self.assertTrue(answer.stored, answer.text)

    def arguments(self, component, *flags):
        http = programs.free_address()
        # It waits for requests in progress, up to two minutes by default.
        return [str(THANOS), component, f"--http-address={http}", "--http-grace-period=1s", *flags], http

    def start(self, component, *flags):
        arguments, http = self.arguments(component, *flags)
        program = programs.Listener(self.folder, component, arguments, http, "/-/ready", cwd=self.scratch)
        self.addCleanup(lambda: program.alive and program.kill())
        return program

    def sidecar_flags(self):
        grpc = programs.free_address()
        return grpc, (f"--grpc-address={grpc}", "--grpc-grace-period=1s", f"--prometheus.url={self.server.url}",
                      "--prometheus.get_config_interval=1s")

    def start_query(self, *endpoints_and_flags):
        flags = [word if word.startswith("--") else f"--endpoint={word}" for word in endpoints_and_flags]
        return self.start("query", f"--grpc-address={programs.free_address()}", "--grpc-grace-period=1s", *flags)

    def start_querier(self):
        grpc, flags = self.sidecar_flags()
        self.sidecar = self.start("sidecar", *flags)
        querier = self.start_query(grpc)
        programs.wait_until(lambda: self.label_sets(querier) == [EXTERNAL], "the querier knows the sidecar", WITHIN_S)
        return querier

    def label_sets(self, querier):
        return [labels for stores in programs.ask(querier.url, "stores").values() for store in stores
                if not store["lastError"] for labels in store["labelSets"]]

    def answer(self, server, path, **parameters):
        """(status, data or None)"""
        request = urllib.request.Request(f"{server.url}/api/v1/{path}?{urllib.parse.urlencode(parameters, doseq=True)}",
                                         headers=self.tenant)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                document = json.load(answer)
                self.assertFalse(document.get("warnings"), document)
                return answer.status, document["data"]
        except urllib.error.HTTPError as error:
            error.close()
            return error.code, None

    def total(self, server, name):
        """The sum of one of its own counters over all labels."""
        with urllib.request.urlopen(f"{server.url}/metrics", timeout=60) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))

    def check(self, theirs, path, change, **parameters):
        """The other server's response equals lockstep's, with the change applied."""
        with self.subTest(path=path, **parameters):
            status, ours = self.answer(self.server, path, **parameters)
            their_status, found = self.answer(theirs, path, **parameters)
            self.assertEqual(their_status, status, found)
            if status == 200 and path.startswith("query"):
                self.assertEqual(found["resultType"], ours["resultType"])
                ours, found = ours["result"], found["result"]
            self.assertEqual(in_order(found), in_order(change(ours)))
            return found

    def check_queries(self, theirs, change):
        some = 0
        span = {"start": self.now_s - 3600, "end": self.now_s, "step": 60}
        for queries, changed in ((KEPT, change), (AGGREGATED, lambda result: result), (REFUSED, lambda result: result)):
            for query in queries:
                some += bool(self.check(theirs, "query", changed, query=query, time=self.now_s))
                some += bool(self.check(theirs, "query_range", changed, query=query, **span))
        # `none` has no data, and a range of ranges is an error.
        self.assertEqual(some, 2 * (len(KEPT) + len(AGGREGATED)) - 3)

    def check_names(self, theirs, change, more_names):
        span = {"start": self.now_s - 3600, "end": self.now_s}
        for match in ("temp", '{gpu="1"}', '{__name__=~".+"}'):
            self.check(theirs, "series", lambda rows: [change([{"metric": row}])[0]["metric"] for row in rows],
                       **{"match[]": match}, **span)
            self.check(theirs, "labels", lambda names: sorted({*names, *more_names}), **{"match[]": match}, **span)
            self.check(theirs, "label/gpu/values", lambda values: values, **{"match[]": match}, **span)
        self.check(theirs, "labels", lambda names: sorted({*names, *more_names}), **span)
        self.check(theirs, "label/__name__/values", lambda values: values, **span)

    def test_sidecar_and_querier(self):
        self.start_lockstep()
        self.fill()
        querier = self.start_querier()
        self.check_queries(querier, with_external)
        self.check_names(querier, with_external, EXTERNAL)
        for label, value in EXTERNAL.items():
            self.assertEqual(self.answer(querier, f"label/{label}/values"), (200, [value]))
        # Matchers on external labels select servers.
        self.assertEqual(self.answer(querier, "query", query='temp{cluster="c2"}', time=self.now_s)[1]["result"], [])
        self.assertEqual(self.answer(querier, "query", query='count(temp{cluster="c1"})', time=self.now_s)[1]["result"][0]["value"][1], "3")

    def test_rules_targets_and_metadata(self):
        (self.folder / "rules.yml").write_text(RULES)
        self.start_lockstep(config=f"{CONFIG}rule_files: [rules.yml]\n{SCRAPE}")
        connection = self.server.connect()
        self.addCleanup(connection.close)
        text = b"# HELP steps_total Steps so far.\n# TYPE steps_total counter\nsteps_total 5\n"
        self.assertTrue(connection.send("POST", "/api/v1/import/prometheus", text).stored)
        querier = self.start_querier()
        [group] = self.answer(querier, "rules")[1]["groups"]
        self.assertEqual([(rule["name"], rule["query"], rule["labels"]) for rule in group["rules"]], [
            ("Hot", "temp > 41", {**EXTERNAL, "severity": "page"}), ("gpu:temp:max", "max by (gpu) (temp)", EXTERNAL)])
        [target] = programs.wait_until(lambda: self.answer(querier, "targets")[1]["activeTargets"], "the target is known", WITHIN_S)
        self.assertEqual(target["labels"], {"instance": "127.0.0.1:1", "job": "nobody", **EXTERNAL})
        self.assertEqual(self.answer(querier, "metadata"), (200, {"steps_total": [
            {"type": "counter", "help": "Steps so far.", "unit": ""}]}))

    def test_two_of_the_same(self):
        """From a pair with the same data, the querier returns one result, without the label that
        distinguishes them.
        """
        self.start_lockstep()
        self.fill()
        first, flags = self.sidecar_flags()
        self.start("sidecar", *flags)
        twin = self.folder / "twin"
        twin.mkdir()
        (twin / "lockstep.yml").write_text(CONFIG.replace('"1"', '"2"'))
        other = self.server
        self.addCleanup(other.kill)
        self.server = Server.ready(twin, "--config", str(twin / "lockstep.yml"))
        self.fill()
        second, flags = self.sidecar_flags()
        self.start("sidecar", *flags)
        querier = self.start_query(first, second, "--query.replica-label=replica")
        programs.wait_until(lambda: len(self.label_sets(querier)) == 2, "the querier knows both", WITHIN_S)
        self.check_queries(querier, lambda result: with_external(result, {"cluster": "c1"}))
        found = self.answer(querier, "query", query="count(temp)", dedup="false", time=self.now_s)[1]["result"]
        self.assertEqual(found[0]["value"][1], "6")

    def test_lockstep_starts_again(self):
        self.start_lockstep()
        self.fill()
        querier = self.start_querier()
        expected = self.answer(querier, "query", query="temp", time=self.now_s)
        address = self.server.address
        self.server.stop()
        programs.wait_until(lambda: not self.label_sets(querier), "the querier misses the sidecar", WITHIN_S)
        self.start_lockstep(http=address)
        programs.wait_until(lambda: self.label_sets(querier) == [EXTERNAL], "the querier knows the sidecar again", WITHIN_S)
        self.assertEqual(self.answer(querier, "query", query="temp", time=self.now_s), expected)
        self.assertEqual(len(expected[1]["result"]), 3)
        self.assertTrue(self.sidecar.alive)

    def test_a_sidecar_needs_external_labels(self):
        self.start_lockstep(config="{}\n")
        arguments, _ = self.arguments("sidecar", *self.sidecar_flags()[1])
        sidecar = programs.Program(self.folder, "sidecar", arguments, cwd=self.scratch)
        self.addCleanup(lambda: sidecar.alive and sidecar.kill())
        self.assertEqual(sidecar.wait(), 1)
        self.assertIn("no external labels configured", sidecar.log)

    def test_query_frontend(self):
        self.start_lockstep()
        self.fill()
        frontend = self.start("query-frontend", f"--query-frontend.downstream-url={self.server.url}",
                              "--query-range.split-interval=10m", "--query-range.response-cache-config={type: IN-MEMORY, "
                              "config: {max_size: 10MB}}")
        # By default it uses the tenant `anonymous`.
        self.assertEqual(self.answer(frontend, "query", query="temp", time=self.now_s)[1]["result"], [])
        self.tenant = {"THANOS-TENANT": "default"}
        # The second time, parts of the responses are cached.
        for _ in range(2):
            self.check_queries(frontend, lambda result: result)
        self.check_names(frontend, lambda result: result, ())
        self.assertGreater(self.total(frontend, "thanos_frontend_split_queries_total"), 100)
        self.assertGreater(self.total(frontend, "cortex_cache_hits_total"), 0)


if __name__ == "__main__":
    unittest.main()
