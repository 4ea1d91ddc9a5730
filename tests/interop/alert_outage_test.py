"""What a pager receives from a lockstep whose receivers were away or slow: what is true, and soon.

Most tests have a real Alertmanager between the lockstep and the pager.
"""

import datetime
import json
import os
import pathlib
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import receivers
from prometheus3 import ask, push

WITHIN_S = 60
# How soon a receiver is notified once it is back, on busy machines.
SOON_S = 15
RULES = """
groups:
- name: g
  interval: 1s
  rules:
  - {alert: Hot, expr: temp > 80}
"""
# So that repeated notifications do not hide missing ones.
NEVER_AGAIN = "1h"


def end_of(alert):
    """The endsAt in Unix seconds."""
    return datetime.datetime.fromisoformat(alert["endsAt"].replace("Z", "+00:00")).timestamp()


class AlertOutageTest(receivers.ReceiversTest):
    rules = RULES

    def setUp(self):
        super().setUp()
        self.hook = self.receiver(receivers.Receiver())

    def gate(self, name="alertmanager"):
        """An Alertmanager behind a gate that posts to the hook."""
        made = receivers.Gate(self.alertmanager(self.hook, name=name).address)
        self.addCleanup(made.ended.set)
        return self.receiver(made)

    @staticmethod
    def managers(*addresses, more=""):
        return (f"  alertmanagers:\n  - path_prefix: /am\n{more}"
                f"    static_configs: [{{targets: {json.dumps(addresses)}}}]\n")

    def firing(self, server):
        """The GPUs of firing alerts."""
        return sorted(alert["labels"].get("gpu") for alert in ask(server, "alerts")[1]["data"]["alerts"]
                      if alert["state"] == "firing")

    def heat(self, server, gpu, value):
        """Until the rule has been evaluated with it."""
        push(server, receivers.temperature(gpu, value))
        programs.wait_until(lambda: (str(gpu) in self.firing(server)) == (value > 80),
                            f"the rule sees GPU {gpu}", WITHIN_S)

    def await_evaluations(self, server, count):
        name = "lockstep_rule_group_iterations_total"
        before = receivers.metric(server, name)
        programs.wait_until(lambda: receivers.metric(server, name) >= before + count,
                            f"{count} evaluations", WITHIN_S)

    def await_states(self, *states, hook=None, within_s=WITHIN_S):
        hook = hook or self.hook
        programs.wait_until(lambda: hook.states()[:len(states)] == list(states) or
                            len(hook.states()) > len(states), f"{states}", within_s)
        self.assertEqual(hook.states(), list(states))

    def await_tries(self, gate, count):
        before = gate.requests
        programs.wait_until(lambda: gate.requests >= before + count, "it is tried", WITHIN_S)

    def assert_true_when_sent(self, gate):
        """Every alert in the gate's bodies: all fired, each occurs once per body, and none ends
        before its response.
        """
        self.assertTrue(gate.bodies)
        for came_s, body in gate.bodies:
            labels = [json.dumps(alert["labels"], sort_keys=True) for alert in body]
            self.assertEqual(len(labels), len(set(labels)))
            for alert in body:
                self.assertGreater(end_of(alert), came_s)

    def test_an_alert_that_fires_all_the_time_is_never_over(self):
        address = programs.free_address()
        server = self.lockstep(self.managers(address), resend_delay="1s")
        self.heat(server, 3, 81)
        told_first_s = time.time()
        failures = "lockstep_notification_failures_total"
        # By then everything sent at the beginning has ended, four resend delays and the timeout
        # later.
        programs.wait_until(lambda: time.time() > told_first_s + 16 and
                            receivers.metric(server, failures) > 3, "it was away for long", WITHIN_S)
        self.alertmanager(self.hook, address)
        self.await_states("firing", within_s=SOON_S)
        self.await_evaluations(server, 10)
        self.assertEqual(self.hook.states(), ["firing"])

    def test_what_is_sent_after_an_outage_is_what_is_true_then(self):
        gate = self.gate()
        server = self.lockstep(self.managers(gate.address), NEVER_AGAIN)
        for gpu in (1, 2):
            self.heat(server, gpu, 81)
        self.await_states("firing", "firing")
        gate.status = 503
        gate.bodies.clear()
        self.heat(server, 1, 20)    # resolved
        self.heat(server, 2, 20)    # resolved, and firing again
        self.await_tries(gate, 2)
        self.heat(server, 2, 81)
        self.heat(server, 4, 81)    # as if it had never fired
        self.heat(server, 4, 20)
        self.await_tries(gate, 2)
        gate.status = 200
        self.await_states("firing", "firing", "resolved", within_s=SOON_S)
        self.await_evaluations(server, 5)
        self.await_states("firing", "firing", "resolved")
        self.assertEqual(self.hook.bodies[-1]["alerts"][0]["labels"]["gpu"], "1")
        self.assertEqual(sorted((alert["labels"]["gpu"], end_of(alert) < came_s)
                                for came_s, body in gate.bodies for alert in body),
                         [("1", True), ("2", False), ("4", True)])

    def test_one_of_two_that_is_away_does_not_hold_up_the_other(self):
        here, away = self.gate("here"), self.gate("away")
        away.status = 503
        server = self.lockstep(self.managers(here.address, away.address), NEVER_AGAIN)
        self.heat(server, 3, 81)
        programs.wait_until(lambda: here.bodies, "the one that is there hears", SOON_S)
        self.await_tries(away, 2)
        self.heat(server, 3, 20)
        programs.wait_until(lambda: len(here.bodies) == 2, "it hears of the end", SOON_S)
        self.assertEqual(away.bodies, [])
        away.status = 200
        programs.wait_until(lambda: away.bodies, "the other one hears", SOON_S)
        self.await_states("firing", "resolved")

    def test_one_that_answers_late_does_not_hear_of_an_end(self):
        gate = self.gate()
        gate.answer_after_s = 20
        # Three requests that time out take longer than four resend delays.
        server = self.lockstep(self.managers(gate.address, more="    timeout: 3s\n"), "1s")
        self.heat(server, 3, 81)
        programs.wait_until(lambda: len(gate.bodies) >= 5, "it is told again", WITHIN_S)
        self.assertEqual(self.hook.states(), ["firing"])
        self.assert_true_when_sent(gate)

    def test_a_restart_within_the_outage(self):
        gate = self.gate()
        server = self.lockstep(self.managers(gate.address))
        self.heat(server, 3, 81)
        self.await_states("firing")
        gate.status = 503
        self.await_tries(gate, 1)
        server.stop()
        gate.bodies.clear()
        server = self.lockstep(self.managers(gate.address))
        self.heat(server, 3, 81)
        self.await_tries(gate, 2)
        gate.status = 200
        programs.wait_until(lambda: gate.bodies, "it hears again", SOON_S)
        self.await_evaluations(server, 5)
        self.assertEqual(self.hook.states(), ["firing"])
        self.assert_true_when_sent(gate)

    def test_a_webhook_hears_what_is_true_then(self):
        self.hook.status = 503
        server = self.lockstep(f"  webhooks: [{{url: '{self.hook.url}'}}]\n")
        self.heat(server, 3, 81)
        self.heat(server, 3, 20)
        self.heat(server, 3, 81)
        self.hook.status = 200
        self.await_states("firing", within_s=SOON_S)
        [alert] = ask(server, "alerts")[1]["data"]["alerts"]
        [told] = self.hook.bodies[0]["alerts"]
        self.assertEqual(told["startsAt"][:19], alert["activeAt"][:19])
        self.await_evaluations(server, 5)
        self.assertEqual(self.hook.states(), ["firing"])

    def test_a_reload_within_the_outage_loses_no_end(self):
        webhook = f"  webhooks: [{{url: '{self.hook.url}'}}]\n"
        server = self.lockstep(webhook, NEVER_AGAIN)
        self.heat(server, 3, 81)
        self.await_states("firing")
        self.hook.status = 503
        self.heat(server, 3, 20)
        self.configure(webhook + "  alertmanagers: []\n")
        os.kill(server.pid, signal.SIGHUP)
        programs.wait_until(lambda: "configuration reloaded" in server.log, "", WITHIN_S)
        self.await_evaluations(server, 5)
        self.hook.status = 200
        self.await_states("firing", "resolved", within_s=SOON_S)

    def test_one_that_is_found_late_hears_at_once(self):
        manager = self.alertmanager(self.hook)
        server = self.lockstep("  alertmanagers:\n  - path_prefix: /am\n"
                               "    file_sd_configs: [{files: [managers.json]}]\n", NEVER_AGAIN)
        self.heat(server, 3, 81)
        (self.folder / "managers.json").write_text(json.dumps([{"targets": [manager.address]}]))
        self.await_states("firing")

    def test_alerts_that_relabelling_makes_one_fire_while_any_does(self):
        relabelling = "  alert_relabel_configs: [{action: labeldrop, regex: gpu}]\n"
        webhook = self.receiver(receivers.Receiver())
        gate = self.gate()
        server = self.lockstep(relabelling + self.managers(gate.address) +
                               f"  webhooks: [{{url: '{webhook.url}'}}]\n", "1s")
        for gpu in (1, 2):
            self.heat(server, gpu, 81)
        self.heat(server, 1, 20)
        push(server, receivers.temperature(2, 82))
        self.await_evaluations(server, 5)
        self.assertEqual((self.hook.states(), webhook.states()), (["firing"], ["firing"]))
        self.heat(server, 2, 20)
        self.await_states("firing", "resolved")
        self.await_states("firing", "resolved", hook=webhook)


if __name__ == "__main__":
    unittest.main(verbosity=2)
