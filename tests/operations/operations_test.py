"""Operations with the real program: backups, restores, snapshots, a read-only server, and the
limits that answer 429.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import lockstep_server  # noqa: E402

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
ADMIN = "--web.enable-admin-api"


class OperationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-operations-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.backups = self.folder / "backups"
        self.now_ms = int(time.time() * 1000)

    def start(self, *flags, folder=None):
        server = lockstep_server.Server.ready(folder or self.folder, *flags)
        self.addCleanup(server.kill)
        return server

    def connect(self, server):
        connection = server.connect()
        self.addCleanup(connection.close)
        return connection

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              timeout=WITHIN_S, cwd=self.folder)

    def succeed(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def write(self, connection, name, values):
        """One sample per value, a second apart, the last one now, in series of several jobs."""
        start_ms = self.now_ms - 1000 * len(values)
        series = [({"__name__": name, "job": f"job{job}"},
                   [(start_ms + 1000 * i, value + job) for i, value in enumerate(values, 1)])
                  for job in range(5)]
        self.assertEqual(connection.write(series).status, 204)

    def sum_of(self, connection, name):
        """All samples of all series."""
        result = connection.query(f"sum(sum_over_time({name}[1h]))", self.now_ms / 1000)
        return float(result[0]["value"][1]) if result else None

    def folder_bytes(self, folder):
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    def test_a_backup_of_a_running_server_outlives_it(self):
        server = self.start(ADMIN, "--storage.shards", "3", "--storage.backup.dir", str(self.backups))
        connection = self.connect(server)
        self.write(connection, "a", [1, 2, 3])
        said = self.succeed("backup", "--url", server.url, "--to", "backups")
        self.assertRegex(said, r"^backup 1: [0-9,]+ bytes of 3 shards, as of 20..-..-.. ..:..:..Z\n$")
        self.write(connection, "b", [5])
        self.succeed("backup", "--url", server.url, "--to", "backups")
        server.kill()
        listed = self.succeed("backup", "--to", "backups", "--list")
        self.assertRegex(listed, r"^backup +made +shards +bytes\n +1 +20.*\n +2 +20.*\n$")

        said = self.succeed("restore", "--from", "backups", "--data", "one/data", "--backup", 1)
        self.assertRegex(said, r"^restored backup 1 to one/data: 5 series, samples from 20")
        self.succeed("restore", "--from", "backups", "--data", "two/data")
        one = self.connect(self.start(folder=self.folder / "one"))
        self.assertEqual((self.sum_of(one, "a"), self.sum_of(one, "b")), (60, None))
        two = self.connect(self.start(folder=self.folder / "two"))
        self.assertEqual((self.sum_of(two, "a"), self.sum_of(two, "b")), (60, 35))
        self.write(two, "c", [1])

    def test_requests_write_backups_below_their_folder_alone(self):
        server = self.start(ADMIN)
        connection = self.connect(server)
        self.write(connection, "a", [1])
        outside = self.folder / "outside"
        (self.folder / "data/backups").mkdir()
        (self.folder / "data/backups/out").symlink_to(self.folder)
        for to in (outside, "../outside", "x/../../outside", "out/outside", f"{self.folder}/data/backups/../../outside",
                   f"{self.folder}/data", "/proc/self/cwd/outside", "a\nb"):
            answer = connection.post("/api/v1/admin/backup", to=to)
            self.assertEqual(answer.status, 400, to)
        self.assertFalse(outside.exists())
        result = self.run_program("backup", "--url", server.url, "--to", outside)
        self.assertEqual(result.returncode, 1)
        self.assertIn("storage.backup.dir", result.stderr)
        self.assertEqual(connection.post("/api/v1/admin/backup", to="daily").status, 200)
        self.succeed("backup", "--url", server.url, "--to", "data/backups/daily")
        server.kill()
        listed = self.succeed("backup", "--to", "data/backups/daily", "--list")
        self.assertRegex(listed, r"\n +1 +20.*\n +2 +20.*\n$")

    def test_backups_of_a_stopped_server(self):
        server = self.start()
        noise = random.Random(1)
        self.write(self.connect(server), "a", [noise.random() for _ in range(20_000)])
        result = self.run_program("backup", "--data", "data", "--to", "backups")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is in use by another process", result.stderr)
        self.assertEqual(server.stop(), 0)
        self.succeed("backup", "--data", "data", "--to", "backups")
        bytes_of_one = self.folder_bytes(self.backups)
        self.assertGreater(bytes_of_one, 5 * 20_000 * 4)
        for _ in range(3):
            self.succeed("backup", "--data", "data", "--to", "backups", "--keep", 2)
        listed = self.succeed("backup", "--to", "backups", "--list")
        self.assertEqual(re.findall(r"^ *(\d+) +20", listed, re.MULTILINE), ["3", "4"])
        # What is already there is not copied again.
        self.assertLess(self.folder_bytes(self.backups), 1.5 * bytes_of_one)

    def test_what_cannot_be_done_is_said(self):
        server = self.start()
        result = self.run_program("backup", "--url", server.url, "--to", "backups")
        self.assertEqual(result.returncode, 1)
        self.assertIn("start it with --web.enable-admin-api", result.stderr)
        answer = self.connect(server).post("/api/v1/admin/tsdb/snapshot")
        self.assertEqual(answer.status, 503)
        self.assertEqual(json.loads(answer.body), {"status": "error", "errorType": "unavailable",
                                                   "error": "admin APIs disabled"})
        server.stop()
        self.succeed("backup", "--data", "data", "--to", "backups")
        result = self.run_program("restore", "--from", "backups", "--data", "data")
        self.assertEqual(result.returncode, 1)
        self.assertIn("data is not empty", result.stderr)
        result = self.run_program("restore", "--from", "backups", "--data", "new", "--backup", 9)
        self.assertEqual(result.returncode, 1)
        self.assertIn("backup-000009", result.stderr)
        result = self.run_program("restore", "--from", "nowhere", "--data", "new")
        self.assertEqual(result.returncode, 1)
        self.assertFalse((self.folder / "nowhere").exists())

    def test_a_health_check_needs_no_credentials(self):
        web = self.folder / "web.yml"
        web.write_text(f"lockstep_bearer_tokens: {{trainer: {{sha256: {hashlib.sha256(b'secret').hexdigest()}}}}}\n")
        (self.folder / "wrong").write_text("guessed")
        server = self.start("--web.config.file", str(web))
        self.succeed("healthy", "--url", server.url)
        result = self.run_program("healthy", "--url", server.url, "--token-file", "wrong")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is not healthy: HTTP 401", result.stderr)
        self.assertEqual(server.stop(), 0)
        result = self.run_program("healthy", "--url", server.url)
        self.assertEqual(result.returncode, 1)
        self.assertIn(server.address.rpartition(":")[2], result.stderr)

    def test_a_damaged_backup_is_not_restored(self):
        server = self.start()
        self.write(self.connect(server), "a", [1, 2, 3])
        server.stop()
        self.succeed("backup", "--data", "data", "--to", "backups")
        table = max((self.backups / "shard-000" / "shared_checksum").iterdir(),
                    key=lambda path: path.stat().st_size)
        content = bytearray(table.read_bytes())
        content[len(content) // 2] ^= 1
        table.write_bytes(content)
        result = self.run_program("restore", "--from", "backups", "--data", "new")
        self.assertEqual(result.returncode, 1)
        self.assertIn("backup 1 is damaged, nothing was restored", result.stderr)

    def test_a_snapshot_is_a_store_that_a_server_opens(self):
        server = self.start(ADMIN)
        connection = self.connect(server)
        self.write(connection, "a", [1, 2, 3])
        answer = connection.post("/api/v1/admin/tsdb/snapshot")
        self.assertEqual(answer.status, 200, answer.text)
        name = json.loads(answer.body)["data"]["name"]
        self.assertRegex(name, r"^\d{8}T\d{6}Z-[0-9a-f]{16}$")
        self.write(connection, "b", [1])
        other = self.folder / "other"
        other.mkdir()
        (self.folder / "data" / "snapshots" / name).rename(other / "data")
        look = self.connect(self.start(folder=other))
        self.assertEqual((self.sum_of(look, "a"), self.sum_of(look, "b")), (60, None))

    def test_a_check_of_the_data(self):
        server = self.start()
        self.write(self.connect(server), "a", [1, 2, 3])
        result = self.run_program("check", "--data", "data")
        self.assertEqual(result.returncode, 2)
        self.assertIn("is in use by another process", result.stderr)
        server.stop()
        said = self.succeed("check", "--data", "data")
        self.assertRegex(said, r"^day +rows +series +samples +bytes +bytes/sample +from +to\n")
        self.assertRegex(said, r"\nall +\d+ +5 +15 +\d+ +[0-9.]+ +20.*\n")
        self.assertTrue(said.endswith("\ndata is fine\n"), said)
        for table in (self.folder / "data" / "shard-000").glob("*.sst"):
            content = bytearray(table.read_bytes())
            content[len(content) // 2] ^= 1
            table.write_bytes(content)
        result = self.run_program("check", "--data", "data")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"lockstep: damage: shard-000 0\d+\.sst \((hot|cold) chunks\): ")
        self.assertRegex(result.stdout, r"data is damaged: \d+ errors\n$")
        self.assertEqual(self.run_program("check", "--data", "none").returncode, 2)
        self.assertEqual(self.run_program("check").returncode, 2)

    def test_a_server_that_only_reads(self):
        server = self.start()
        self.write(self.connect(server), "a", [1, 2, 3])
        server.kill()
        before = {path: path.stat().st_size for path in (self.folder / "data").rglob("*")}
        server = self.start("--storage.read-only", "--storage.retention.time", "1s")
        connection = self.connect(server)
        self.assertEqual(self.sum_of(connection, "a"), 60)
        answer = connection.write([({"__name__": "b"}, [(self.now_ms, 1)])])
        self.assertEqual(answer.status, 403)
        self.assertIn("storage.read-only", answer.text)
        self.assertIn("\nlockstep_storage_read_only 1\n", connection.get("/metrics").text)
        self.assertEqual(server.stop(), 0)
        after = {path: path.stat().st_size for path in (self.folder / "data").rglob("*")}
        self.assertEqual(before, after)
        result = self.run_program("serve", "--storage.read-only", "--data", "none",
                                  "--http", "127.0.0.1:0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no store in none", result.stderr)

    def test_more_samples_than_the_rate_are_too_many(self):
        connection = self.connect(self.start("--ingest.max-samples-per-second", "1"))
        self.write(connection, "a", range(100))
        answer = connection.write([({"__name__": "b"}, [(self.now_ms, 1)])])
        self.assertEqual(answer.status, 429)
        self.assertRegex(answer.headers["Retry-After"], r"^4\d\d$")  # 500 samples, a few paid back
        self.assertIn("ingest.max-samples-per-second", answer.text)
        self.assertEqual(self.sum_of(connection, "b"), None)

    def reload(self, connection):
        answer = connection.post("/-/reload")
        self.assertEqual(answer.status, 200, answer.text)

    def test_a_reload_takes_limits_of_the_file_that_no_flag_sets(self):
        config = self.folder / "lockstep.yml"
        config.write_text("query: {max-samples: 1000000}\n")
        connection = self.connect(self.start("--config", str(config), "--web.enable-lifecycle", "--query.timeout",
                                             "1m"))
        self.write(connection, "a", [1, 2, 3])
        config.write_text("query: {max-samples: 4, timeout: 1ms}\n"
                          "memory-limit: 300MB\n"
                          "ingest: {max-series-per-job: 2, max-samples-per-second-per-job: 100}\n")
        self.reload(connection)
        answer = connection.get("/api/v1/query", query="sum_over_time(a[1h])")
        self.assertEqual(answer.status, 422)
        self.assertIn("query.max-samples", answer.text)
        # The flag wins.
        self.assertEqual(connection.query("vector(1)", self.now_ms / 1000)[0]["value"][1], "1")
        memory = json.loads(connection.get("/api/v1/status/memory").text)["data"]
        self.assertEqual(memory["limitBytes"], 300 << 20)
        accounts = {account["account"]: account["heldBytes"] for account in memory["accounts"]}
        self.assertGreater(accounts["series"], 0)
        answer = connection.write([({"__name__": name, "job": "job0"}, [(self.now_ms, 1)]) for name in "abc"])
        self.assertEqual(answer.status, 400)
        self.assertIn("the job \"job0\" has reached its limit of 2 series (--ingest.max-series-per-job)", answer.text)
        self.assertEqual(connection.write([({"__name__": "a", "job": "noisy"},
                                            [(self.now_ms + i, i) for i in range(300)])]).status, 204)
        answer = connection.write([({"__name__": "a", "job": "noisy"}, [(self.now_ms + 1000, 1)])])
        self.assertEqual(answer.status, 429)
        self.assertIn("the job \"noisy\" exceeds its limit of 100 samples per second", answer.text)
        self.write(connection, "a", [4])
        # An invalid file changes nothing.
        config.write_text("query: {max-samples: none}\n")
        self.assertEqual(connection.post("/-/reload").status, 500)
        self.assertEqual(connection.get("/api/v1/query", query="sum_over_time(a[1h])").status, 422)
        config.write_text("{}\n")
        self.reload(connection)
        self.assertEqual(connection.get("/api/v1/query", query="sum_over_time(a[1h])").status, 200)
        self.assertEqual(connection.write([({"__name__": name, "job": "job0"}, [(self.now_ms + 1, 1)])
                                           for name in "abc"]).status, 204)


if __name__ == "__main__":
    unittest.main()
