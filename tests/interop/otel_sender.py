"""Sends the metrics given on standard input with OpenTelemetry's Python SDK; runs inside its
environment.

The input is a JSON object: `protocol` ("http" or "grpc"), `endpoint`, `compression` ("none", "gzip"
or "deflate"), `temporality` ("cumulative" or "delta"), `service`, and `rounds`, a list of lists of
[instrument, value, attributes]. After each round everything is exported once; a failed export ends
the program with status 1.
"""

import json
import sys
import time

from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpExporter
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import (AggregationTemporality, MetricExportResult,
                                              PeriodicExportingMetricReader)
from opentelemetry.sdk.metrics.view import (ExplicitBucketHistogramAggregation,
                                            ExponentialBucketHistogramAggregation, View)
from opentelemetry.sdk.resources import Resource

NEVER_MS = 3_600_000


def make_exporter(told):
    temporality = {}
    if told["temporality"] == "delta":
        temporality = {Counter: AggregationTemporality.DELTA,
                       Histogram: AggregationTemporality.DELTA}
    if told["protocol"] == "http":
        return HttpExporter(endpoint=told["endpoint"], preferred_temporality=temporality,
                            compression=Compression(told["compression"]))
    import grpc
    compression = {"none": grpc.Compression.NoCompression, "gzip": grpc.Compression.Gzip,
                   "deflate": grpc.Compression.Deflate}[told["compression"]]
    return GrpcExporter(endpoint=told["endpoint"], insecure=True, compression=compression,
                        preferred_temporality=temporality)


class Watched:
    """Records whether each export succeeded."""

    def __init__(self, exporter):
        self.failed = False
        export = exporter.export

        def watched(*arguments, **options):
            result = export(*arguments, **options)
            self.failed = self.failed or result is not MetricExportResult.SUCCESS
            return result

        exporter.export = watched


def main():
    told = json.load(sys.stdin)
    exporter = make_exporter(told)
    watched = Watched(exporter)
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=NEVER_MS)
    resource = Resource({"service.name": told["service"], "service.namespace": "fleet",
                         "service.instance.id": "0", "host.name": "node-1", "gpu.count": 8})
    views = [View(instrument_name="step.duration",
                  aggregation=ExplicitBucketHistogramAggregation([0.1, 0.5, 1])),
             View(instrument_name="message.size",
                  aggregation=ExponentialBucketHistogramAggregation())]
    provider = MeterProvider(metric_readers=[reader], resource=resource, views=views)
    meter = provider.get_meter("trainer", "1.2", attributes={"framework": "torch"})
    instruments = {
        "train.steps": meter.create_counter("train.steps", description="Steps done.").add,
        "queue.depth": meter.create_up_down_counter("queue.depth", unit="{request}").add,
        "gpu.temperature": meter.create_gauge("gpu.temperature", unit="Cel").set,
        "step.duration": meter.create_histogram("step.duration", unit="s").record,
        "message.size": meter.create_histogram("message.size", unit="By").record,
    }
    for events in told["rounds"]:
        for instrument, value, attributes in events:
            instruments[instrument](value, attributes)
        provider.force_flush()
        # Samples are at least a millisecond apart.
        time.sleep(0.005)
    provider.shutdown()
    sys.exit(1 if watched.failed else 0)


if __name__ == "__main__":
    main()
