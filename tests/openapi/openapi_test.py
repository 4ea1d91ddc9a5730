"""docs/openapi.yaml and the server have the same paths and methods, and responses match their
schemas.

LOCKSTEP_PROGRAM names the server.
"""

import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
sys.path.insert(0, str(FOLDER.parent / "grafana"))
import datadog_payload
import programs
import pypi
import remote_write
from recordings import Recordings, pushed_lines

DOCUMENT = programs.ROOT / "docs/openapi.yaml"
ROUTE = re.compile(r'^ +\{"(/[^"]*)", k', re.M)
JOB = "straggler-loader"
AT = {"time": "1795242060"}
RANGE = {"start": "1795242060", "end": "1795242090"}
LOSS = {"query": "train_loss"}
# Path and parameters, requested with GET and, where the path accepts forms, with POST as well.
ASKED = (
    ("/", {}), ("/assets/{file}", {}), ("/-/healthy", {}), ("/-/ready", {}), ("/metrics", {}),
    ("/api/v1/export", {"match[]": "train_loss"}), ("/api/v1/export", {}),
    ("/ping", {}), ("/health", {}), ("/query", {"q": 'CREATE DATABASE "telegraf"'}), ("/query", {"q": "SELECT 1"}),
    ("/datadog/api/v1/validate", {}),
    ("/api/v1/query", {**LOSS, **AT}), ("/api/v1/query", {"query": "train_loss[10s]", **AT, "stats": "all"}),
    ("/api/v1/query", {"query": "1", **AT}), ("/api/v1/query", {"query": '"text"', **AT}),
    ("/api/v1/query", {"query": "sum("}),
    ("/api/v1/query", {"query": "train_loss * on (job) train_loss", **AT}), ("/api/v1/query", {"query": "taken"}),
    ("/api/v1/query_range", {**LOSS, **RANGE, "step": "10", "limit": "1"}), ("/api/v1/query_range", LOSS),
    ("/api/v1/query_range", {"query": "DCGM_FI_DEV_POWER_USAGE", "axis": "step", "job": JOB}),
    ("/api/v1/query_range", {**LOSS, **RANGE, "step": "10", "units": "role"}),
    ("/api/v1/query_range", {**LOSS, **RANGE, "step": "10", "reduce": "min,max,last,count"}),
    ("/api/v1/query_range", {**LOSS, **RANGE, "step": "10", "reduce": "max", "resolution": "20"}),
    ("/api/v1/query_range", {"query": "DCGM_FI_DEV_POWER_USAGE", "axis": "step", "job": JOB, "per_step": "integral"}),
    ("/api/v1/query_range", {**LOSS, "axis": "step", "job": JOB, "per_step": "sum"}),
    ("/api/v1/explain", {"query": "sum(train_loss)", **RANGE, "step": "10", "reduce": "max"}),
    ("/api/v1/query", {**LOSS, **AT, "units": "MB"}),
    ("/api/v1/explain", {"query": "sum(rate(train_step[10s]))", **AT}),
    ("/api/v1/series", {"match[]": "train_loss"}), ("/api/v1/series", {}),
    ("/api/v1/labels", {}), ("/api/v1/labels", {"match[]": "{"}), ("/api/v1/label/{name}/values", {}),
    ("/api/v1/query_exemplars", {**LOSS, **RANGE}), ("/api/v1/format_query", LOSS),
    ("/api/v1/parse_query", {"query": "sum(rate(a[5m]))"}),
    ("/api/v1/metadata", {}), ("/federate", {"match[]": "train_loss"}), ("/api/v1/rules", {}),
    ("/api/v1/rules", {"type": "no"}),
    ("/api/v1/alerts", {}), ("/api/v1/targets", {}), ("/api/v1/targets/metadata", {}), ("/api/v1/scrape_pools", {}),
    *((f"/api/v1/status/{name}", {}) for name in ("buildinfo", "runtimeinfo", "flags", "config", "walreplay", "tsdb",
                                                  "cardinality", "memory", "active_queries")),
    ("/api/v1/status/tsdb", {"limit": "0"}), ("/api/v1/training/jobs", {"start": "1795242000", "end": "1795243500"}),
    *((f"/api/v1/training/{name}", {"job": job}) for job in (JOB, "fake-load", "no-such-job")
      for name in ("stragglers", "bottlenecks", "mfu", "ledger", "forecast", "history", "parallelism", "events", "steps",
                   "report")),
    ("/api/v1/training/ledger", {"job": JOB, "price": "3.2", "kwh_price": "0.12"}),
    ("/api/v1/training/forecast", {"job": JOB, "total_steps": "1e6", "price": "3.2", "mtbf_hours": "24"}),
    ("/api/v1/training/forecast", {"job": JOB, "total_steps": "-1"}),
    ("/api/v1/fleet/lemons", {}), ("/api/v1/fleet/lemons", {"start": "yesterday"}),
    ("/api/v1/annotations", {}), ("/api/v1/annotations", {"job": JOB, "kind": "profile", "tag": "nightly", "limit": "1"}),
    ("/api/v1/annotations", {"limit": "x"}),
    ("/api/v1/training/events", {"job": "loss-spike"}), ("/api/v1/training/events", {}),
    ("/api/v1/training/hang", {"job": JOB}), ("/api/v1/training/hang", {"job": "dumped"}),
    ("/api/v1/training/hang", {"job": "dumped", "format": "text"}), ("/api/v1/training/hang", {"job": "no-such-job"}),
    ("/api/v1/training/hang", {}), ("/api/v1/training/hang", {"job": JOB, "format": "x"}),
    ("/api/v1/training/stragglers", {"job": JOB, "method": "no"}),
    ("/api/v1/training/identity", {"job": JOB}), ("/api/v1/training/identity", {"gpu": "GPU-0f7d"}),
    ("/api/v1/training/identity", {}), ("/api/v1/training/identity", {"job": "no-such-job"}),
    ("/api/v1/training/roles", {}), ("/api/v1/training/roles", {"metric": "DCGM_FI_DEV_FB_USED"}), ("/api/v1/alertmanagers", {}),
    ("/api/v1/training/compare", {"runs": "pretrain-bf16,pretrain-fp8"}), ("/api/v1/training/compare", {}),
    ("/api/v1/training/heatmap", {"job": JOB, "metric": "own_seconds"}),
    ("/api/v1/training/heatmap", {"job": JOB, "metric": "DCGM_FI_PROF_SM_ACTIVE"}),
    ("/api/v1/training/heatmap", {"job": JOB, "metric": "own_seconds", "rows": "2", "only": "max"}),
    ("/api/v1/training/heatmap", {"job": JOB, "metric": "own_seconds", "only": "median"}),
    ("/api/v1/features", {}), ("/api/v1/openapi.yaml", {}), ("/api/v1/notifications", {}),
    ("/api/v1/status/tsdb/blocks", {}), ("/api/v1/status/self_metrics", {}),
    ("/api/v1/status/self_metrics", {"metric_name_pattern": "("}),
    ("/api/v1/targets/relabel_steps", {}), ("/api/v1/targets/relabel_steps", {"scrapePool": "own", "labels": '{"a": "b"}'}),
    *((f"/api/v1/search/{name}", {"label": "job", "search[]": "s", **RANGE})
      for name in ("metric_names", "label_names", "label_values")),
    ("/api/v1/search/label_values", {}),
    ("/debug/pprof/", {}), ("/debug/pprof/heap", {}), ("/debug/pprof/cmdline", {}),
    ("/debug/pprof/profile", {"seconds": "1"}), ("/debug/pprof/profile", {"seconds": "x"}),
)
# What a flight recorder says of a rank that waits alone.
DUMP = json.dumps({"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
                   "entries": [{"record_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 1,
                                "profiling_name": "nccl:all_reduce", "state": "scheduled"}]}).encode()
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# What is sent: method, path with parameters, body, headers.
SENT = (
    ("POST", "/api/v1/write", remote_write.body([({"__name__": "taken"}, [(1795242060000, 1.5)])]),
     remote_write.HEADERS),
    ("POST", "/api/v1/write", b"\xff", remote_write.HEADERS),
    ("POST", "/api/v1/otlp/v1/metrics", b"{}", {"Content-Type": "application/json"}),
    ("POST", "/v1/metrics", b"{}", {"Content-Type": "application/json"}),
    ("POST", "/write", b"taken,host=a value=1 1795242060000000000", {}), ("POST", "/write", b"taken value=x", {}),
    ("POST", "/api/v2/write", b"taken,host=b value=1 1795242060000000000", {}),
    ("POST", "/api/v2/write", b"taken value=x", {}), ("POST", "/api/v2/write", b"", {"Content-Encoding": "br"}),
    ("POST", "/api/v1/import", b'{"metric":{"__name__":"taken"},"values":[2],"timestamps":[1795242060000]}', {}),
    ("POST", "/api/v1/import", b"x", {}), ("POST", "/api/v1/import/prometheus", b"taken 3 1795242061000", {}),
    *((method, f"/metrics/{job}/{{group}}", b"taken 4\n", {}) for job in ("job", "job@base64")
      for method in ("PUT", "POST", "DELETE")), ("PUT", "/metrics/job/{group}", b"taken x\n", {}),
    *(("POST", f"/datadog/api/{version}/series", body, {"Content-Type": "application/json"}) for version in ("v1", "v2")
      for body in (b'{"series":[{"metric":"taken","points":[[1795242062,5]]}]}', b"x")),
    *(("POST", f"/datadog/{path}", b"{}", {"Content-Type": "application/json"})
      for path in ("api/beta/sketches", "api/v1/check_run", "api/v1/metadata", "intake", "intake/")),
    ("POST", "/datadog/api/v2/series", datadog_payload.message([("taken", [(1795242063, 6)], ["a:b"], [])]),
     {"Content-Type": "application/x-protobuf"}),
    ("POST", "/api/v1/push/steps", pushed_lines(), {}),
    ("POST", "/api/v1/push/steps", b"no step\n", {}),
    ("POST", "/api/v1/push/steps", b"", {"X-Lockstep-Stream": "s", "X-Lockstep-Offset": "7"}),
    ("POST", "/api/v1/push/log", b"iter 10: loss 4.1234, time 123.45ms, mfu 41.20%\n", {}),
    ("POST", "/api/v1/push/dump?job=dumped&rank=0", DUMP, {}), ("POST", "/api/v1/push/dump?job=dumped&rank=1", b"x", {}),
    ("POST", "/api/v1/push/dump?job=dumped&rank=0", DUMP, {"Content-Encoding": "br"}),
    ("DELETE", "/api/v1/status/active_queries/{id}", None, {}),
    ("POST", "/api/v1/training/register", b'{"job": "llm-7", "rank": 3, "host": "n1", "gpu": 3, "uuid": "GPU-0f7d"}', {}),
    ("POST", "/api/v1/training/register", b'{"rank": 3}', {}),
    *(("POST", "/api/v1/annotations", body, {}) for body in (
        b'{"job": "straggler-loader", "id": "p", "kind": "profile", "start": 1795242232, "tags": ["nightly"]}',
        b'[{"job": "straggler-loader", "id": "n", "text": "a note", "time": 1795242233, "step": 7}, {"text": "x"}]',
        b'{"text": ', b'{"txt": "x"}', b" " * (5 << 20))),
    ("POST", "/api/v1/annotations", b"x", {"Content-Encoding": "br"}),
    *(("POST", "/mcp", body, {"Content-Type": "application/json"}) for body in (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', b'{"jsonrpc": "2.0", "method": "x"}', b"{",
        b" " * (2 << 20))),
    ("POST", "/-/reload", b"", {}),
    ("POST", "/api/v1/admin/tsdb/delete_series", b"match[]=taken", FORM),
    ("POST", "/api/v1/admin/tsdb/clean_tombstones", b"", FORM),
    ("PUT", "/api/v1/admin/tsdb/snapshot", b"", FORM),
    ("POST", "/api/v1/admin/backup", b"to=/elsewhere", FORM),
)
IN_PATHS = {"{name}": "job", "{id}": "4711", "{file}": "none.js", "{group}": "bmlnaHRseQ"}


def filled(path):
    for name, value in IN_PATHS.items():
        path = path.replace(name, value)
    return path


class OpenApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("openapi", FOLDER / "requirements.txt")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        config = pathlib.Path(folder.name) / "lockstep.yml"
        config.write_text("scrape_configs: [{job_name: own, relabel_configs: [{target_label: c, replacement: d}]}]\n")
        cls.server = Recordings(cls, "--web.enable-admin-api", "--config", str(config)).lockstep
        cls.operations = cls.check([])["operations"]

    @classmethod
    def check(cls, answers):
        result = subprocess.run([str(cls.python), str(FOLDER / "check.py"), str(DOCUMENT)], input=json.dumps(answers),
                                capture_output=True, text=True, timeout=120)
        if result.returncode != 0:
            raise AssertionError(result.stderr[-2000:])
        return json.loads(result.stdout)

    def ask(self, method, path, parameters="", body=None, headers=()):
        """The response in check.py's format."""
        connection = http.client.HTTPConnection(self.server.address, timeout=60)
        connection.request(method, filled(path) + (f"?{parameters}" if parameters else ""), body, dict(headers))
        response = connection.getresponse()
        answer = {"method": method.lower(), "path": path, "status": response.status,
                  "allow": response.getheader("Allow"),
                  "type": response.getheader("Content-Type") or "", "body": response.read().decode(errors="replace")}
        connection.close()
        return answer

    def test_the_document_is_one(self):
        self.assertEqual(self.check([])["wrong"], [])

    def test_every_route_of_the_server_is_in_the_document(self):
        routes = {route.rstrip("*") for route in ROUTE.findall((programs.ROOT / "api/routes.cc").read_text())}
        self.assertGreater(len(routes), 40)
        told = {re.sub(r"\{(\w+)\}", r":\1", path) for path in self.operations}
        self.assertEqual(routes | {"/metrics", "/api/v1/status/self_metrics"}, told, "docs/openapi.yaml and the routes of api/routes.cc")

    def test_methods_are_the_servers(self):
        for path, methods in self.operations.items():
            with self.subTest(path=path):
                answer = self.ask("PATCH", path)
                self.assertEqual(answer["status"], 405)
                allowed = {method.lower() for method in answer["allow"].split(", ")} - {"head", "options"}
                self.assertEqual(allowed, set(methods))

    def test_answers_have_the_forms_that_it_tells(self):
        answers = [self.ask(method, *path.partition("?")[::2], body, headers) for method, path, body, headers in SENT]
        for path, parameters in ASKED:
            form = urllib.parse.urlencode(parameters)
            answers.append(self.ask("GET", path, form))
            if "post" in self.operations[path]:
                answers.append(self.ask("POST", path, "", form, FORM))
        self.assertEqual(self.check(answers)["wrong"], [])
        asked = {answer["path"] for answer in answers}
        # tests/interop covers remote read, tests/http the endless stream.
        self.assertEqual(set(self.operations) - asked, {"/api/v1/read", "/api/v1/notifications/live"})
        well = {answer["path"] for answer in answers if answer["status"] < 300}
        self.assertEqual(asked - well,
                         {"/-/reload", "/api/v1/status/active_queries/{id}", "/api/v1/admin/backup", "/assets/{file}",
                          "/datadog/api/beta/sketches"})

    def test_a_wrong_answer_is_found(self):
        wrong = self.check([{"method": "get", "path": "/api/v1/labels", "status": 200, "type": "application/json",
                             "body": '{"status": "success", "data": ["a", 7]}'}])["wrong"]
        self.assertEqual(len(wrong), 1)
        self.assertIn("data/1", wrong[0])


if __name__ == "__main__":
    unittest.main()
