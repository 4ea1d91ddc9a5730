"""OTLP metrics requests, as protobuf and as JSON, with only the standard library.

Every series is a gauge; the label `job` becomes the service's name.
"""

import struct

from remote_write import double, length_delimited

GRPC_METHOD = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"


def by_service(series):
    """{job or None: {metric: [({label: value}, [(time in ms, value), ...]), ...]}}"""
    services = {}
    for labels, samples in series:
        attributes = dict(labels)
        metrics = services.setdefault(attributes.pop("job", None), {})
        metrics.setdefault(attributes.pop("__name__"), []).append((attributes, samples))
    return services


def key_value(name, value):
    return length_delimited(1, name.encode()) + length_delimited(2, length_delimited(1, value.encode()))


def point(attributes, time_ms, value):
    return (b"\x19" + struct.pack("<Q", time_ms * 1_000_000) + b"\x21" + double(value) +
            b"".join(length_delimited(7, key_value(*pair)) for pair in attributes.items()))


def gauge(name, all_series):
    points = b"".join(length_delimited(1, point(attributes, *sample))
                      for attributes, samples in all_series for sample in samples)
    return length_delimited(1, name.encode()) + length_delimited(5, points)


def protobuf(series):
    """An ExportMetricsServiceRequest of ({name: value}, [(time in ms, value), ...]) pairs."""
    request = b""
    for service, metrics in by_service(series).items():
        resource = b"" if service is None else length_delimited(1, key_value("service.name", service))
        scope = b"".join(length_delimited(2, gauge(*metric)) for metric in metrics.items())
        request += length_delimited(1, length_delimited(1, resource) + length_delimited(2, scope))
    return request


def json_attributes(attributes):
    return [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()]


def json_gauge(name, all_series):
    return {"name": name, "gauge": {"dataPoints": [
        {"timeUnixNano": str(time_ms * 1_000_000), "asDouble": value,
         "attributes": json_attributes(attributes)}
        for attributes, samples in all_series for time_ms, value in samples]}}


def json_object(series):
    """The same as OTLP's JSON."""
    return {"resourceMetrics": [
        {"resource": {"attributes": [] if service is None else
                      json_attributes({"service.name": service})},
         "scopeMetrics": [{"metrics": [json_gauge(*metric) for metric in metrics.items()]}]}
        for service, metrics in by_service(series).items()]}
