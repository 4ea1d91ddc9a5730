"""Pushes with Prometheus' client for Python; runs inside the environment of
client_requirements.txt.

The input is a JSON object: `url`, `token`, and `pushes`, a list of [function name, job, grouping
key, {name: value}]. The output is a list of the same length: the exception of each push, or null.
"""

import json
import sys

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import default_handler


def registry_of(values):
    registry = CollectorRegistry()
    for name, value in values.items():
        if name.endswith("_total"):
            Counter(name, f"Of {name}.", registry=registry).inc(value)
        elif name.endswith("_seconds"):
            Histogram(name, f"Of {name}.", buckets=(1, 10), registry=registry).observe(value)
        else:
            Gauge(name, f"Of {name}.", ["table"], registry=registry).labels(table="a b").set(value)
    return registry


def main():
    told = json.load(sys.stdin)

    def handler(url, method, timeout, headers, data):
        shown = [("Authorization", f"Bearer {told['token']}")]
        return default_handler(url, method, timeout, [*headers, *shown], data)

    outcomes = []
    for what, job, grouping_key, values in told["pushes"]:
        arguments = {"gateway": told["url"], "job": job, "grouping_key": grouping_key, "handler": handler}
        if what != "delete_from_gateway":
            arguments["registry"] = registry_of(values)
        try:
            getattr(prometheus_client, what)(**arguments)
            outcomes.append(None)
        except OSError as error:
            outcomes.append(str(error))
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main()
