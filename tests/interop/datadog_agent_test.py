"""The Datadog agent's own configuration, metric types, serializer and forwarder send to lockstep
what arrives by DogStatsD, and the agent's other payloads.

LOCKSTEP_PROGRAM names the server. tools/build_datadog_agent.sh build/tools builds the agent's
parts; without them the test is skipped.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import credentials
import programs
from lockstep_server import Server

AGENT = programs.ROOT / "build/tools/datadog-agent-core"
WITHIN_S = 60
KEY = "0123456789abcdef0123456789abcdef"
READER = "fedcba9876543210fedcba9876543210"
UNKNOWN = "00000000000000000000000000000000"
HOST = "node-7"


class Agent:
    """The agent's parts as a child process, with a datadog.yaml."""

    def __init__(self, folder, url, key=KEY, **settings):
        config = folder / "datadog.yaml"
        # JSON is YAML.
        config.write_text(json.dumps({"api_key": key, "dd_url": f"{url}/datadog", "hostname": HOST, **settings}))
        self._log = folder / "agent.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen([str(AGENT), str(config)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=log, text=True)

    def tell(self, *lines):
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def counts(self):
        """The counters of its forwarder since the start."""
        self.tell("?")
        line = self._process.stdout.readline()
        while line and not line.startswith("{"):
            line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError(f"the agent ended; {self._log.read_text()[-2000:]}")
        return json.loads(line)

    def key_status(self):
        counts = self.counts()
        return [*counts["APIKeyStatus"].values(), *counts["APIKeyFailure"].values()]

    def await_answers(self):
        """The counters after every payload was accepted or finally rejected."""
        def all_answered():
            counts = self.counts()["Transactions"]
            return counts["Success"] + counts["Dropped"] == sum(counts["InputCountByEndpoint"].values()) and counts
        return programs.wait_until(all_answered, "all payloads are answered", WITHIN_S)

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


def by_endpoint(counts):
    return {name: count for name, count in counts.items() if count}


class DatadogAgentTest(unittest.TestCase):
    def setUp(self):
        if not AGENT.exists():
            raise unittest.SkipTest(f"{AGENT} is missing: run 'tools/build_datadog_agent.sh build/tools'")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-datadog-agent-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        web = self.folder / "web.yml"
        web.write_text(f"lockstep_bearer_tokens:\n  agent: {{sha256: {credentials.digest(KEY)}}}\n"
                       f"  reader: {{sha256: {credentials.digest(READER)}}}\n"
                       "lockstep_roles:\n  - {token: agent, roles: [write]}\n  - {token: reader, roles: [read]}\n")
        self.start_server()
        self.addCleanup(lambda: self.server.kill())

    def start_server(self, http="127.0.0.1:0"):
        self.server = Server.ready(self.folder, "--web.config.file", str(self.folder / "web.yml"), http=http)

    def agent(self, **settings):
        agent = Agent(self.folder, self.server.url, **settings)
        self.addCleanup(agent.close)
        return agent

    def values(self, query):
        found = programs.ask_as(self.server.url, credentials.bearer(READER), "query", query=f"last_over_time({query}[5m])")["result"]
        return {tuple(sorted(row["metric"].items())): float(row["value"][1]) for row in found}

    def test_all_that_it_sends(self):
        agent = self.agent()
        agent.tell("queue.depth:7|g|#job:llm,canary", "queue.depth:9|g|#job:llm,canary", "steps:30|c", "steps:12|c",
                   *(f"step.time:{value}|h" for value in range(1, 101)), "load.time:250|ms", "users:ann|s", "users:bob|s",
                   "users:ann|s", "latency:1.5|d", "_sc|gpu.ok|1|#gpu:3", "_e{5,4}:title|text|#job:llm", "")
        counts = agent.await_answers()
        self.assertEqual(by_endpoint(counts["SuccessByEndpoint"]), {"series_v2": 1, "check_run_v1": 1, "intake": 2, "metadata_v1": 1})
        # Only distributions are rejected, and they are not sent again.
        self.assertEqual(by_endpoint(counts["DroppedByEndpoint"]), {"sketches_v2": 1})
        self.assertEqual(counts["HTTPErrorsByCode"], {"400": 1})
        self.assertEqual((counts["Errors"], counts["Retried"], counts["RetryQueueSize"]), (0, 0, 0))
        programs.wait_until(agent.key_status, "the key is validated", WITHIN_S)
        self.assertEqual(agent.key_status(), ["API Key valid"])
        host = ("host", HOST)
        # Counters are rates over the ten seconds between flushes, as at Datadog; the agent turns a
        # histogram into these five.
        self.assertEqual(self.values('{__name__=~".+"}'), {
            (("__name__", "queue.depth"), ("canary", "no_label_value"), host, ("job", "llm")): 9,
            (("__name__", "steps"), host): 4.2,
            (("__name__", "step.time.count"), host): 10,
            (("__name__", "step.time.avg"), host): 50.5,
            (("__name__", "step.time.median"), host): 50,
            (("__name__", "step.time.95percentile"), host): 95,
            (("__name__", "step.time.max"), host): 100,
            (("__name__", "load.time.count"), host): 0.1,
            **{(("__name__", f"load.time.{name}"), host): 250 for name in ("avg", "median", "95percentile", "max")},
            (("__name__", "users"), host): 2})

    def test_all_of_its_forms(self):
        for i, settings in enumerate(({"serializer_compressor_kind": "zstd"}, {"serializer_compressor_kind": "zlib"},
                                      {"serializer_compressor_kind": "gzip"}, {"serializer_compressor_kind": "none"},
                                      {"use_v2_api": {"series": False}}, {"forwarder_http_protocol": "http1"})):
            with self.subTest(**settings):
                agent = self.agent(**settings)
                agent.tell(f"form.{i}:{i + 0.5}|g|#a:b", "_sc|gpu.ok|0", "")
                counts = agent.await_answers()
                self.assertEqual(counts["HTTPErrors"] + counts["Errors"], 0)
                version = "series_v1" if "use_v2_api" in settings else "series_v2"
                self.assertEqual(counts["SuccessByEndpoint"][version], 1)
                self.assertEqual(self.values(f'{{"form.{i}"}}'), {(("__name__", f"form.{i}"), ("a", "b"), ("host", HOST)): i + 0.5})

    def test_many_series(self):
        agent = self.agent(serializer_max_series_points_per_payload=300)
        agent.tell(*(f"many:{i}|g|#i:{i}" for i in range(1000)), "")
        counts = agent.await_answers()
        self.assertEqual(counts["SuccessByEndpoint"]["series_v2"], 4)
        self.assertEqual(self.values("many"), {(("__name__", "many"), ("host", HOST), ("i", str(i))): i for i in range(1000)})

    def test_what_it_does_after_a_refusal(self):
        reader = self.agent(key=READER)
        reader.tell("refused:1|g", "")
        counts = reader.await_answers()
        self.assertEqual(set(counts["HTTPErrorsByCode"]), {"403"})
        self.assertEqual(counts["Success"], 0)
        # With an unknown key it keeps the payloads and retries.
        unknown = self.agent(key=UNKNOWN)
        unknown.tell("refused:1|g", "")
        programs.wait_until(lambda: "series_v2" in unknown.counts()["Transactions"]["RequeuedByEndpoint"], "it tries again", WITHIN_S)
        counts = unknown.counts()["Transactions"]
        self.assertEqual(set(counts["HTTPErrorsByCode"]), {"401"})
        self.assertEqual(counts["Dropped"], 0)
        # By default it uses version 3 of the API only for Datadog's own addresses.
        newer = self.agent(use_v3_api={"series": {"enabled": "true"}})
        newer.tell("refused:1|g", "")
        programs.wait_until(lambda: "series_v3" in newer.counts()["Transactions"]["RequeuedByEndpoint"], "it tries again", WITHIN_S)
        self.assertEqual(set(newer.counts()["Transactions"]["HTTPErrorsByCode"]), {"404"})
        self.assertEqual(self.values("refused"), {})

    def test_it_waits_for_a_server_that_starts_again(self):
        agent = self.agent()
        agent.tell("before:1|g", "")
        agent.await_answers()
        address = self.server.address
        self.server.stop()
        agent.tell("while.away:2|g", "")
        programs.wait_until(lambda: agent.counts()["Transactions"]["RetryQueueSize"], "the payload waits", WITHIN_S)
        self.start_server(http=address)
        counts = agent.await_answers()
        self.assertEqual(counts["SuccessByEndpoint"]["series_v2"], 2)
        self.assertEqual(counts["Dropped"], 0)
        self.assertEqual(self.values('{"while.away"}'), {(("__name__", "while.away"), ("host", HOST)): 2})


if __name__ == "__main__":
    unittest.main()
