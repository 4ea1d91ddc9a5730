"""OpenTelemetry's Python SDK sends by OTLP/HTTP and OTLP/gRPC: PromQL returns what was recorded.

LOCKSTEP_PROGRAM names the server.
"""

import pathlib
import re
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import otel_sdk
import programs
from lockstep_server import Server
from programs import ask

GRPC_ADDRESS = re.compile(r"listening for OTLP over gRPC.*address=\"?([0-9.]+:[0-9]+)")
GPU_0, GPU_1 = {"gpu.index": 0}, {"gpu.index": 1}
ROUNDS = [
    [("train.steps", 5, GPU_0), ("train.steps", 7, GPU_0), ("train.steps", 3, GPU_1),
     ("queue.depth", 10, {}), ("queue.depth", -4, {}),
     ("gpu.temperature", 61.5, GPU_0), ("gpu.temperature", 40, GPU_1),
     ("step.duration", 0.05, {}), ("step.duration", 0.3, {}), ("step.duration", 2, {}),
     ("message.size", 1, {}), ("message.size", 4096, {})],
    [("train.steps", 2, GPU_0), ("queue.depth", -6, {}), ("gpu.temperature", 62, GPU_0),
     ("step.duration", 0.7, {}), ("message.size", 5000, {}), ("message.size", 0, {})],
    [("train.steps", 1, GPU_1), ("train.steps", 4, GPU_0), ("step.duration", 0.2, {}),
     ("message.size", 1e6, {})],
]
# After the last round, computed by hand from the rounds above.
EXPECTED = {
    'train_steps_total{gpu_index="0"}': 5 + 7 + 2 + 4,
    'train_steps_total{gpu_index="1"}': 3 + 1,
    "queue_depth": 0,
    'gpu_temperature_celsius{gpu_index="0"}': 62,
    'gpu_temperature_celsius{gpu_index="1"}': 40,
    'step_duration_seconds_bucket{le="0.1"}': 1,
    'step_duration_seconds_bucket{le="0.5"}': 3,
    'step_duration_seconds_bucket{le="1"}': 4,
    'step_duration_seconds_bucket{le="+Inf"}': 5,
    "step_duration_seconds_count": 5,
    "step_duration_seconds_sum": 0.05 + 0.3 + 2 + 0.7 + 0.2,
    "histogram_count(message_size_bytes)": 5,
    "histogram_sum(message_size_bytes)": 1 + 4096 + 5000 + 0 + 1e6,
    # The zero and the one are below two, the others above.
    "histogram_fraction(-1, 2, message_size_bytes) * 5": 2,
    'target_info{host_name="node-1", gpu_count="8", job="fleet/%(service)s"}': 1,
    # The counter's beginning is known, so its increase is its whole value.
    'resets(train_steps_total{gpu_index="0"}[5m])': 0,
}


class OtlpSdkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        otel_sdk.python()
        folder = tempfile.TemporaryDirectory(prefix="lockstep-otlp-sdk-")
        cls.addClassCleanup(folder.cleanup)
        cls.lockstep = Server.ready(pathlib.Path(folder.name), "--otlp-grpc", "127.0.0.1:0")
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        cls.grpc_address = GRPC_ADDRESS.search(cls.lockstep.log)[1]

    def check(self, protocol, compression="none", temporality="cumulative", expected=None):
        service = f"{protocol}-{compression}-{temporality}"
        endpoint = (f"{self.lockstep.url}/v1/metrics" if protocol == "http" else
                    f"http://{self.grpc_address}")
        otel_sdk.send(protocol=protocol, endpoint=endpoint, compression=compression,
                      temporality=temporality, service=service, rounds=ROUNDS)
        now = time.time() + 1
        for query, value in (EXPECTED if expected is None else expected).items():
            with self.subTest(query=query):
                self.assertAlmostEqual(self.value_of(query % {"service": service}, service, now),
                                       value)

    def value_of(self, query, service, at_s):
        """Queries the only series of that service."""
        result = ask(self.lockstep.url, "query", query=query, time=at_s)["result"]
        of_service = [row for row in result if row["metric"].get("job") == f"fleet/{service}"]
        self.assertEqual(len(of_service), 1, (query, result))
        return float(of_service[0]["value"][1])

    def test_http(self):
        self.check("http")

    def test_http_gzip(self):
        self.check("http", "gzip")

    def test_http_deflate(self):
        self.check("http", "deflate")

    def test_grpc(self):
        self.check("grpc")

    def test_grpc_gzip(self):
        self.check("grpc", "gzip")

    def test_http_deltas_are_added_up(self):
        self.check("http", temporality="delta")

    def test_grpc_deltas_are_added_up(self):
        self.check("grpc", temporality="delta")

    def test_the_door_counts(self):
        self.check("grpc", expected={})
        connection = self.lockstep.connect()
        self.addCleanup(connection.close)
        metrics = connection.get("/metrics").text
        found = re.search(r'lockstep_otlp_grpc_calls_total\{status="OK"\} (\d+)', metrics)
        self.assertGreaterEqual(int(found[1]), len(ROUNDS))


if __name__ == "__main__":
    unittest.main()
