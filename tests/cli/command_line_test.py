"""What the program tells new users: help, wrong verbs and flags, an unreachable server, empty
answers.

LOCKSTEP_PROGRAM names the program.
"""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / part) for part in ("answers", "support")]
import lockstep_server
import recorded_jobs

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
DAY_MS = 86_400_000
# How long ago the job ended: it is still stored, but not within the last 30 days.
AGO_MS = 100 * DAY_MS


def run(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "LOCKSTEP_URL"}
    return subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, timeout=WITHIN_S, check=False,
                          env={**environment, "LC_ALL": "C.UTF-8", **variables})


class CommandLineTest(unittest.TestCase):
    """Without a server."""

    def check_usage(self, said, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", said), arguments)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^lockstep \d+\.\d+\.\d+( \([0-9a-f]+\))?\n$")
        self.assertTrue(run("version").stdout.startswith(run("--version").stdout))

    def test_help_comes_in_three_ways(self):
        for verbs in ((), ("query",), ("rules",), ("rules", "check")):
            by_verb = run("help", *verbs)
            self.assertEqual((by_verb.returncode, by_verb.stderr), (0, ""))
            for flag in ("--help", "-h"):
                self.assertEqual(run(*verbs, flag).stdout, by_verb.stdout)
            self.assertIn(f"Usage: {' '.join(('lockstep', *verbs))}", by_verb.stdout)
            self.assertLessEqual(max(map(len, by_verb.stdout.splitlines())), 100)

    def test_nothing_typed_is_answered_by_help(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", run("help").stdout))

    def test_wrong_words_are_named_in_one_sentence(self):
        self.check_usage('lockstep has no verb "jbos"; did you mean jobs?\nSee: lockstep help\n', "jbos")
        self.check_usage('lockstep has no verb "jbos"; did you mean jobs?\nSee: lockstep help\n', "help", "jbos")
        self.check_usage("lockstep jobs has no flag --jsno; did you mean --json?\nSee: lockstep help jobs\n",
                         "jobs", "--jsno")
        self.check_usage("lockstep serve has no flag --storage.retention; did you mean "
                         "--storage.retention.time?\nSee: lockstep help serve\n",
                         "serve", "--storage.retention", "1d")
        self.check_usage('lockstep rules has no verb "tset"; did you mean test?\nSee: lockstep help rules\n',
                         "rules", "tset", "x")
        self.check_usage("lockstep rules needs a verb: check, test, backfill\nSee: lockstep help rules\n", "rules")
        self.check_usage("lockstep query: EXPR is required\nSee: lockstep help query\n", "query")

    def test_wrong_values_are_named_with_the_flag(self):
        for arguments in (("tail", "--interval", "often", "x"), ("completion", "fish"),
                          ("jobs", "--watch=never"), ("jobs", "surplus")):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, rf"^lockstep {arguments[0]}: [^\n]+\nSee: lockstep help {arguments[0]}\n$")

    def test_an_unknown_setting_is_named_with_the_one_that_was_meant(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder, "lockstep.yml")
            config.write_text("query:\n  timout: 7s\n")
            result = run("check", "config", str(config))
            self.assertEqual(result.returncode, 2)
            self.assertIn('line 2: unknown key "query.timout"; did you mean query.timeout?\n', result.stderr)

    def test_an_absent_server_is_named_with_how_to_name_another(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
            for verb in (("jobs",), ("query", "up"), ("ranks", "j"), ("report", "j")):
                result = run(*verb, LOCKSTEP_URL=url)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertRegex(result.stderr, rf"^lockstep: no answer from {url}: [^\n]+; start one with "
                                                r"`lockstep serve`, or set --url or LOCKSTEP_URL\n$")


class ServerAddressTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.log = pathlib.Path(cls.folder.name, "samples.om")
        now_s = time.time()
        cls.log.write_text(f"# TYPE a gauge\na 1 {now_s:.3f}\n# EOF\n")

    def check_reaches(self, *arguments, **variables):
        result = run(*arguments, **variables)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)

    def test_every_verb_takes_url(self):
        for verb in (("jobs",), ("query", "1"), ("import", str(self.log))):
            self.check_reaches(*verb, "--url", self.server.url)
            self.check_reaches(*verb, LOCKSTEP_URL=self.server.url)
            # The flag overrides the variable.
            self.check_reaches(*verb, "--url", self.server.url, LOCKSTEP_URL="http://127.0.0.1:1")

    def test_older_spellings_work_and_are_not_shown(self):
        self.check_reaches("import", "--to", self.server.url, str(self.log), LOCKSTEP_URL="http://127.0.0.1:1")
        self.check_reaches("query", "--server", self.server.url, "1", LOCKSTEP_URL="http://127.0.0.1:1")
        for verb, flag in (("import", "--to"), ("tail", "--to"), ("query", "--server"), ("jobs", "--server")):
            self.assertNotIn(f"{flag} ", run("help", verb).stdout)
        both = run("import", "--to", self.server.url, "--url", self.server.url, str(self.log))
        self.assertEqual((both.returncode, both.stderr),
                         (2, "lockstep import: --to is an older spelling of --url; use only one of them\n"
                             "See: lockstep help import\n"))

    def test_an_empty_variable_is_none(self):
        self.assertIn("http://127.0.0.1:9009", run("help", "jobs", LOCKSTEP_URL="").stdout)
        result = run("jobs", "--url", "", LOCKSTEP_URL="")
        self.assertEqual(result.returncode, 1)


class EmptyAnswerTest(unittest.TestCase):
    """With a server that has recorded jobs, which ended more than 30 days ago."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        start = (pathlib.Path(folder.name), "--storage.retention.time", "100y")
        cls.server = lockstep_server.Server.ready(*start)
        cls.addClassCleanup(lambda: cls.server.kill())
        jobs = [job for job in recorded_jobs.truth("h200") if job["job"] == "straggler-gpu"]
        now_ms = time.time_ns() // 1_000_000
        cls.end_ms = now_ms - AGO_MS
        moved_ms = cls.end_ms - jobs[0]["end_ms"]
        series = recorded_jobs.operations("h200", "straggler-gpu", "straggler-gpu")
        recorded_jobs.write(cls.server, {labels: [(time_ms + moved_ms, value) for time_ms, value in samples]
                                         for labels, samples in series.items()})
        # Jobs in memory are listed whatever their time.
        cls.server.stop()
        cls.server = lockstep_server.Server.ready(*start)

    def say(self, *arguments, status=0):
        result = run(*arguments, LOCKSTEP_URL=self.server.url)
        self.assertEqual((result.returncode, result.stderr if status == 0 else result.stdout), (status, ""), arguments)
        return result.stdout if status == 0 else result.stderr

    def test_a_list_of_recent_jobs_names_the_older_ones(self):
        said = self.say("jobs")
        self.assertRegex(said, r'^no training jobs in the last 30 days\. The latest of 1 others, "straggler-gpu", '
                               r"ended at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\.\n`lockstep jobs --start 0` lists all of "
                               r"them\.\n$")
        self.assertIn("straggler-gpu", self.say("jobs", "--start", "0"))
        self.assertTrue(self.say("jobs", "--start", "0", "--end", "10").startswith("no training jobs in that time range. "))
        # Programs get an empty list.
        self.assertEqual(self.say("jobs", "--json"), "[]\n")

    def test_a_misspelled_job_is_named_with_the_one_that_was_meant(self):
        for verb in ("ranks", "report"):
            said = self.say(verb, "stragler-gpu", status=1)
            self.assertIn('no data for training job "stragler-gpu"', said)
            self.assertTrue(said.endswith("; did you mean straggler-gpu?\n"), said)
            self.assertIn("`lockstep jobs --start 0` lists all jobs", self.say(verb, "x", status=1))

    def test_a_misspelled_metric_is_named_with_the_one_that_was_meant(self):
        self.assertEqual(self.say("query", "avg(train_stp_time_seconds) > 1"),
                         "(no result)\nno series is named train_stp_time_seconds; did you mean "
                         "train_step_time_seconds?\n")
        self.assertEqual(self.say("query", "--range", "1h", "rate(gpu_utill[5m])"),
                         "(no result)\nno series is named gpu_utill\n")
        # The second one of two.
        self.assertIn("no series is named train_modle_flops; did you mean train_model_flops?\n",
                      self.say("query", "train_step / train_modle_flops"))

    def test_a_label_that_no_series_has_is_named(self):
        self.assertEqual(self.say("query", 'train_step{job="stragler-gpu"}'),
                         '(no result)\nno series named train_step has job="stragler-gpu"; did you mean straggler-gpu?\n')
        self.assertEqual(self.say("query", '{job="nobody"}'), '(no result)\nno series has job="nobody"\n')

    def test_samples_of_another_time_are_found_by_the_advice(self):
        said = self.say("query", "train_step")
        self.assertRegex(said, r'^\(no result\)\n\{__name__="train_step"\} has no samples at \S+ \S+; the server has '
                               r"samples from .* to .*; set --time to query another time\n$")
        self.assertNotIn("(no result)", self.say("query", "--time", str(self.end_ms / 1000), "train_step"))

    def test_a_condition_that_nothing_meets_is_not_called_missing(self):
        said = self.say("query", "--time", str(self.end_ms / 1000), "train_step < 0")
        self.assertIn("the series have samples", said)

    def test_for_programs_nothing_is_explained(self):
        self.assertEqual(self.say("query", "--csv", "nothing"), "value\n")
        self.assertIn('"result":[]', self.say("query", "--json", "nothing"))


class EmptyServerTest(unittest.TestCase):
    def test_an_empty_server_says_what_to_do(self):
        server = lockstep_server.Server.of_recordings(type(self))
        jobs = run("jobs", "--url", server.url)
        self.assertEqual((jobs.returncode, jobs.stderr), (0, ""))
        self.assertTrue(jobs.stdout.startswith("no training jobs: the server has stored nothing yet.\n"), jobs.stdout)
        self.assertIn("lockstep import", jobs.stdout)
        self.assertEqual(run("query", "--url", server.url, "up").stdout,
                         "(no result)\nthe server has stored no series yet\n")
        self.assertIn("the server has no training jobs yet", run("ranks", "--url", server.url, "j").stderr)


if __name__ == "__main__":
    unittest.main()
