"""Runs every query of every panel on a server with the recorded jobs, and on a Prometheus.

LOCKSTEP_PROGRAM names the server.
"""

import json
import math
import re
import subprocess
import sys
import unittest

import dashboards
from dashboards import FOLDER, put_in
from recordings import ROOT, PUSHED_JOB, Recordings
from programs import ask

RELATIVE_TOLERANCE = 1e-9
RANGE_S, STEP_S = 30, 5
# For each dashboard: the job and the time to query, those of the demo's data/truth.json.
ASKED_FOR = {
    "efficiency": ("pretrain-bf16", 1795242085), "fleet": (".*", 1795242085), "inference": ("", 1795242085),
    "job": ("straggler-loader", 1795242230), "server": ("lockstep", 1795242090),
    "straggler": ("straggler-pcie", 1795242350), "training": (PUSHED_JOB, 1795243160),
}
# What the recordings lack, and why. No inference server was recorded, so all of its panels are
# empty.
EMPTY = {
    ("fleet", "Fake load"): "no job of that moment is one; it is asked for by itself below",
}
# Computed by lockstep at query time; Prometheus does not have them.
DERIVED = re.compile(r"\blockstep_(bottleneck|goodput_ratio|mfu|straggler|straggler_score|wasted_gpu_seconds)\b")
# Where a Prometheus before 2.51 differs: it extrapolates a counter that begins inside the window
# further.
NOT_COMPARED = {("training", "Tokens/s")}


def values_of(name, job, dashboard):
    values = {"job": job, "rank": ".*", "gpu": ".*", "host": ".*", "instance": ".*", "datasource": "lockstep",
              "__rate_interval": "20s", "__range": f"{RANGE_S}s", "__range_s": str(RANGE_S)}
    for one in dashboard["templating"]["list"]:
        if one["type"] == "textbox":
            values[one["name"]] = one["query"]
    return values


class PanelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dashboards = dashboards.load()
        cls.servers = Recordings(cls, with_prometheus=True)

    def ask(self, server, asked, job, time_s):
        text = put_in(asked.expression, values_of(asked.dashboard, job, self.dashboards[asked.dashboard]))
        if asked.is_instant:
            return ask(server.url, "query", query=text, time=time_s)["result"]
        return ask(server.url, "query_range", query=text, start=time_s - RANGE_S, end=time_s, step=STEP_S)["result"]

    def all_queries(self):
        for name, dashboard in self.dashboards.items():
            for asked in dashboards.queries(name, dashboard):
                yield asked, *ASKED_FOR[name]

    def test_every_dashboard_is_asked(self):
        self.assertEqual(set(self.dashboards), set(ASKED_FOR))

    def test_panels_have_data(self):
        """No panel has an error, and a panel is empty only for a known reason."""
        seen = {}
        for asked, job, time_s in self.all_queries():
            with self.subTest(dashboard=asked.dashboard, panel=asked.panel, query=asked.expression):
                rows = self.ask(self.servers.lockstep, asked, job, time_s)
                key = (asked.dashboard, asked.panel)
                seen[key] = seen.get(key, False) or bool(rows)
        empty = {key for key, has_data in seen.items() if not has_data and key[0] != "inference"}
        self.assertEqual(empty, set(EMPTY))

    def test_a_prometheus_shows_the_same(self):
        compared = 0
        for asked, job, time_s in self.all_queries():
            if (asked.dashboard, asked.panel) in NOT_COMPARED or DERIVED.search(asked.expression):
                continue
            with self.subTest(dashboard=asked.dashboard, panel=asked.panel, query=asked.expression):
                ours, theirs = (points(self.ask(server, asked, job, time_s))
                                for server in (self.servers.lockstep, self.servers.prometheus))
                self.assertEqual(set(ours), set(theirs))
                for labels, samples in theirs.items():
                    self.check_samples(samples, ours[labels], labels)
                compared += len(theirs)
        self.assertGreater(compared, 200)

    def check_samples(self, theirs, ours, labels):
        self.assertEqual([time for time, _ in theirs], [time for time, _ in ours], labels)
        for (time_s, one), (_, other) in zip(theirs, ours):
            self.assertTrue(math.isclose(float(one), float(other), rel_tol=RELATIVE_TOLERANCE,
                                         abs_tol=1e-9) or one == other,
                            f"{labels} at {time_s}: {one} there, {other} here")

    def panel(self, name, title, job, time_s):
        """{legend label value: number} of a panel's first query."""
        [asked, *_] = [one for one in dashboards.queries(name, self.dashboards[name]) if one.panel == title]
        return self.ask(self.servers.lockstep, asked, job, time_s)

    def test_the_straggler_stands_out(self):
        truth = {job["job"]: job for job in json.loads((ROOT / "demo/data/truth.json").read_text())["jobs"]}
        for job in ("straggler-gpu", "straggler-loader", "straggler-pcie", "pretrain-bf16"):
            with self.subTest(job=job):
                rows = self.panel("straggler", "Rank the others wait for", job, truth[job]["end_ms"] / 1000)
                late = [int(row["metric"]["rank"]) for row in rows if float(row["value"][1]) > 0.05]
                self.assertEqual(late, truth[job]["affected_ranks"])

    def test_the_verdict_is_the_planted_one(self):
        rows = self.panel("straggler", "Verdict", "straggler-pcie", 1795242350)
        self.assertEqual([(row["metric"]["rank"], row["metric"]["cause"]) for row in rows], [("3", "h2d")])

    def test_numbers_are_those_of_the_recording(self):
        of = lambda name, title, job, time_s: float(self.panel(name, title, job, time_s)[0]["value"][1])
        self.assertEqual(of("fleet", "GPUs", ".*", 1795242085), 4)
        # 0.4637 to 0.4638 by rank are in data/truth.json.
        self.assertAlmostEqual(of("efficiency", "MFU", "pretrain-bf16", 1795242085), 0.4638, places=2)
        # A step has 32 samples of 2,048 tokens each.
        samples = of("training", "Samples consumed", PUSHED_JOB, 1795243160)
        self.assertEqual(samples % 32, 0)
        self.assertEqual(of("training", "Tokens consumed", PUSHED_JOB, 1795243160), samples * 2048)

    def test_fake_load_is_counted(self):
        rows = self.panel("fleet", "Fake load", ".*", 1795242374)
        self.assertIn({"job": "fake-load"}, [row["metric"] for row in rows])


def points(rows):
    """{labels: [(time, value), ...]}"""
    return {tuple(sorted(row["metric"].items())): row.get("values") or [row["value"]] for row in rows}


class SourcesTest(unittest.TestCase):
    def test_files_are_what_their_sources_write(self):
        subprocess.run([sys.executable, str(FOLDER / "generate.py"), "--check"], check=True)

    def test_every_variable_is_there(self):
        for name, dashboard in dashboards.load().items():
            for asked in dashboards.queries(name, dashboard):
                with self.subTest(dashboard=name, panel=asked.panel):
                    put_in(asked.expression, values_of(name, "x", dashboard))
            for variable in dashboards.variables(dashboard).values():
                put_in(str(variable["query"]), {known: "" for known in dashboards.variables(dashboard)})

    def test_panels_do_not_overlap(self):
        for name, dashboard in dashboards.load().items():
            cells = {}
            for panel in dashboard["panels"]:
                place = panel["gridPos"]
                self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
                for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"])
                             for y in range(place["y"], place["y"] + place["h"])):
                    self.assertNotIn(cell, cells, f"{name}: {panel['title']} over {cells.get(cell)}")
                    cells[cell] = panel["title"]
            ids = [panel["id"] for panel in dashboard["panels"]]
            self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    unittest.main()
