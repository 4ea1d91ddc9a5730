"""Tests the client against a real server: its answers must match the recording."""

import datetime
import threading
import unittest

import lockstep
import recording
from lockstep import Client, Matrix, Scalar, Vector

# A second in the middle of the recording's first job, in which each rank ends several steps.
START, END = 1795242060, 1795242061


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client(recording.serve(cls))
        cls.addClassCleanup(cls.client.close)

    def newest(self, metric, time_s, **labels):
        """The expected result of an instant query, by rank."""
        return {labels["rank"]: value for labels, time, value in recording.samples(metric, **labels)
                if time <= time_s}

    def test_an_instant_query_answers_what_was_newest(self):
        vector = self.client.query(f'train_loss{{job="{recording.JOB}"}}', START)
        self.assertIsInstance(vector, Vector)
        self.assertEqual(vector.values("rank"), self.newest("train_loss", START, job=recording.JOB))
        self.assertEqual(vector.values("job", "rank").keys(), {(recording.JOB, str(rank)) for rank in range(4)})
        self.assertEqual({series.times_s[0] for series in vector}, {START})
        self.assertEqual(vector.series[0].name, "train_loss")

    def test_a_range_query_answers_every_step(self):
        matrix = self.client.query_range(f'train_loss{{job="{recording.JOB}",rank="2"}}', START, END, 0.5)
        self.assertIsInstance(matrix, Matrix)
        [series] = matrix
        self.assertEqual(series.times_s, [START, START + 0.5, END])
        self.assertEqual(series.values, [self.newest("train_loss", time, job=recording.JOB)["2"]
                                         for time in series.times_s])

    def test_times_may_be_written_in_any_way(self):
        expected = self.client.query("train_loss", START).values("job", "rank")
        aware = datetime.datetime.fromtimestamp(START, datetime.timezone.utc)
        away = aware.astimezone(datetime.timezone(datetime.timedelta(hours=9)))
        for time in (float(START), aware, away, aware.replace(tzinfo=None), aware.isoformat(),
                     f"{aware:%Y-%m-%dT%H:%M:%S}Z"):
            with self.subTest(time=time):
                self.assertEqual(self.client.query("train_loss", time).values("job", "rank"), expected)
        for step in (0.5, "500ms", datetime.timedelta(seconds=0.5)):
            with self.subTest(step=step):
                self.assertEqual(len(self.client.query_range("vector(1)", START, END, step).series[0].values), 3)
        self.assertRaises(ValueError, self.client.query, "train_loss", "yesterday")

    def test_results_of_every_type(self):
        self.assertEqual(self.client.query("1 + 1", START), Scalar(START, 2.0))
        self.assertEqual(self.client.query('"text"', START), Scalar(START, "text"))
        self.assertIsInstance(self.client.query("train_loss[1s]", START), Matrix)
        self.assertEqual(list(self.client.query("absent_metric", START)), [])
        odd = [self.client.query(f"vector({text})", START).series[0].values[0] for text in ("Inf", "-Inf", "NaN")]
        self.assertEqual(list(map(str, odd)), ["inf", "-inf", "nan"])

    def test_names(self):
        jobs = {labels["job"] for labels, _, _ in recording.samples("train_step")}
        self.assertEqual(self.client.label_values("job", "train_step"), sorted(jobs))
        self.assertEqual(self.client.labels("train_step"), ["Hostname", "__name__", "gpu", "job", "rank"])
        self.assertLess({"UUID", "phase"}, set(self.client.labels(["DCGM_FI_DEV_GPU_TEMP", "train_phase_seconds"])))
        series = self.client.series(f'train_step{{job="{recording.JOB}"}}')
        self.assertEqual([labels["rank"] for labels in series], ["0", "1", "2", "3"])
        self.assertEqual(self.client.metadata("train_loss")["train_loss"][0].type, "gauge")

    def test_remarks_of_the_server_are_kept(self):
        vector = self.client.query("train_loss", START, limit=1)
        self.assertEqual((len(vector), len(vector.warnings)), (1, 1))

    def test_errors_say_what_the_server_said(self):
        with self.assertRaisesRegex(lockstep.BadRequest, "unexpected end of input") as caught:
            self.client.query("1 +")
        self.assertEqual((caught.exception.status, caught.exception.error_type), (400, "bad_data"))
        self.assertRaisesRegex(lockstep.BadRequest, "11,000", self.client.query_range, "vector(1)", 0, END, 1)
        self.assertRaisesRegex(lockstep.QueryFailed, "many-to-many", self.client.query,
                               "train_loss * on (job) train_loss", START)
        self.assertRaises(lockstep.NotFound, self.client.training.ask, "no-such-question", job=recording.JOB)

    def test_threads_may_share_a_client(self):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(
            self.client.query("train_loss", START).values("job", "rank"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, answers[:1] * 8)

    def test_notebooks_show_tables(self):
        vector = self.client.query(f'train_loss{{job="{recording.JOB}"}}', START)
        self.assertEqual(vector._repr_html_().count("<tr>"), 1 + 4)
        self.assertIn("<caption>4 series</caption>", vector._repr_html_())
        label = self.client.query('label_replace(vector(1), "x", "<b>", "", "")', START)
        self.assertIn("<td>&lt;b&gt;</td>", label._repr_html_())
        matrix = self.client.query_range("train_loss", START, END, 1)
        self.assertIn("2026-11-21 06:21:01", matrix._repr_html_())
        steps = self.client.query_steps("sum(DCGM_FI_DEV_POWER_USAGE)", recording.JOB, 10, 12)
        self.assertEqual(steps.series[0].times_s, [10, 11, 12])
        self.assertIn("<td>10</td><td>12</td>", steps._repr_html_())


class ConnectionTest(unittest.TestCase):
    def test_a_server_that_is_not_there(self):
        with self.assertRaisesRegex(lockstep.Unreachable, "127.0.0.1:1"):
            Client("http://127.0.0.1:1").query("1")

    def test_urls_that_are_none(self):
        for url in ("127.0.0.1:9009", "ftp://x", "http://", ""):
            with self.assertRaises(lockstep.LockstepError):
                Client(url)


if __name__ == "__main__":
    unittest.main()
