"""The Model Context Protocol over recorded jobs: the official SDK asks by both transports, and plain requests show
what the SDK never sends.

LOCKSTEP_PROGRAM names the server.
"""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
sys.path.insert(0, str(FOLDER.parent / "grafana"))
import credentials
import lockstep_server
import pypi
from programs import ROOT
from recordings import Recordings

WITHIN_S = 120
JOB, OTHER = "straggler-loader", "straggler-pcie"
TRUTH = {job["job"]: job for job in json.loads((ROOT / "demo/data/truth.json").read_text())["jobs"]}
# While the job runs.
TIME_S = 1795242230
QUESTIONS = (
    ("list_jobs", {"start": 1795242000, "end": 1795243500}),
    ("find_stragglers", {"job": JOB}),
    ("find_bottlenecks", {"job": "input-bound"}),
    ("get_mfu", {"job": "pretrain-bf16"}),
    ("list_events", {"job": "loss-spike"}),
    ("get_report", {"job": JOB}),
    ("query", {"query": f'max by (rank) (train_step{{job="{JOB}"}})', "time": TIME_S}),
    ("query_range", {"query": f'avg(train_loss{{job="{JOB}"}})', "start": TIME_S - 60, "end": TIME_S}),
    ("look_up_cookbook", {"search": "which rank delays the others"}),
    ("list_annotations", {}),
    ("find_stragglers", {"job": "no-such-job"}),
    ("query", {"query": "sum("}),
    ("find_stragglers", {}),
    ("no_such_tool", {}),
)


def initialize(version):
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}


class SdkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("mcp", FOLDER / "requirements.txt")
        cls.server = Recordings(cls).lockstep

    def ask(self, *transport):
        result = subprocess.run([str(self.python), str(FOLDER / "sdk_client.py"), *transport], input=json.dumps(QUESTIONS),
                                capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        return json.loads(result.stdout)

    def check(self, told):
        self.assertEqual((told["name"], told["version"]), ("lockstep", "2025-06-18"))
        self.assertTrue({tool for tool, _ in QUESTIONS} - {"no_such_tool"} <= set(told["tools"]))
        for name, tool in told["tools"].items():
            self.assertTrue(tool["read_only"], name)
        self.assertIn("lockstep://cookbook/training-mfu", told["resources"])
        self.assertIn("##", told["cookbook"])
        (jobs, stragglers, bottlenecks, mfu, events, report, vector, matrix, cookbook, annotations, missing, malformed,
         incomplete, unknown) = told["calls"]
        self.assertEqual({job["job"] for job in jobs["structured"]["jobs"]} - {"sweep-healthy", "lockstep"}, set(TRUTH))
        [rank] = stragglers["structured"]["ranks"]
        self.assertEqual([rank["rank"]], TRUTH[JOB]["affected_ranks"])
        self.assertIn("verdict: slow_rank", stragglers["text"])
        self.assertIn("cause: loader", stragglers["text"])
        self.assertIn("input_bound", bottlenecks["text"])
        self.assertAlmostEqual(mfu["structured"]["mfu"],
                               TRUTH["pretrain-bf16"]["measured"]["whole"]["0"]["mfu_bf16"], places=2)
        self.assertIn("loss_spike", [event["kind"] for event in events["structured"]["events"]])
        self.assertIn("Rank 1", report["text"])
        self.assertEqual(report["structured"], {"text": report["text"]})
        self.assertEqual(len(vector["structured"]["result"]), 4)
        self.assertIn("metric:\n    rank: 0\n", vector["text"])
        [series] = matrix["structured"]["result"]
        self.assertGreater(len(series["values"]), 30)
        self.assertIn("Which rank delays the others?", cookbook["text"])
        self.assertEqual(annotations["structured"], {"items": []})
        for failed, words in ((missing, "no-such-job"), (malformed, "parse error")):
            self.assertTrue(failed["is_error"])
            self.assertIn(words, failed["text"])
        self.assertEqual((incomplete["code"], unknown["code"]), (-32602, -32602))

    def test_http(self):
        self.check(self.ask("http", f"{self.server.url}/mcp"))

    def test_stdio(self):
        self.check(self.ask("stdio", os.environ["LOCKSTEP_PROGRAM"], "mcp", "--url", self.server.url))


class PlainTest(unittest.TestCase):
    """Without the SDK."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "web.yml").write_text(credentials.tokens_by_role())
        cls.server = lockstep_server.Server.ready(cls.folder, "--web.config.file", str(cls.folder / "web.yml"))
        cls.addClassCleanup(cls.server.kill)

    def send(self, body, token="read", method="POST", **headers):
        """(status, parsed body or None)"""
        connection = http.client.HTTPConnection(self.server.address, timeout=WITHIN_S)
        self.addCleanup(connection.close)
        text = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection.request(method, "/mcp", text, {"Content-Type": "application/json", **credentials.bearer(token),
                                                  **{name.replace("_", "-"): value for name, value in headers.items()}})
        answer = connection.getresponse()
        content = answer.read()
        is_json = (answer.getheader("Content-Type") or "").startswith("application/json")
        return answer.status, json.loads(content) if is_json else None

    def stdio(self, text, *flags):
        done = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "mcp", "--url", self.server.url, *flags], input=text,
                              capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_versions_are_agreed_on(self):
        for version in ("2024-11-05", "2025-03-26", "2025-06-18"):
            self.assertEqual(self.send(initialize(version))[1]["result"]["protocolVersion"], version)
        self.assertEqual(self.send(initialize("1999-01-01"))[1]["result"]["protocolVersion"], "2025-06-18")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.send(ping, MCP_Protocol_Version="2025-06-18")[0], 200)
        self.assertEqual(self.send(ping, MCP_Protocol_Version="1999-01-01")[0], 400)
        self.assertEqual(self.send([ping, ping], MCP_Protocol_Version="2025-03-26")[1],
                         [{"jsonrpc": "2.0", "id": 1, "result": {}}] * 2)
        self.assertEqual(self.send([ping], MCP_Protocol_Version="2025-06-18")[1]["error"]["code"], -32600)

    def test_only_who_may_read_may_ask(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.send(ping, None)[0], 401)
        for token in ("write", "push", credentials.IDLE):
            self.assertEqual(self.send(ping, token)[0], 403)
        self.assertEqual(self.send(ping, "admin")[0], 200)

    def test_pages_of_other_sites_may_not(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.send(ping, Origin="http://evil.example")[0], 403)
        self.assertEqual(self.send(ping, Host="evil.example", Origin="http://evil.example")[0], 403)
        self.assertEqual(self.send(ping, Origin=self.server.url)[0], 200)

    def test_statuses_of_the_transport(self):
        self.assertEqual(self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}), (202, None))
        self.assertEqual(self.send(None, method="GET")[0], 405)
        self.assertEqual(self.send(None, method="DELETE")[0], 405)
        status, told = self.send(b"{")
        self.assertEqual((status, told["error"]["code"]), (400, -32700))
        self.assertEqual(self.send(b" " * (2 << 20))[0], 413)

    def test_lines_on_standard_input(self):
        (self.folder / "token").write_text("read")
        ping = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
        answers = self.stdio(f'{ping}\n\n{{\n{" " * (2 << 20)}x\n{{"jsonrpc": "2.0", "method": "x"}}\n{ping}')
        self.assertEqual([one.get("result", one.get("error", {}).get("code")) for one in answers],
                         [{}, -32700, -32600, {}])
        listed = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_jobs"}}\n'
        [refused] = self.stdio(listed)
        self.assertTrue(refused["result"]["isError"])
        self.assertIn("Unauthorized", refused["result"]["content"][0]["text"])
        [allowed] = self.stdio(listed, "--token-file", str(self.folder / "token"))
        self.assertEqual(allowed["result"]["structuredContent"], {"jobs": []})

    def test_a_server_that_is_away_is_told(self):
        done = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "mcp", "--url", "http://127.0.0.1:1"], text=True,
                              input='{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_jobs"}}',
                              capture_output=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0)
        result = json.loads(done.stdout)["result"]
        self.assertTrue(result["isError"])
        self.assertIn("127.0.0.1", result["content"][0]["text"])


if __name__ == "__main__":
    unittest.main()
