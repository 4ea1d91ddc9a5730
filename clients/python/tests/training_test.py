"""Training answers as objects: known API fields have attributes, the rest is kept."""

import json
import unittest

from lockstep.training import Training

ANSWERS = {
    "stragglers": {
        "job": "pretrain-7", "method": "phase_times", "verdict": "slow_rank", "window": 100,
        "ranks": [{"rank": 3, "verdict": "slow_rank", "cause": "loader", "score": 0.192, "from": 1795242222,
                   "to": 1795242250, "lost_seconds": 9.5, "evidence": ["data 0.051 s, peers 0.000 s"],
                   "severity": "critical"}],
        "what_if": {"step_seconds": 0.2017}},
    "bottlenecks": {
        "job": "pretrain-7", "verdict": "compute_bound",
        "gpus": [{"gpu": 0, "rank": 0, "class": "compute_bound", "share": {"compute_bound": 0.97, "idle": 0.03},
                  "evidence": ["SM_ACTIVE <0.88>"]}]},
    "mfu": {
        "job": "pretrain-7", "mfu": 0.4612, "tflops_per_gpu": 456.4, "tokens_per_second": 325000.0,
        "convention": "megatron", "peak": {"dtype": "bf16", "flops": 9.895e14, "source": "catalogue"},
        "ranks": [{"rank": 0, "mfu": 0.46, "tflops_per_gpu": 455.2}]},
    "events": {"events": [{"kind": "loss_spike", "from": 1795242400, "to": 1795242410, "step": 120, "ranks": [],
                           "evidence": ["1.9 x the median of 20 steps"]}]},
}


class TrainingTest(unittest.TestCase):
    def setUp(self):
        self.asked = []
        self.training = Training(self.answer)

    def answer(self, question, parameters):
        self.asked.append((question, parameters))
        return json.loads(json.dumps(ANSWERS[question]))

    def test_stragglers(self):
        found = self.training.stragglers("pretrain-7", start=1795242222, end="2026-11-21T06:30:00Z",
                                         method="own_time")
        self.assertEqual(self.asked, [("stragglers", {"job": "pretrain-7", "method": "own_time",
                                                      "start": "1795242222.000", "end": "1795242600.000"})])
        self.assertEqual((found.verdict, found.method, found.unknown), ("slow_rank", "phase_times", {"window": 100}))
        [rank] = found.ranks
        self.assertEqual((rank.rank, rank.cause, rank.from_, rank.unknown),
                         (3, "loader", 1795242222, {"severity": "critical"}))
        self.assertEqual(found.what_if["step_seconds"], 0.2017)

    def test_the_others(self):
        self.assertEqual(self.training.bottlenecks("pretrain-7").gpus[0].class_, "compute_bound")
        self.assertEqual(self.training.mfu("pretrain-7").ranks[0].tflops_per_gpu, 455.2)
        self.assertEqual([event.kind for event in self.training.events("pretrain-7")], ["loss_spike"])

    def test_what_is_missing_has_a_default(self):
        self.training = Training(lambda question, parameters: {})
        found = self.training.stragglers("x")
        self.assertEqual((found.ranks, found.verdict, found.what_if), ([], "", {}))
        self.assertIsNone(self.training.mfu("x").mfu)
        for answer in (found, self.training.mfu("x"), self.training.bottlenecks("x"), self.training.events("x")):
            self.assertTrue(answer._repr_html_())

    def test_notebooks_show_the_verdict_and_the_numbers(self):
        for question, words in (("stragglers", ("slow_rank", "loader", "0.192", "2026-11-21 06:23:42", "0.2017")),
                                ("bottlenecks", ("compute_bound", "SM_ACTIVE &lt;0.88&gt;", "0.97")),
                                ("mfu", ("46.1%", "megatron", "455.2")),
                                ("events", ("1 events", "loss_spike", "120"))):
            shown = getattr(self.training, question)("pretrain-7")._repr_html_()
            for word in words:
                self.assertIn(word, shown)


if __name__ == "__main__":
    unittest.main()
