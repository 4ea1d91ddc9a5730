"""Training logs pushed to a real server: however a log is sent, the same is stored.

LOCKSTEP_PROGRAM names the server. The logs are those of tests/training_logs, in every text format.
"""

import gzip
import http.client
import json
import pathlib
import random
import sys
import tempfile
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "support"))
import lockstep_server

LOGS = ROOT / "training_logs/data"
STEPS = ROOT / "training/data/h200/steps.jsonl.gz"
STEPS_PER_BODY = 5000
SEED = 5
# Samples without a time get their arrival time.
ALL_TIME = "30y"


def logs():
    """Path below LOGS and bytes of every log."""
    return {
        str(path.relative_to(LOGS)): path.read_bytes()
        for path in sorted(LOGS.rglob("*"))
        if path.is_file() and path.name != "expected.json"
    }


def slices(data, chooser):
    """Consecutive (offset, bytes) of arbitrary lengths."""
    at = 0
    while at < len(data):
        size = chooser.choice((1, 7, 100, 3000, 20000))
        yield at, data[at:at + size]
        at += size


class Pusher:
    """Posts to one server."""

    def __init__(self, server):
        self._http = http.client.HTTPConnection(server.address, timeout=60)

    def close(self):
        self._http.close()

    def post(self, route, body, headers=(), **parameters):
        """Status and answer."""
        self._http.request("POST", f"{route}?{urllib.parse.urlencode(parameters)}", body, dict(headers))
        response = self._http.getresponse()
        return response.status, json.loads(response.read())

    def piece(self, name, offset, data, **more):
        status, answer = self.post("/api/v1/push/log", data, job="j", run=name, path=name, stream=name,
                                   offset=offset, **more)
        if status != 200:
            raise AssertionError(f"{name} at {offset}: {status} {answer}")
        return answer["data"]


def whole(pusher, name, data, _):
    pusher.piece(name, 0, data, last="true")


def in_slices(pusher, name, data, chooser):
    for offset, part in slices(data, chooser):
        pusher.piece(name, offset, part)
    pusher.piece(name, len(data), b"", last="true")


def twice(pusher, name, data, _):
    pusher.piece(name, 0, data)
    answer = pusher.piece(name, 0, data, last="true")
    if answer["bytes"] != 0:
        raise AssertionError(f"{name}: {answer['bytes']} bytes were taken again")


def resumed(pusher, name, data, chooser):
    """The sender forgets its position and resumes from an earlier one."""
    middle = chooser.randrange(len(data) + 1)
    pusher.piece(name, 0, data[:middle])
    again = chooser.randrange(middle + 1)
    pusher.piece(name, again, data[again:], last="true")


class PushTest(unittest.TestCase):
    def serve(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-push-")
        self.addCleanup(folder.cleanup)
        server = lockstep_server.Server.ready(pathlib.Path(folder.name), "--storage.retention.time=30y")
        self.addCleanup(server.stop)
        return server

    def pusher(self, server):
        pusher = Pusher(server)
        self.addCleanup(pusher.close)
        return pusher

    @staticmethod
    def stored(server, selector='{__name__=~".+"}'):
        """Values in order of time by labels."""
        connection = server.connect()
        result = connection.query(f"{selector}[{ALL_TIME}]", time.time() + 3600)
        connection.close()
        return {
            tuple(sorted(series["metric"].items())): [value for _, value in series["values"]]
            for series in result
        }

    def test_however_a_log_is_sent_the_same_is_stored(self):
        stored = {}
        for way in (whole, in_slices, twice, resumed):
            server = self.serve()
            pusher = self.pusher(server)
            chooser = random.Random(SEED)
            for name, data in logs().items():
                way(pusher, name, data, chooser)
            stored[way] = self.stored(server)
        self.assertGreater(len(stored[whole]), 200)
        for way, series in stored.items():
            with self.subTest(way=way.__name__):
                self.assertEqual(series.keys(), stored[whole].keys())
                other = [labels for labels in series if series[labels] != stored[whole][labels]]
                self.assertEqual(other, [])

    def test_streams_go_on_after_a_stop_and_a_kill(self):
        at_once = self.serve()
        pusher = self.pusher(at_once)
        for name, data in logs().items():
            whole(pusher, name, data, None)
        folder = tempfile.TemporaryDirectory(prefix="lockstep-push-")
        self.addCleanup(folder.cleanup)
        chooser = random.Random(SEED)
        ends = {name: sorted(chooser.randrange(len(data) + 1) for _ in range(2)) + [len(data)]
                for name, data in logs().items()}
        offsets = dict.fromkeys(ends, 0)
        for turn, end in enumerate((lockstep_server.Server.stop, lockstep_server.Server.kill, None)):
            server = lockstep_server.Server.ready(pathlib.Path(folder.name),
                                                  "--storage.retention.time=30y")
            self.addCleanup(lambda server=server: server.alive and server.kill())
            pusher = self.pusher(server)
            for name, data in logs().items():
                offsets[name] = self.go_on(pusher, name, data[:ends[name][turn]], offsets[name],
                                           is_last=end is None)
            if end is not None:
                end(server)
        self.assertEqual(self.stored(server), self.stored(at_once))

    def go_on(self, pusher, name, data, offset, is_last):
        """Pushes from `offset` on, or from the server's position."""
        more = {"last": "true"} if is_last else {}
        while True:
            status, answer = pusher.post("/api/v1/push/log", data[offset:], job="j", run=name, path=name,
                                         stream=name, offset=offset, **more)
            if status == 200:
                return answer["data"]["next_offset"]
            # An incomplete document is sent again from its beginning.
            self.assertEqual((status, answer["expected_offset"]), (409, 0), (name, answer))
            offset = 0

    def test_the_steps_of_a_run_as_they_are(self):
        server = self.serve()
        pusher = self.pusher(server)
        lines = gzip.decompress(STEPS.read_bytes()).splitlines(keepends=True)
        for i in range(0, len(lines), STEPS_PER_BODY):
            body = gzip.compress(b"".join(lines[i:i + STEPS_PER_BODY]), 1)
            status, answer = pusher.post("/api/v1/push/steps", body,
                                         {"Content-Encoding": "gzip"})
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["accepted"], len(lines[i:i + STEPS_PER_BODY]), answer)
        records = [json.loads(line) for line in lines]
        job = records[0]["job"]
        of_rank = [r for r in records if r["job"] == job and r["rank"] == 2]
        selector = f'{{job="{job}",rank="2",__name__=~"%s"}}'
        steps = self.stored(server, selector % "lockstep_step")
        self.assertEqual([[int(value) for value in values] for values in steps.values()],
                         [[r["step"] for r in of_rank]])
        losses = self.stored(server, selector % ".*loss.*")
        self.assertEqual([[float(value) for value in values] for values in losses.values()],
                         [[r["reduced_train_loss"] for r in of_rank]])

    def test_a_gap_is_told_and_what_is_stored_outlives_a_restart(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-push-")
        self.addCleanup(folder.cleanup)
        line = b'{"job":"j","rank":0,"step":%d,"time":%d,"loss":2.5}\n'
        lines = [line % (step, 1_700_000_000 + step) for step in range(4)]
        flags = ("--storage.retention.time=30y",)
        server = lockstep_server.Server.ready(pathlib.Path(folder.name), *flags)
        headers = {"X-Lockstep-Stream": "s", "X-Lockstep-Offset": "0"}
        self.assertEqual(self.pusher(server).post("/api/v1/push/steps", lines[0], headers)[0], 200)
        headers["X-Lockstep-Offset"] = "1000"
        status, answer = self.pusher(server).post("/api/v1/push/steps", lines[1], headers)
        self.assertEqual((status, answer["expected_offset"]), (409, len(lines[0])))
        server.kill()
        server = lockstep_server.Server.ready(pathlib.Path(folder.name), *flags)
        self.addCleanup(server.stop)
        # The server knows the stream's position, and drops what is sent again.
        headers["X-Lockstep-Offset"] = "0"
        status, answer = self.pusher(server).post("/api/v1/push/steps", b"".join(lines[:2]), headers)
        self.assertEqual((status, answer["accepted"]), (200, 1))
        headers["X-Lockstep-Offset"] = str(len(b"".join(lines[:2])))
        status, answer = self.pusher(server).post("/api/v1/push/steps", b"".join(lines[2:]), headers)
        self.assertEqual((status, answer["accepted"]), (200, 2))
        self.assertEqual(list(self.stored(server, "lockstep_step").values()), [["0", "1", "2", "3"]])


if __name__ == "__main__":
    unittest.main()
