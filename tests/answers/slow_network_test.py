"""A job's steps become longer because of one host's network interface or one GPU's NVLink: the
ranks behind it are named over HTTP. The job is synthetic: steps by remote write, and interface
counters as from node_exporter, without a job label.
"""

import contextlib
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs
import recorded_jobs

BEGIN_S = 1_700_000_000
STEPS = 240
SLOW_FROM = 120
HOSTS = 4
SCRAPE_S = 15


def step_ends(slow_seconds):
    at = BEGIN_S
    for step in range(STEPS):
        at += 1.0 if step < SLOW_FROM else slow_seconds
        yield step, at


def step_series(job, slow_seconds):
    """Two ranks per host. A slow link makes communication longer for all ranks, but no rank's own
    work.
    """
    series = {}

    def add(name, rank, at, value, **labels):
        key = {"__name__": name, "job": job, "rank": str(rank), "Hostname": f"{job}-{rank // 2}"} | labels
        series.setdefault(tuple(sorted(key.items())), []).append((int(at * 1000), value))

    before = BEGIN_S
    for step, at in step_ends(slow_seconds):
        for rank in range(2 * HOSTS):
            # GPUs differ a little, and so do steps.
            own = 0.6 * (1 + 0.002 * (rank % 3) + 0.001 * (step % 5))
            add("train_step", rank, at, step)
            add("train_step_time_seconds", rank, at, at - before)
            add("train_phase_seconds", rank, at, own, phase="forward")
            add("train_phase_seconds", rank, at, at - before - own, phase="allreduce")
        before = at
    return series


def total(until_s, slow_from_s, before, after):
    """Samples of a counter with one rate before the steps became longer and another one afterwards."""
    value = 5000.0
    for at in range(BEGIN_S - 60, int(until_s) + SCRAPE_S, SCRAPE_S):
        yield at * 1000, value
        value += SCRAPE_S * (before if at < slow_from_s else after)


def interface_series(job, slow_seconds, errors_of_host):
    ends = dict(step_ends(slow_seconds))
    series = {}
    for host in range(HOSTS):
        labels = {"instance": f"{job}-{host}.cluster:9100", "job": "node", "device": "mlx5_2", "port": "1"}
        rates = {"node_infiniband_port_data_transmitted_bytes_total": (9e9, 9e9 / slow_seconds),
                 "node_infiniband_symbol_error_total": (0, errors_of_host.get(host, 0)),
                 "node_infiniband_link_downed_total": (0, 0)}
        for name, (before, after) in rates.items():
            key = tuple(sorted({"__name__": name, **labels}.items()))
            series[key] = list(total(ends[STEPS - 1], ends[SLOW_FROM - 1], before, after))
    return series


def nvlink_series(job, slow_seconds, errors_of_rank):
    ends = dict(step_ends(slow_seconds))
    return {tuple(sorted({"__name__": "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "job": job,
                          "rank": str(rank), "gpu": str(rank % 2), "Hostname": f"{job}-{rank // 2}"}.items())):
            list(total(ends[STEPS - 1], ends[SLOW_FROM - 1], 0, errors_of_rank.get(rank, 0)))
            for rank in range(2 * HOSTS)}


class SlowNetwork(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)

    def stragglers(self, job, slow_seconds, errors_of_host=None, errors_of_rank=None):
        recorded_jobs.write(self.server, step_series(job, slow_seconds)
                            | interface_series(job, slow_seconds, errors_of_host or {})
                            | nvlink_series(job, slow_seconds, errors_of_rank or {}))
        return programs.ask(self.server.url, "training/stragglers", job=job)

    def test_the_ranks_of_a_host_whose_interface_counts_errors(self):
        answer = self.stragglers("bad-link", 1.4, errors_of_host={2: 3.0})
        self.assertEqual((answer["method"], answer["verdict"]), ("phase_times", "slow_rank"))
        self.assertIn("job_slow_all", answer["also"])
        self.assertEqual([(rank["rank"], rank["cause"]) for rank in answer["ranks"]],
                         [(4, "network"), (5, "network")])
        rank = answer["ranks"][0]
        self.assertAlmostEqual(rank["from"], BEGIN_S + SLOW_FROM, delta=2)
        self.assertTrue(rank["is_open"])
        self.assertAlmostEqual(rank["score"], 0.4, delta=0.01)
        evidence = {one["signal"]: one for one in rank["evidence"]}["symbol_errors"]
        self.assertAlmostEqual(evidence["value"], 3.0, delta=0.5)
        self.assertEqual(evidence["reference"], 0)
        self.assertIn("mlx5_2 on bad-link-2", evidence["words"])
        # 120 steps of 0.4 s.
        self.assertAlmostEqual(answer["lost_seconds"], 48, delta=2)

    def test_interfaces_are_drawn_over_time(self):
        self.stragglers("drawn", 1.4)
        ask = {"job": "drawn", "metric": "nic_sent_bytes_per_second", "bins": "4"}
        picture = programs.ask(self.server.url, "training/heatmap", **ask)
        self.assertEqual((picture["by"], picture["unit"]), ("time", "bytes/s"))
        self.assertEqual(picture["rows"], [{"first_rank": 2 * host, "last_rank": 2 * host + 1, "host": f"drawn-{host}",
                                            "device": "mlx5_2"} for host in range(HOSTS)])
        self.assertIn(ask["metric"], picture["metrics"])
        for row in picture["mean"]:
            self.assertEqual((row[0], row[-1]), (9e9, 6.4286e9))
        with contextlib.closing(self.server.connect()) as connection:
            answer = connection.get("/api/v1/training/heatmap?job=drawn&metric=nic_sent_bytes_per_second&by=step")
        self.assertEqual(answer.status, 400)
        self.assertIn("by time", answer.text)

    def test_the_rank_whose_nvlink_replays(self):
        answer = self.stragglers("bad-nvlink", 1.2, errors_of_rank={5: 20.0})
        self.assertEqual([(rank["rank"], rank["cause"]) for rank in answer["ranks"]], [(5, "network")])

    def test_a_slow_job_without_a_bad_link_blames_nobody(self):
        answer = self.stragglers("slow", 1.4)
        self.assertEqual((answer["verdict"], answer["ranks"]), ("job_slow_all", []))

    def test_errors_that_cost_nothing_blame_nobody(self):
        answer = self.stragglers("quick", 1.0, errors_of_host={1: 3.0})
        self.assertEqual((answer["verdict"], answer["ranks"]), ("none", []))


if __name__ == "__main__":
    unittest.main()
