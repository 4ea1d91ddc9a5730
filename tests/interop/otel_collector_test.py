"""The OpenTelemetry Collector receives from OpenTelemetry's SDK and forwards by OTLP/gRPC,
OTLP/HTTP and remote write: the same samples each.

LOCKSTEP_PROGRAM names the server. tools/build_otel_collector.sh build/tools builds the collector;
without it the test is skipped.
"""

import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import otel_sdk
import programs
from lockstep_server import Server
from otlp_sdk_test import GRPC_ADDRESS, ROUNDS
from programs import ask

COLLECTOR = programs.ROOT / "build/tools/otelcol-lockstep"
CONFIG = """
receivers:
  otlp: {{protocols: {{http: {{endpoint: '{http}'}}, grpc: {{endpoint: '{grpc}'}}}}}}
exporters:
  otlp_grpc: {{endpoint: '{by_grpc}', tls: {{insecure: true}}}}
  otlp_http: {{metrics_endpoint: '{by_http}/v1/metrics', compression: {compression}}}
  prometheusremotewrite: {{endpoint: '{by_write}/api/v1/write'}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    metrics: {{receivers: [otlp], exporters: [otlp_grpc, otlp_http, prometheusremotewrite]}}
"""
SERVICE = "collected"
WITHIN_S = 60


def samples(server):
    """{labels: (floats, histograms)} of the service, without the scope labels that the collector's
    translation adds.
    """
    data = ask(server.url, "query", query=f'{{job="fleet/{SERVICE}"}}[10m]', time=time.time() + 60)
    found = {}
    for row in data["result"]:
        labels = tuple(sorted((name, value) for name, value in row["metric"].items()
                              if not name.startswith("otel_scope_")))
        found[labels] = (row.get("values"), row.get("histograms"))
    return found


def sample_count(found):
    return sum(len(floats or []) + len(histograms or []) for floats, histograms in found.values())


class OtelCollectorTest(unittest.TestCase):
    def setUp(self):
        if not COLLECTOR.exists():
            raise unittest.SkipTest(
                f"{COLLECTOR} is missing: run 'tools/build_otel_collector.sh build/tools'")
        otel_sdk.python()
        folder = tempfile.TemporaryDirectory(prefix="lockstep-otel-collector-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start_server(self, name):
        folder = self.folder / name
        folder.mkdir()
        server = Server.ready(folder, "--otlp-grpc", "127.0.0.1:0")
        self.addCleanup(lambda: server.stop())
        return server

    def start_collector(self, servers, compression):
        http, grpc = programs.free_address(), programs.free_address()
        by_grpc, by_http, by_write = servers
        path = self.folder / "collector.yaml"
        path.write_text(CONFIG.format(
            http=http, grpc=grpc, by_grpc=GRPC_ADDRESS.search(by_grpc.log)[1], by_http=by_http.url,
            by_write=by_write.url, compression=compression))
        collector = programs.Program(self.folder, "collector",
                                     [str(COLLECTOR), "--config", f"file:{path}"])
        self.addCleanup(lambda: collector.stop())
        programs.wait_until(lambda: "Everything is ready" in collector.log, "the collector is ready",
                            WITHIN_S)
        return f"http://{http}/v1/metrics", f"http://{grpc}"

    def check(self, protocol, compression):
        servers = [self.start_server(name) for name in ("by_grpc", "by_http", "by_write")]
        http, grpc = self.start_collector(servers, compression)
        otel_sdk.send(protocol=protocol, endpoint=http if protocol == "http" else grpc,
                      compression="none", temporality="cumulative", service=SERVICE,
                      rounds=ROUNDS)
        # Each round exports at least 12 samples: five counts and levels, six series of the
        # histogram, and the native one.
        programs.wait_until(lambda: all(sample_count(samples(server)) >= 12 * len(ROUNDS)
                                        for server in servers), "all samples have come", WITHIN_S)
        by_grpc, by_http, by_write = (samples(server) for server in servers)
        self.assertEqual(by_grpc, by_http)
        self.assertEqual(sorted(by_grpc), sorted(by_write))
        self.assertEqual(by_grpc, by_write)

    def test_from_http(self):
        self.check("http", "gzip")

    def test_from_grpc_with_zstd_onwards(self):
        self.check("grpc", "zstd")

    def test_from_http_with_snappy_onwards(self):
        self.check("http", "snappy")


if __name__ == "__main__":
    unittest.main()
