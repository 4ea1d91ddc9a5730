#!/usr/bin/env python3
"""Runs the Time Series Benchmark Suite (cpu-only) on lockstep and VictoriaMetrics, interleaved.

The suite's own programs generate the data and the queries, and load the data as InfluxDB lines to
/write. Then one client here asks its eleven types of range queries over one connection, because the
suite's client asks one server at a time: here the servers take turns with each query. Their result
caches are off.

Seven of the types aggregate max_over_time() or avg_over_time() of several metrics by (__name__).
MetricsQL keeps the names there, PromQL fails, so both servers are asked to keep them as a label.
"""

import argparse
import contextlib
import datetime
import http.client
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import peers
from run import geometric_mean

NAMES = ("lockstep", "VictoriaMetrics")
QUERY_TYPES = ("single-groupby-1-1-1", "single-groupby-1-1-12", "single-groupby-1-8-1",
               "single-groupby-5-1-1", "single-groupby-5-1-12", "single-groupby-5-8-1",
               "cpu-max-all-1", "cpu-max-all-8", "double-groupby-1", "double-groupby-5",
               "double-groupby-all")
INTERVAL_S = 10
SEED = "20260101"
# In the suite's files, a Go encoding whose strings are plain.
QUERY_PATH = re.compile(rb"/api/v1/query_range\?[\w%&=+.~*!'()-]+")
BY_NAME = re.compile(r"(\w+)\((\w+_over_time\(.*\))\) by \(__name__(, \w+)?\)")
RELATIVE_TOLERANCE = 1e-9


class Suite:
    """The suite's programs on one set of data."""

    def __init__(self, programs, hosts, hours, folder):
        self._programs = programs
        self._folder = folder
        end_s = int(time.time()) // 3600 * 3600
        times = [datetime.datetime.fromtimestamp(s, datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ") for s in (end_s - hours * 3600, end_s)]
        self._common = ["--use-case=cpu-only", "--format=victoriametrics", f"--seed={SEED}",
                        f"--scale={hosts}", f"--timestamp-start={times[0]}"]
        self._data_end, self._queries_end = times[1], times[1].replace("00:00Z", "00:01Z")
        self.sample_count = hosts * hours * 3600 // INTERVAL_S * 10

    def _run(self, program, *arguments, **options):
        return subprocess.run([self._programs / program, *arguments], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def generate(self, query_count):
        with (self._folder / "data").open("wb") as data:
            subprocess.run([self._programs / "tsbs_generate_data", *self._common,
                            f"--timestamp-end={self._data_end}", f"--log-interval={INTERVAL_S}s"],
                           check=True, stdout=data)
        for query_type in QUERY_TYPES:
            output = self._run("tsbs_generate_queries", *self._common,
                               f"--timestamp-end={self._queries_end}",
                               f"--query-type={query_type}", f"--queries={query_count}").stdout
            (self._folder / query_type).write_bytes(output)

    def load(self, server):
        self._run("tsbs_load_victoriametrics", f"--urls={server.url}/write", "--workers=2",
                  f"--file={self._folder / 'data'}", "--reporting-period=0")

    def paths(self, query_type):
        """The queries, as paths with parameters."""
        return [with_names_as_labels(path.decode())
                for path in QUERY_PATH.findall((self._folder / query_type).read_bytes())]


def with_names_as_labels(path):
    parameters = dict(urllib.parse.parse_qsl(path.partition("?")[2]))
    parameters["query"] = BY_NAME.sub(
        r'\1(label_replace(\2, "name", "$1", "__name__", "(.+)")) by (name\3)', parameters["query"])
    return f"/api/v1/query_range?{urllib.parse.urlencode(parameters)}"


class Client:
    """One connection to a server."""

    def __init__(self, server):
        address = urllib.parse.urlsplit(server.url)
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        self._suffix = "".join(f"&{name}={value}" for name, value in server.query_parameters.items())

    def ask(self, path):
        """(milliseconds, body)"""
        begin = time.perf_counter()
        self._connection.request("GET", path + self._suffix)
        response = self._connection.getresponse()
        body = response.read()
        milliseconds = (time.perf_counter() - begin) * 1e3
        if response.status != 200:
            raise RuntimeError(f"{path} was answered {response.status}: {body[:300]}")
        return milliseconds, body

    def results(self, path):
        """{labels: [[time, value], ...]}"""
        rows = json.loads(self.ask(path)[1])["data"]["result"]
        return {json.dumps(row["metric"], sort_keys=True): row["values"] for row in rows}


def agree(a, b):
    def close(x, y):
        return abs(x - y) <= RELATIVE_TOLERANCE * max(abs(x), abs(y))

    return a.keys() == b.keys() and all(
        len(a[key]) == len(b[key]) and all(
            p[0] == q[0] and close(float(p[1]), float(q[1])) for p, q in zip(a[key], b[key]))
        for key in a)


def measure(options, suite, servers):
    """({type: {server: median ms}}, {server: CPU ms a query}, types with different answers)"""
    clients = {server.name: Client(server) for server in servers}
    medians, differ = {}, []
    cpu_ms = {server.name: [] for server in servers}
    for query_type in QUERY_TYPES:
        paths = suite.paths(query_type)
        for path in paths[:3]:
            first, *others = [client.results(path) for client in clients.values()]
            if not (first and all(agree(first, other) for other in others)):
                differ.append(query_type)
                break
        times = {server.name: [] for server in servers}
        used_ms = dict.fromkeys(times, 0.0)
        for _ in range(options.rounds):
            for path in paths:
                for server in servers:
                    before = server.thread_cpu_ms()
                    times[server.name].append(clients[server.name].ask(path)[0])
                    used_ms[server.name] += server.thread_cpu_ms() - before
        medians[query_type] = {name: statistics.median(values) for name, values in times.items()}
        for name, total_ms in used_ms.items():
            cpu_ms[name].append(total_ms / len(times[name]))
    return medians, cpu_ms, differ


def print_table(medians, cpu_ms, names):
    has_ratio = len(names) == 2
    heads = [f"{name} {what}" for what in ("ms", "CPU ms") for name in names]
    heads += ["time ratio", "CPU ratio"] * has_ratio
    print(f"| | {' | '.join(heads)} |")
    print("|---" + "|--:" * len(heads) + "|")
    rows = [(title, of, {name: cpu_ms[name][i] for name in names})
            for i, (title, of) in enumerate(medians.items())]
    rows.append(("geometric mean",
                 {name: geometric_mean([of[name] for of in medians.values()]) for name in names},
                 {name: geometric_mean(cpu_ms[name]) for name in names}))
    for title, *columns in rows:
        cells = [f"{of[name]:.2f}" for of in columns for name in names]
        if has_ratio:
            cells += [f"{of[names[0]] / of[names[1]]:.2f}" for of in columns]
        print(f"| {title} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_arguments(parser)
    parser.add_argument("--tsbs", type=peers.existing_path, default=peers.ROOT / "build/peers/tsbs",
                        help="folder of the suite's programs")
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--hours", type=int, default=13, help="hours of data (default 13)")
    parser.add_argument("--queries", type=int, default=50, help="queries of each type and round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--servers", nargs="+", choices=NAMES, default=NAMES)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-tsbs-", dir=options.folder))
        stack.callback(shutil.rmtree, folder)
        suite = Suite(options.tsbs, options.hosts, options.hours, folder)
        suite.generate(options.queries)
        servers = []
        for name in options.servers:
            servers.append(peers.start(name, folder / name, options))
            stack.callback(servers[-1].stop)
            begin = time.monotonic()
            suite.load(servers[-1])
            seconds = time.monotonic() - begin
            print(f"{name}: {suite.sample_count / seconds / 1e3:,.0f} k samples/s written", flush=True)
        for server in servers:
            server.settle()
        medians, cpu_ms, differ = measure(options, suite, servers)
        print(f"\n{options.hosts} hosts, {options.hours} h, {suite.sample_count:,} samples; medians and "
              f"mean CPU times of {options.rounds} rounds of {options.queries} queries\n")
        print_table(medians, cpu_ms, options.servers)
        for query_type in differ:
            print(f"different answers: {query_type}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
