"""A lockstep sends alerts to a real Alertmanager and a webhook."""

import json
import pathlib
import sys
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import receivers
from prometheus3 import ask, push
import remote_write

WITHIN_S = 60
RULES = """
groups:
- name: g
  interval: 1s
  rules:
  - alert: Hot
    expr: temp > 80
    labels: {severity: page, secret: "1"}
    annotations: {summary: 'GPU {{ $labels.gpu }} has {{ $value }} degrees'}
"""


class Receivers(receivers.ReceiversTest):
    rules = RULES

    def hook(self, more):
        """A server whose hook appends its arguments to a file."""
        script = self.folder / "drain.sh"
        script.write_text(f'#!/bin/sh\necho "$@" >> {self.folder / "drained"}\n')
        script.chmod(0o755)
        return self.lockstep("  alertmanagers: []\nremediation:\n" + more +
                             "  hooks:\n  - name: drain\n    match: {severity: page}\n"
                             "    node_labels: [gpu]\n"
                             f"    command: [{script}, '{{{{ $labels.gpu }}}}', because]\n")

    def drained(self):
        file = self.folder / "drained"
        return file.read_text().splitlines() if file.exists() else []

    def test_an_alertmanager_hears_of_it(self):
        alertmanager = self.alertmanager()
        (self.folder / "managers.json").write_text(
            json.dumps([{"targets": [alertmanager.address], "labels": {}},
                        {"targets": ["127.0.0.1:1"], "labels": {"__meta_old": "yes"}}]))
        server = self.lockstep(
            "  alert_relabel_configs: [{action: labeldrop, regex: secret}]\n"
            "  alertmanagers:\n"
            "  - path_prefix: /am\n"
            "    file_sd_configs: [{files: [managers.json]}]\n"
            "    relabel_configs: [{source_labels: [__meta_old], regex: 'yes', action: drop}]\n")
        push(server, receivers.temperature(3, 81))

        def alerts():
            with urllib.request.urlopen(alertmanager.url + "/am/api/v2/alerts") as answer:
                return json.load(answer)
        [alert] = programs.wait_until(alerts, "the Alertmanager has the alert", WITHIN_S)
        self.assertEqual(alert["labels"], {"alertname": "Hot", "cluster": "c1", "gpu": "3",
                                           "severity": "page"})
        self.assertEqual(alert["annotations"], {"summary": "GPU 3 has 81 degrees"})
        self.assertEqual(alert["generatorURL"],
                         "http://lockstep.example/graph?g0.expr=temp+%3E+80&g0.tab=1")
        self.assertEqual(ask(server, "alertmanagers")[1]["data"], {
            "activeAlertmanagers": [{"url": f"{alertmanager.url}/am/api/v2/alerts"}],
            "droppedAlertmanagers": [{"url": "http://127.0.0.1:1/am/api/v2/alerts"}]})
        push(server, receivers.temperature(3, 20))
        programs.wait_until(lambda: not alerts(), "the alert is over", WITHIN_S)

    def test_a_hook_acts_once_on_as_many_nodes_as_it_may(self):
        server = self.hook("  dry_run: false\n  min_interval: 100ms\n  max_nodes: 1\n")
        push(server, receivers.temperature(3, 81))
        programs.wait_until(self.drained, "the node is drained", WITHIN_S)
        # Another node, and the same one repeatedly.
        push(server, remote_write.protobuf([({"__name__": "temp", "gpu": "4"},
                                             [(int(time.time() * 1000), 90.0)])]))
        programs.wait_until(lambda: "max_nodes reached" in server.log, "it refuses", WITHIN_S)
        self.assertEqual(self.drained(), ["3 because"])

    def test_a_restart_does_not_make_a_hook_act_again(self):
        settings = "  dry_run: false\n  min_interval: 100ms\n  max_nodes: 1\n"
        server = self.hook(settings)
        push(server, receivers.temperature(3, 81))
        programs.wait_until(self.drained, "the node is drained", WITHIN_S)
        server.kill()
        server = self.hook(settings)
        push(server, receivers.temperature(3, 81))
        push(server, remote_write.protobuf([({"__name__": "temp", "gpu": "4"},
                                             [(int(time.time() * 1000), 90.0)])]))
        # The first node was handled before; the second exceeds the limit.
        programs.wait_until(lambda: "max_nodes reached" in server.log, "it refuses", WITHIN_S)
        self.assertEqual(self.drained(), ["3 because"])

    def test_what_was_rehearsed_is_done_when_it_may_be(self):
        server = self.hook("  max_nodes: 5\n")
        push(server, receivers.temperature(3, 81))
        programs.wait_until(lambda: "dry run: nothing was done" in server.log, "it says so",
                            WITHIN_S)
        server.kill()
        server = self.hook("  dry_run: false\n  max_nodes: 5\n")
        push(server, receivers.temperature(3, 81))
        programs.wait_until(self.drained, "the node is drained", WITHIN_S)

    def test_a_hook_is_dry_unless_told_otherwise(self):
        server = self.hook("  max_nodes: 5\n")
        push(server, receivers.temperature(3, 81))
        programs.wait_until(lambda: "dry run: nothing was done" in server.log, "it says so",
                            WITHIN_S)
        self.assertIn("drain.sh 3 because", server.log)
        self.assertEqual(self.drained(), [])

    def test_a_webhook_hears_once_even_if_it_was_away(self):
        hook = self.receiver(receivers.Receiver())
        hook.status = 503
        server = self.lockstep(f"  webhooks: [{{url: '{hook.url}'}}]\n")
        push(server, receivers.temperature(3, 81))

        programs.wait_until(lambda: receivers.metric(server, "lockstep_notification_failures_total"),
                            "the webhook was asked", WITHIN_S)
        hook.status = 200
        programs.wait_until(lambda: hook.states(), "the webhook heard", WITHIN_S)
        # Several evaluations and notifications of Alertmanagers.
        evaluated = receivers.metric(server, "lockstep_rule_group_iterations_total")
        programs.wait_until(
            lambda: receivers.metric(server, "lockstep_rule_group_iterations_total") > evaluated + 5, "", WITHIN_S)
        self.assertEqual(hook.states(), ["firing"])
        push(server, receivers.temperature(3, 20))
        programs.wait_until(lambda: len(hook.states()) > 1, "the webhook heard again", WITHIN_S)
        self.assertEqual(hook.states(), ["firing", "resolved"])
        [alert] = hook.bodies[0]["alerts"]
        self.assertEqual(alert["labels"]["gpu"], "3")
        self.assertEqual(hook.bodies[0]["commonLabels"]["cluster"], "c1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
