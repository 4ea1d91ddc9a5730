"""The configured prices appear in ledger, stragglers and report; parameters of a request override
them.
"""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs
import recorded_jobs

JOB = "straggler-gpu"
CONFIG = """
training:
  prices: h100-sxm5-80gb:2.1,h200-sxm5-141gb:3.6
  kwh-price: 0.25
  currency: EUR
"""


class Prices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-prices-")
        cls.addClassCleanup(folder.cleanup)
        config = pathlib.Path(folder.name) / "lockstep.yml"
        config.write_text(CONFIG)
        cls.server = lockstep_server.Server.ready(pathlib.Path(folder.name), "--storage.retention.time", "100y",
                                                  "--config", str(config))
        cls.addClassCleanup(cls.server.kill)
        recorded_jobs.import_openmetrics(cls.server, os.environ["LOCKSTEP_PROGRAM"])

    def ask(self, what, **parameters):
        return programs.ask(self.server.url, f"training/{what}", job=JOB, **parameters)

    def test_a_ledger_is_priced_by_the_gpus_model(self):
        ledger = self.ask("ledger")
        self.assertEqual((ledger["cost"]["price_per_gpu_hour"], ledger["currency"]), (3.6, "EUR"))
        self.assertAlmostEqual(ledger["cost"]["total"], ledger["gpu_seconds"] / 1000)
        self.assertAlmostEqual(ledger["energy"]["cost"], ledger["energy"]["kwh"] * 0.25)

    def test_stragglers_have_a_price(self):
        answer = self.ask("stragglers")
        self.assertEqual(answer["verdict"], "slow_rank")
        self.assertEqual(answer["currency"], "EUR")
        self.assertAlmostEqual(answer["lost_cost"], answer["lost_gpu_seconds"] / 1000)

    def test_a_request_knows_better(self):
        ledger = self.ask("ledger", price="7.2", kwh_price="1")
        self.assertAlmostEqual(ledger["cost"]["total"], ledger["gpu_seconds"] / 500)
        self.assertAlmostEqual(ledger["energy"]["cost"], ledger["energy"]["kwh"])
        answer = self.ask("stragglers", price="7.2")
        self.assertAlmostEqual(answer["lost_cost"], answer["lost_gpu_seconds"] / 500)

    def test_a_report_says_the_currency(self):
        self.assertTrue(any("EUR, of which" in sentence for sentence in self.ask("report")["words"]))


if __name__ == "__main__":
    unittest.main()
