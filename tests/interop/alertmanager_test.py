"""A lockstep tells a real Alertmanager and a webhook of alerts."""

import http.server
import json
import pathlib
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
from lockstep_server import Server
from prometheus3 import ask, push
import remote_write

WITHIN_S = 60
# Of Debian's Alertmanager, which does not start without.
TEMPLATES = pathlib.Path("/usr/share/prometheus/alertmanager")
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


class Webhook(http.server.ThreadingHTTPServer):
    """Keeps the bodies it is sent, and answers what `status` says."""

    def __init__(self):
        self.bodies = []
        self.status = 200
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if hook.status == 200:
                    hook.bodies.append(json.loads(body))
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.daemon_threads = True
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hook"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def states(self):
        return [alert["status"] for body in self.bodies for alert in body["alerts"]]


def temperature(value):
    return remote_write.protobuf(
        [({"__name__": "temp", "gpu": "3"}, [(int(time.time() * 1000), value)])])


class Receivers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "rules.yml").write_text(RULES)

    def lockstep(self, alerting):
        config = self.folder / "lockstep.yml"
        config.write_text("global: {external_labels: {cluster: c1}}\nrule_files: [rules.yml]\n"
                          "alerting:\n" + alerting)
        server = Server.ready(self.folder, "--config", str(config),
                              "--rules.alert.resend-delay", "2s",
                              "--web.external-url", "http://lockstep.example")
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def hook(self, more):
        """A server whose hook writes its arguments to a file, behind what is there."""
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

    def alertmanager(self):
        config = self.folder / "alertmanager.yml"
        config.write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
        address = programs.free_address()
        if not TEMPLATES.exists():
            raise unittest.SkipTest(f"{TEMPLATES} is missing: run './dev setup test'")
        try:
            program = programs.find_program("prometheus-alertmanager")
        except FileNotFoundError as error:
            raise unittest.SkipTest(str(error)) from error
        server = programs.Listener(
            self.folder, "alertmanager",
            [program, f"--config.file={config}", f"--storage.path={self.folder / 'am'}",
             f"--web.listen-address={address}", "--web.route-prefix=/am",
             "--cluster.listen-address="], address, "/am/-/ready")
        self.addCleanup(lambda: server.alive and server.kill())
        return server

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
        push(server, temperature(81))

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
        push(server, temperature(20))
        programs.wait_until(lambda: not alerts(), "the alert is over", WITHIN_S)

    def test_a_hook_acts_once_on_as_many_nodes_as_it_may(self):
        server = self.hook("  dry_run: false\n  min_interval: 100ms\n  max_nodes: 1\n")
        push(server, temperature(81))
        programs.wait_until(self.drained, "the node is drained", WITHIN_S)
        # Another node, and the same one again and again.
        push(server, remote_write.protobuf([({"__name__": "temp", "gpu": "4"},
                                             [(int(time.time() * 1000), 90.0)])]))
        programs.wait_until(lambda: "as many nodes as it may" in server.log, "it refuses", WITHIN_S)
        self.assertEqual(self.drained(), ["3 because"])

    def test_a_restart_does_not_make_a_hook_act_again(self):
        settings = "  dry_run: false\n  min_interval: 100ms\n  max_nodes: 1\n"
        server = self.hook(settings)
        push(server, temperature(81))
        programs.wait_until(self.drained, "the node is drained", WITHIN_S)
        server.kill()
        server = self.hook(settings)
        push(server, temperature(81))
        push(server, remote_write.protobuf([({"__name__": "temp", "gpu": "4"},
                                             [(int(time.time() * 1000), 90.0)])]))
        # The first node was done before; the second is one too many.
        programs.wait_until(lambda: "as many nodes as it may" in server.log, "it refuses", WITHIN_S)
        self.assertEqual(self.drained(), ["3 because"])

    def test_what_was_rehearsed_is_done_when_it_may_be(self):
        server = self.hook("  max_nodes: 5\n")
        push(server, temperature(81))
        programs.wait_until(lambda: "dry run: nothing was done" in server.log, "it says so",
                            WITHIN_S)
        server.kill()
        server = self.hook("  dry_run: false\n  max_nodes: 5\n")
        push(server, temperature(81))
        programs.wait_until(self.drained, "the node is drained", WITHIN_S)

    def test_a_hook_is_dry_unless_told_otherwise(self):
        server = self.hook("  max_nodes: 5\n")
        push(server, temperature(81))
        programs.wait_until(lambda: "dry run: nothing was done" in server.log, "it says so",
                            WITHIN_S)
        self.assertIn("drain.sh 3 because", server.log)
        self.assertEqual(self.drained(), [])

    def test_a_webhook_hears_once_even_if_it_was_away(self):
        hook = Webhook()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        hook.status = 503
        server = self.lockstep(f"  webhooks: [{{url: '{hook.url}'}}]\n")
        push(server, temperature(81))

        def metric(name):
            with urllib.request.urlopen(server.url + "/metrics") as answer:
                text = answer.read().decode()
            return next((float(line.split()[1]) for line in text.splitlines()
                         if line.startswith(name)), 0)
        programs.wait_until(lambda: metric("lockstep_notification_failures_total"),
                            "the webhook was asked", WITHIN_S)
        hook.status = 200
        programs.wait_until(lambda: hook.states(), "the webhook heard", WITHIN_S)
        # Several evaluations and times of telling Alertmanagers.
        evaluated = metric("lockstep_rule_group_iterations_total")
        programs.wait_until(
            lambda: metric("lockstep_rule_group_iterations_total") > evaluated + 5, "", WITHIN_S)
        self.assertEqual(hook.states(), ["firing"])
        push(server, temperature(20))
        programs.wait_until(lambda: len(hook.states()) > 1, "the webhook heard again", WITHIN_S)
        self.assertEqual(hook.states(), ["firing", "resolved"])
        [alert] = hook.bodies[0]["alerts"]
        self.assertEqual(alert["labels"]["gpu"], "3")
        self.assertEqual(hook.bodies[0]["commonLabels"]["cluster"], "c1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
