"""A lockstep and a Prometheus 3 evaluate the same rule files over the same samples."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
from lockstep_server import Server
from prometheus3 import ask, push, send, start_prometheus
import remote_write

WITHIN_S = 60
CONFIG = """
global: {evaluation_interval: 1s, external_labels: {cluster: c1}}
rule_files: [rules/*.yml]
"""
RULES = """
groups:
- name: recorded
  labels: {team: infra}
  rules:
  - record: gpu:power:double
    expr: 2 * power
    labels: {job: "", by: rule}
  - record: gpu:power:fourfold
    expr: 2 * gpu:power:double
    labels: {team: own}
  - record: scalar
    expr: 1 + 1
  - record: twice_the_same
    expr: power
    labels: {gpu: x}
- name: alerts
  interval: 2s
  limit: 10
  rules:
  - alert: Fires
    expr: power > 200
    labels: {severity: '{{ if gt $value 250.0 }}page{{ else }}note{{ end }}'}
    annotations:
      summary: 'GPU {{ $labels.gpu }} takes {{ $value | humanize }}W in {{ $externalLabels.cluster }}'
      query: '{{ range query "power" }}{{ .Labels.gpu }}={{ .Value | printf "%.1f" }};{{ end }}'
      broken: '{{ query "nothing" | len }}'
  - alert: Pends
    expr: power > 100
    for: 1h
    keep_firing_for: 5m
  - alert: Sleeps
    expr: power > 1e6
  - alert: Fails
    expr: '{__name__=~"power|other"} / on() power'
"""

def content():
    """The content of a write request: the power of two GPUs."""
    now_ms = int(time.time() * 1000)
    return remote_write.protobuf(
        [({"__name__": "power", "gpu": gpu, "job": "a"}, [(now_ms, value)])
         for gpu, value in (("0", 150.0), ("1", 300.5))] +
        [({"__name__": "other", "gpu": "0"}, [(now_ms, 1.0)])])


def normal(document):
    """Alerts without their times, sorted."""
    def walk(node):
        if isinstance(node, dict):
            return {key: walk(value) for key, value in node.items()
                    if key not in ("lastEvaluation", "activeAt", "evaluationTime", "lastError")}
        if isinstance(node, list):
            nodes = [walk(value) for value in node]
            is_alerts = nodes and isinstance(nodes[0], dict) and "activeAt" in str(node[0])
            return sorted(nodes, key=json.dumps) if is_alerts else nodes
        return pathlib.Path(node).name if isinstance(node, str) and node.endswith(".yml") else node
    return walk(document)


def result(server, query):
    """The current {labels: value}."""
    status, answer = ask(server, "query", query=query)
    assert status == 200, answer
    return {json.dumps(row["metric"], sort_keys=True): row["value"][1]
            for row in answer["data"]["result"]}


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "rules").mkdir()
        (self.folder / "rules" / "a.yml").write_text(RULES)
        (self.folder / "lockstep.yml").write_text(CONFIG)

    def lockstep(self, *flags):
        server = Server.ready(self.folder, "--config", str(self.folder / "lockstep.yml"),
                              "--web.enable-lifecycle", *flags)
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def await_states(self, server, wanted):
        """Until the alerting rules have these states."""
        def states():
            rules = [rule for group in ask(server, "rules", type="alert")[1]["data"]["groups"]
                     for rule in group["rules"]]
            return {rule["name"]: rule["state"] for rule in rules}
        programs.wait_until(lambda: states() == wanted, f"alerts are {wanted}", WITHIN_S)

    def test_same_answers_as_prometheus(self):
        prometheus = start_prometheus(self.folder, config=CONFIG)
        self.addCleanup(lambda: prometheus.alive and prometheus.kill())
        servers = self.lockstep(), prometheus
        for server in servers:
            push(server, content())
        states = {"Fires": "firing", "Pends": "pending", "Sleeps": "inactive", "Fails": "inactive"}
        for server in servers:
            self.await_states(server, states)
            programs.wait_until(lambda server=server: result(server, "ALERTS"), "there are ALERTS",
                                WITHIN_S)
            programs.wait_until(lambda server=server: result(server, "gpu:power:fourfold"),
                                "rules are recorded", WITHIN_S)
        for path, form in (("rules", {}), ("alerts", {}), ("rules", {"type": "record"}),
                           ("rules", {"rule_name[]": ["Pends", "scalar"]}),
                           ("rules", {"rule_group[]": "alerts", "exclude_alerts": "true"}),
                           ("rules", {"match[]": '{team="own"}'}),
                           ("rules", {"file[]": "none.yml"}),
                           ("rules", {"group_limit": "5"})):
            ours, theirs = (ask(server, path, **form)[1] for server in servers)
            self.maxDiff = None
            self.assertEqual(normal(ours), normal(theirs), (path, form))
        for query in ("ALERTS", "gpu:power:double", "gpu:power:fourfold", "scalar",
                      "count(ALERTS_FOR_STATE)", "twice_the_same"):
            # A state is reported before its sample is stored.
            programs.wait_until(lambda query=query: result(servers[0], query) == result(servers[1], query),
                                f"both have the same {query}", WITHIN_S)
        errors = [[rule.get("lastError", "") != "" for group in ask(server, "rules")[1]["data"]["groups"]
                   for rule in group["rules"]] for server in servers]
        self.assertEqual(errors[0], errors[1])

    def test_pages_of_groups(self):
        server = self.lockstep()
        names, token = [], ""
        for _ in range(3):
            form = {"group_limit": "1"} | ({"group_next_token": token} if token else {})
            data = ask(server, "rules", **form)[1]["data"]
            names += [group["name"] for group in data["groups"]]
            token = data.get("groupNextToken")
            if not token:
                break
        self.assertEqual(names, ["alerts", "recorded"])
        self.assertEqual(ask(server, "rules", group_limit="1", group_next_token="x")[0], 400)

    def test_reload(self):
        server = self.lockstep()
        push(server, content())
        file = self.folder / "rules" / "a.yml"
        file.write_text("groups: [{name: broken, rules: [{record: a}]}]\n")
        status, _, body = send(server, "POST", "/-/reload")
        self.assertEqual(status, 500)
        self.assertIn(b"a.yml line 1: a rule needs", body)
        names = [group["name"] for group in ask(server, "rules")[1]["data"]["groups"]]
        self.assertEqual(names, ["alerts", "recorded"])
        file.write_text("groups: [{name: new, rules: [{record: fresh, expr: power}]}]\n")
        os.kill(server.pid, signal.SIGHUP)
        programs.wait_until(lambda: result(server, "fresh"), "the new rules are there", WITHIN_S)
        self.assertEqual(result(server, "gpu:power:double"), {})

    def test_backfill(self):
        server = Server.ready(self.folder)
        self.addCleanup(lambda: server.alive and server.kill())
        end_s = int(time.time()) // 60 * 60
        start_s = end_s - 3600
        push(server, remote_write.protobuf(
            [({"__name__": "power", "gpu": "0"},
              [((start_s + 60 * i) * 1000, float(i)) for i in range(61)])]))
        file = self.folder / "past.yml"
        file.write_text("groups: [{name: g, interval: 30s, rules: [{record: twice, expr: 2 * power}, "
                        "{record: fourfold, expr: 2 * twice, labels: {by: rule}}]}]\n")
        done = subprocess.run(
            [os.environ["LOCKSTEP_PROGRAM"], "rules", "backfill", "--url", server.url, "--start",
             str(start_s), "--end", str(end_s), str(file)],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # One sample every half minute, both ends included.
        self.assertIn("fourfold: 121 samples", done.stdout)
        answer = ask(server, "query", query="fourfold", time=end_s)[1]["data"]["result"]
        self.assertEqual([(row["metric"]["by"], row["value"][1]) for row in answer],
                         [("rule", "240")])

    def test_pending_alerts_go_on_after_a_kill(self):
        flags = ("--rules.alert.for-grace-period", "1s")
        server = self.lockstep(*flags)
        push(server, content())
        programs.wait_until(lambda: result(server, 'ALERTS_FOR_STATE{alertname="Pends"}'),
                            "the pending alert is written", WITHIN_S)
        before = set(result(server, 'ALERTS_FOR_STATE{alertname="Pends"}').values())
        server.kill()
        time.sleep(3)
        server = self.lockstep(*flags)
        programs.wait_until(lambda: result(server, 'ALERTS{alertname="Pends"}') and
                            ask(server, "alerts")[1]["data"]["alerts"], "it is back", WITHIN_S)

        def restored():
            # Moved by the server's downtime, which is less than a minute.
            now = result(server, 'timestamp(ALERTS_FOR_STATE{alertname="Pends"})')
            since = result(server, 'ALERTS_FOR_STATE{alertname="Pends"}')
            return now and all(0 <= float(value) - min(map(float, before)) < 60
                               for value in since.values())
        programs.wait_until(restored, "it goes on where it was", WITHIN_S)


if __name__ == "__main__":
    unittest.main(verbosity=2)
