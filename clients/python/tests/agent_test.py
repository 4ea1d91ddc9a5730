"""Tests lockstep-agent against a real server, with the kernel's files and a fake NVIDIA library."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import fake_gpus
import lockstep_server
import programs
from lockstep import Client

WITHIN_S = 300
INTERVAL_S = 0.1


class AgentTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-agent-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def agent(self, url, *flags, library="missing.so"):
        agent = programs.Program(
            self.folder, "agent", [sys.executable, "-m", "lockstep.agent", "--url", url, "--interval",
                                   str(INTERVAL_S), *flags],
            env={**os.environ, "LOCKSTEP_NVML": library, "NODE_NAME": "node7"})
        self.addCleanup(lambda: agent.alive and agent.kill())
        return agent

    def test_counters_arrive_on_a_grid_until_the_end(self):
        server = lockstep_server.Server.ready(self.folder)
        self.addCleanup(server.kill)
        client = Client(server.url)
        self.addCleanup(client.close)
        agent = self.agent(server.url, "--push-every", "3", "--label", "cluster=a",
                           library=fake_gpus.build(self.folder))
        programs.wait_until(lambda: client.query("count_over_time(node_load1[1h]) > 10"), "ten samples", WITHIN_S)
        self.assertEqual(agent.stop(), 0, agent.log)

        clocks = client.query("DCGM_FI_DEV_SM_CLOCK[1h]").series
        self.assertEqual([(series.labels["gpu"], series.labels["Hostname"], series.labels["cluster"],
                           set(series.values)) for series in clocks],
                         [(gpu, "node7", "a", {1755}) for gpu in "01"])
        times_ms = [round(time * 1000) for time in clocks[0].times_s]
        self.assertEqual({time % 100 for time in times_ms}, {0})
        self.assertEqual(client.query("DCGM_FI_PROF_SM_ACTIVE").values("gpu"), {"0": 0.02})
        [load] = client.query("node_load1[1h]").series
        self.assertEqual(load.labels, {"__name__": "node_load1", "Hostname": "node7", "instance": "node7",
                                       "cluster": "a"})
        self.assertEqual(load.times_s, clocks[0].times_s)
        self.assertGreater(client.query("lockstep_agent_cpu_seconds_total").series[0].values[0], 0)

    def test_without_gpus_and_server_it_waits_and_says_so(self):
        agent = self.agent("http://127.0.0.1:1", "--push-every", "1")
        programs.wait_until(lambda: "samples wait" in agent.log, "it says that samples wait", WITHIN_S)
        self.assertEqual(agent.stop(), 0)
        self.assertRegex(agent.log, "no GPUs are sampled: .*missing.so")
        self.assertEqual(len(re.findall("samples wait", agent.log)), 1)
        self.assertIn("ended with samples that could not be sent", agent.log)

    def test_flags_that_make_no_sense(self):
        for flags in (["--interval", "0"], ["--label", "x"], ["--push-every", "99"], ["--url", "nowhere"]):
            ended = subprocess.run([sys.executable, "-m", "lockstep.agent", *flags], stderr=subprocess.PIPE,
                                   text=True, timeout=WITHIN_S, check=False)
            self.assertNotEqual(ended.returncode, 0, flags)
            self.assertNotIn("Traceback", ended.stderr)


if __name__ == "__main__":
    unittest.main()
