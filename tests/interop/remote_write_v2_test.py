"""A Prometheus 3 writes by remote write 2.0: lockstep has its samples, native histograms included,
and its metadata.

LOCKSTEP_PROGRAM names the server.
"""

import pathlib
import tempfile
import time
import unittest

import prometheus3
import programs
from lockstep_server import Server
from programs import ask

CONFIG = """
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: prometheus
    scrape_protocols: [PrometheusProto]
    static_configs: [{{targets: ['{prometheus}'], labels: {{note: 'a "b" \\ ü'}}}}]
remote_write:
  - url: {lockstep}/api/v1/write
    protobuf_message: io.prometheus.write.v2.Request
    send_native_histograms: true
    queue_config: {{batch_send_deadline: 200ms}}
"""
FLAGS = ("--enable-feature=native-histograms,metadata-wal-records",)
SPAN_S = 10


def sent_until(prometheus):
    """The time up to which Prometheus has delivered everything, in Unix seconds."""
    sent = ask(prometheus.url, "query",
               query="prometheus_remote_storage_queue_highest_sent_timestamp_seconds")["result"]
    return float(sent[0]["value"][1]) if sent else 0


def samples(server, selector, at_s):
    """{labels: samples} of the interval before `at_s`."""
    data = ask(server.url, "query", query=f"{selector}[{SPAN_S}s]", time=at_s)
    return {tuple(sorted(row["metric"].items())): (row.get("values"), row.get("histograms"))
            for row in data["result"]}


class RemoteWriteV2Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-write-v2-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.lockstep = Server.ready(path)
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        address = programs.free_address()
        config = CONFIG.format(prometheus=address, lockstep=cls.lockstep.url)
        cls.prometheus = prometheus3.start_prometheus(path, *FLAGS, config=config, address=address)
        cls.addClassCleanup(lambda: cls.prometheus.stop())
        begin = time.time()
        programs.wait_until(lambda: sent_until(cls.prometheus) > begin + SPAN_S + 2,
                            "Prometheus has delivered a span of samples", 60)
        cls.at_s = int(begin) + SPAN_S + 1

    def test_samples_are_the_same(self):
        theirs = samples(self.prometheus, '{job="prometheus"}', self.at_s)
        self.assertGreater(len(theirs), 300)
        self.assertTrue(any(histograms for _, histograms in theirs.values()))
        self.assertEqual(theirs, samples(self.lockstep, '{job="prometheus"}', self.at_s))

    def test_metadata_came_along(self):
        found = ask(self.lockstep.url, "metadata", metric="prometheus_http_requests_total")
        entry = found["prometheus_http_requests_total"][0]
        self.assertEqual(entry["type"], "counter")
        self.assertIn("HTTP requests", entry["help"])


if __name__ == "__main__":
    unittest.main()
