"""Results as data frames and Arrow tables, with the real libraries and a real server."""

import unittest

import recording
from lockstep import Client, Histogram, Matrix, Series

try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

START, END = 1795242050, 1795242060
RANKS = ["0", "1", "2", "3"]


def utc(*times):
    return pandas.to_datetime(times, unit="s", utc=True)


@unittest.skipIf(pandas is None, "pandas is not installed")
class FromServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client(recording.serve(cls))
        cls.addClassCleanup(cls.client.close)
        cls.matrix = cls.client.query_range(f'train_loss{{job="{recording.JOB}"}}', START, END, 1)

    def test_wide(self):
        frame = self.matrix.wide()
        self.assertEqual(list(frame.columns.names), ["gpu", "rank"])
        self.assertEqual([rank for _, rank in frame.columns], RANKS)
        self.assertEqual(list(frame.index), list(utc(*range(START, END + 1))))
        self.assertEqual(list(frame[("3", "3")]), self.matrix.series[3].values)

    def test_long(self):
        frame = self.matrix.long()
        self.assertEqual(list(frame.columns), ["time", "__name__", "Hostname", "gpu", "job", "rank", "value"])
        self.assertEqual(len(frame), 4 * (END - START + 1))
        self.assertEqual(frame[frame["rank"] == "2"]["value"].tolist(), self.matrix.series[2].values)

    def test_instant(self):
        frame = self.client.query(f'train_step{{job="{recording.JOB}"}}', START).to_pandas()
        self.assertEqual(frame["rank"].tolist(), RANKS)

    def test_by_step_every_step_has_the_loss_that_was_logged_with_it(self):
        frame = self.client.query_by_step(f'train_loss{{job="{recording.JOB}"}}', recording.JOB, START, END, "50ms")
        steps = {(labels["rank"], time): value
                 for labels, time, value in recording.samples("train_step", job=recording.JOB)}
        logged = {(rank, steps[rank, time]): value for labels, time, value in
                  recording.samples("train_loss", job=recording.JOB)
                  for rank in (labels["rank"],) if START <= time <= END}
        self.assertGreater(len(logged), 100)
        self.assertEqual({key: frame[(key[0], key[0])][key[1]] for key in logged}, logged)

    def test_by_step_series_without_a_rank_follow_the_first_rank(self):
        mean = self.client.query_by_step(f'avg by (job) (train_loss{{job="{recording.JOB}"}})', recording.JOB,
                                         START, END, "50ms")
        self.assertEqual(mean.shape[1], 1)
        self.assertGreater(len(mean), 40)
        without_job = self.client.query_by_step(f'avg(train_loss{{job="{recording.JOB}"}})', recording.JOB, START, END, "50ms")
        self.assertEqual(without_job.iloc[:, 0].tolist(), mean.iloc[:, 0].tolist())

    def test_over_steps_every_rank_has_the_loss_of_its_step(self):
        frame = self.client.query_steps(f'train_loss{{job="{recording.JOB}"}}', recording.JOB, 20, 59).to_pandas()
        self.assertEqual((list(frame.index), frame.index.name), (list(range(20, 60)), "step"))
        steps = {(labels["rank"], time): int(value)
                 for labels, time, value in recording.samples("train_step", job=recording.JOB)}
        logged = {(labels["rank"], steps[labels["rank"], time]): value
                  for labels, time, value in recording.samples("train_loss", job=recording.JOB)}
        for step in frame.index:
            for rank in RANKS:
                self.assertEqual(frame[(rank, rank)][step], logged[rank, step])

    @unittest.skipIf(pyarrow is None, "pyarrow is not installed")
    def test_arrow_has_the_rows_of_long(self):
        table = self.matrix.to_arrow()
        self.assertEqual(table.schema.field("time").type, pyarrow.timestamp("ms", "UTC"))
        self.assertEqual(table.schema.field("value").type, pyarrow.float64())
        self.assertTrue(pyarrow.types.is_dictionary(table.schema.field("rank").type))
        frame = self.matrix.long()
        self.assertEqual(table.column_names, list(frame.columns))
        for name in table.column_names[1:]:
            self.assertEqual(table.column(name).to_pylist(), frame[name].tolist())


@unittest.skipIf(pandas is None, "pandas is not installed")
class FromSeriesTest(unittest.TestCase):
    """Shapes that do not occur in a recording."""

    def series(self, labels, times, values):
        return Series(labels, list(map(float, times)), values)

    def test_nothing_is_an_empty_frame(self):
        nothing = Matrix([])
        for frame in (nothing.wide(), nothing.long(), nothing.by_step(nothing)):
            self.assertEqual(len(frame), 0)

    def test_series_with_gaps_share_one_index(self):
        frame = Matrix([self.series({"rank": "0"}, [1, 3], [10.0, 30.0]),
                        self.series({"rank": "1"}, [2, 3], [20.0, 31.0])]).wide()
        self.assertEqual(frame.index.tolist(), list(utc(1, 2, 3)))
        self.assertEqual(frame["0"].fillna(-1).tolist(), [10, -1, 30])
        self.assertEqual(frame.columns.name, "rank")

    def test_a_lone_series_is_named_after_itself(self):
        frame = Matrix([self.series({"__name__": "up", "job": "x"}, [1], [1.0])]).wide()
        self.assertEqual(list(frame.columns), ['up{job="x"}'])

    def test_labels_may_be_called_as_columns_are(self):
        frame = Matrix([self.series({"time": "a", "value": "b"}, [1], [1.0])]).long()
        self.assertEqual(list(frame.columns), ["time", "label_time", "label_value", "value"])

    def test_histograms_stay_objects(self):
        sample = Histogram(2.0, 3.0, ((0, 1.0, 2.0, 2.0),))
        self.assertEqual(Matrix([self.series({}, [1], [sample])]).long()["value"].tolist(), [sample])

    def test_steps_of_other_jobs_and_ranks_do_not_count(self):
        steps = Matrix([self.series({"job": "a", "rank": rank}, [1, 2, 3], numbers)
                        for rank, numbers in (("10", [7.0, 8.0, 9.0]), ("2", [1.0, 1.0, 2.0]))])
        values = Matrix([self.series({"job": "a", "rank": "2"}, [1, 2, 3], [5.0, 6.0, 7.0]),
                         self.series({"job": "a", "rank": ""}, [1, 2, 3], [5.5, 6.5, 7.5]),
                         self.series({"job": "b", "rank": "2"}, [1, 2, 3], [0.0, 0.0, 0.0])])
        frame = values.by_step(steps)
        self.assertEqual(frame.index.tolist(), [1, 2])
        self.assertEqual(frame[("a", "2")].tolist(), [5.0, 7.0])
        self.assertEqual(frame[("a", "")].tolist(), [5.5, 7.5])
        self.assertTrue(frame[("b", "2")].isna().all())

    def test_attempts_have_their_own_steps_and_the_newest_counts_without_one(self):
        def labels(attempt):
            return {"job": "a", "rank": "0", "run": "r", "attempt": attempt}
        steps = Matrix([self.series(labels("10"), [2, 3], [4.0, 5.0]),
                        self.series(labels("9"), [1, 2, 3], [4.0, 5.0, 5.0])])
        values = Matrix([self.series(labels("9"), [1, 2, 3], [1.0, 2.0, 3.0]),
                         self.series(labels("10"), [2, 3], [10.0, 20.0]),
                         self.series({"job": "a", "rank": "0"}, [1, 2, 3], [0.1, 0.2, 0.3])])
        columns = [frame.dropna().to_dict() for _, frame in values.by_step(steps).items()]
        self.assertEqual(columns, [{4: 1.0, 5: 2.0}, {4: 10.0, 5: 20.0}, {4: 0.1, 5: 0.3}])


if __name__ == "__main__":
    unittest.main()
