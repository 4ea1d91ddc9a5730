"""Batch jobs push as to a Pushgateway, with Prometheus' client for Python.

LOCKSTEP_PROGRAM names the server.
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
from lockstep_server import Server

WITHIN_S = 120
TOKEN = "batch-token"


class GatewayTest(unittest.TestCase):
    def setUp(self):
        self.python = pypi.environment("clients", FOLDER / "client_requirements.txt")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-gateway-")
        self.addCleanup(folder.cleanup)
        web = pathlib.Path(folder.name) / "web.yml"
        web.write_text(f"lockstep_bearer_tokens:\n  batch: {{sha256: {credentials.digest(TOKEN)}}}\n"
                       f"  reader: {{sha256: {credentials.digest('reader')}}}\n"
                       "lockstep_roles:\n  - {token: batch, roles: [push]}\n  - {token: reader, roles: [read]}\n")
        self.server = Server.ready(pathlib.Path(folder.name), "--web.config.file", str(web))
        self.addCleanup(self.server.kill)

    def push(self, *pushes):
        result = subprocess.run([str(self.python), str(FOLDER / "gateway_sender.py")], capture_output=True, text=True,
                                timeout=WITHIN_S, input=json.dumps({"url": self.server.url, "token": TOKEN, "pushes": pushes}))
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        return json.loads(result.stdout)

    def values(self, query):
        found = programs.ask_as(self.server.url, credentials.bearer("reader"), "query", query=query)["result"]
        return {tuple(sorted(row["metric"].items())): float(row["value"][1]) for row in found}

    def test_a_push_is_there_with_its_group(self):
        begin_s = time.time()
        self.assertEqual(self.push(["push_to_gateway", "nightly job/1", {"instance": "a/b", "empty": ""},
                                    {"rows": 5, "errors_total": 2, "run_seconds": 3}]), [None])
        group = (("instance", "a/b"), ("job", "nightly job/1"))
        self.assertEqual(self.values('{__name__=~"rows|errors_total|run_seconds_(count|sum|bucket)",job="nightly job/1"}'), {
            tuple(sorted((("__name__", name), *labels, *group))): value for name, labels, value in (
                ("rows", [("table", "a b")], 5), ("errors_total", [], 2), ("run_seconds_count", [], 1),
                ("run_seconds_sum", [], 3), ("run_seconds_bucket", [("le", "1.0")], 0),
                ("run_seconds_bucket", [("le", "10.0")], 1), ("run_seconds_bucket", [("le", "+Inf")], 1))})
        [pushed_s] = self.values("push_time_seconds").values()
        self.assertTrue(begin_s - 1 <= pushed_s <= time.time() + 1)
        self.assertEqual(list(self.values("push_failure_time_seconds").values()), [0])
        about = programs.ask_as(self.server.url, credentials.bearer("reader"), "metadata", metric="rows")
        self.assertEqual(about, {"rows": [{"type": "gauge", "help": "Of rows.", "unit": ""}]})

    def test_puts_replace_posts_update_and_deletions_end(self):
        self.assertEqual(self.push(["push_to_gateway", "j", {}, {"rows": 1, "columns": 2}],
                                   ["pushadd_to_gateway", "j", {}, {"rows": 3}]), [None, None])
        self.assertEqual(sorted(self.values('{__name__=~"rows|columns"}').values()), [2, 3])
        self.assertEqual(self.push(["push_to_gateway", "j", {}, {"rows": 4}], ["push_to_gateway", "other", {}, {"rows": 5}]),
                         [None, None])
        self.assertEqual(sorted(self.values('{__name__=~"rows|columns"}').values()), [4, 5])
        self.assertEqual(self.push(["delete_from_gateway", "j", {}, {}]), [None])
        self.assertEqual(list(self.values('{__name__=~"rows|columns|push_time_seconds",job="j"}')), [])
        self.assertEqual(list(self.values('rows').values()), [5])
        # Pushed samples stay in the past.
        self.assertEqual(list(self.values('last_over_time(rows{job="j"}[1h])').values()), [4])

    def test_after_a_restart_a_group_begins_anew(self):
        self.push(["push_to_gateway", "j", {}, {"rows": 1, "columns": 2}])
        address, folder = self.server.address, self.server.data.parent
        self.server.stop()
        self.server = Server.ready(folder, "--web.config.file", str(folder / "web.yml"), http=address)
        self.addCleanup(self.server.kill)
        self.assertEqual(self.push(["push_to_gateway", "j", {}, {"rows": 3}]), [None])
        # The server no longer knows that columns were in the group; they end like every series
        # without new samples.
        self.assertEqual(sorted(self.values('{__name__=~"rows|columns"}').values()), [2, 3])
        self.push(["delete_from_gateway", "j", {}, {}])
        self.assertEqual(list(self.values('{__name__=~"rows|columns"}').values()), [2])

    def test_refusals_are_raised(self):
        [outcome] = self.push(["push_to_gateway", "j", {"__bad": "x"}, {"rows": 1}])
        self.assertIn("HTTP Error 400", outcome)


if __name__ == "__main__":
    unittest.main()
