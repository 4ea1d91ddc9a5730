"""Notifications for operators: a configuration that cannot be reloaded, and the one in effect.

LOCKSTEP_PROGRAM names the server.
"""

import http.client
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from lockstep_server import Server

WITHIN_S = 60
FAILED = "Configuration reload has failed."
GOOD = "global: {{external_labels: {{cluster: {cluster}}}}}\nstorage: {{max-series: {series}}}\n"


class NotificationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.config = self.folder / "lockstep.yml"
        self.config.write_text(GOOD.format(cluster="before", series=1000))
        self.server = Server.ready(self.folder, "--config", str(self.config), "--web.enable-lifecycle")
        self.addCleanup(self.server.kill)
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def reload(self, text):
        self.config.write_text(text)
        return self.connection.post("/-/reload").status

    def data(self, path):
        answer = self.connection.get(f"/api/v1/{path}")
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.text)["data"]

    def listen(self):
        """-> a response whose body is the events."""
        connection = http.client.HTTPConnection(self.server.address, timeout=WITHIN_S)
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/notifications/live", headers={"Accept-Encoding": "gzip"})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        self.assertEqual(response.getheader("Content-Type"), "text/event-stream")
        self.assertEqual(response.getheader("Cache-Control"), "no-cache")
        self.assertIsNone(response.getheader("Content-Encoding"))
        return response

    def next_event(self, stream):
        while True:
            line = stream.readline().decode()
            self.assertNotEqual(line, "", "the stream has ended")
            if line.startswith("data: "):
                return json.loads(line.removeprefix("data: "))

    def test_a_reload_that_fails_is_said_until_one_succeeds(self):
        self.assertEqual(self.data("notifications"), [])
        early = self.listen()
        self.assertEqual(self.reload("no such setting: 1\n"), 500)
        said = self.data("notifications")
        self.assertEqual([(one["text"], one["active"]) for one in said], [(FAILED, True)])
        self.assertFalse(self.data("status/runtimeinfo")["reloadConfigSuccess"])
        late = self.listen()
        for stream in (early, late):
            self.assertEqual(self.next_event(stream), said[0])
        self.assertEqual(self.reload(GOOD.format(cluster="after", series=1000)), 200)
        self.assertEqual(self.data("notifications"), [])
        self.assertTrue(self.data("status/runtimeinfo")["reloadConfigSuccess"])
        for stream in (early, late):
            event = self.next_event(stream)
            self.assertEqual((event["text"], event["active"]), (FAILED, False))

    def test_a_stop_ends_the_stream(self):
        stream = self.listen()
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(self.next_event(stream)["text"], "lockstep is shutting down.")
        self.assertEqual([line for line in stream.read().decode().splitlines() if line.startswith("data")], [])

    def test_those_who_went_make_room(self):
        streams = [self.listen() for _ in range(16)]
        self.assertEqual(self.connection.get("/api/v1/notifications/live").status, 204)
        self.assertEqual(self.reload("no such setting: 1\n"), 500)
        for stream in streams:
            self.assertEqual(self.next_event(stream)["text"], FAILED)

    def test_the_configuration_is_the_one_in_effect(self):
        before = self.data("status/config")["yaml"]
        self.assertIn("external_labels:\n    cluster: before\n", before)
        self.assertIn("max-series: 1000\n", before)
        self.assertEqual(self.reload(GOOD.format(cluster="after", series=2000)), 200)
        after = self.data("status/config")["yaml"]
        self.assertEqual(after, before.replace("cluster: before", "cluster: after").replace("1000", "2000"))
        self.assertEqual(self.reload("no such setting: 1\n"), 500)
        self.assertEqual(self.data("status/config")["yaml"], after)


if __name__ == "__main__":
    unittest.main()
