#!/usr/bin/env python3
"""Runs the Time Series Benchmark Suite (cpu-only) on lockstep and VictoriaMetrics, interleaved.

The suite's own programs generate the data and the queries, load them and time them: InfluxDB lines
to /write, then eleven types of PromQL range queries by one client. The servers take turns within
each round, and their result caches are off.
"""

import argparse
import contextlib
import datetime
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import peers
from run import geometric_mean

NAMES = ("lockstep", "VictoriaMetrics")
QUERY_TYPES = ("single-groupby-1-1-1", "single-groupby-1-1-12", "single-groupby-1-8-1",
               "single-groupby-5-1-1", "single-groupby-5-1-12", "single-groupby-5-8-1",
               "cpu-max-all-1", "cpu-max-all-8", "double-groupby-1", "double-groupby-5",
               "double-groupby-all")
INTERVAL_S = 10
SEED = "20260101"
MEDIAN_MS = re.compile(r"med:\s*([\d.]+)ms")
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

    def median_ms(self, server, query_type):
        """The median of all queries of this type."""
        output = self._run("tsbs_run_queries_victoriametrics", f"--urls={server.url}",
                           f"--file={self._folder / query_type}", "--print-interval=0").stdout
        return float(MEDIAN_MS.search(output.decode()).group(1))

    def answers(self, server, query_type, count):
        """The results of the first `count` queries, each {labels: [[time, value], ...]}."""
        output = self._run("tsbs_run_queries_victoriametrics", f"--urls={server.url}",
                           f"--file={self._folder / query_type}", f"--max-queries={count}",
                           "--print-interval=0", "--print-responses").stderr.decode()
        text = re.sub(r"^ID \d+: ", "", output, flags=re.MULTILINE)
        decoder, results = json.JSONDecoder(), []
        while text := text.lstrip():
            answer, end = decoder.raw_decode(text)
            results.append({json.dumps(row["metric"], sort_keys=True): row["values"]
                            for row in answer["data"]["result"]})
            text = text[end:]
        return results


def agree(a, b):
    def close(x, y):
        return abs(x - y) <= RELATIVE_TOLERANCE * max(abs(x), abs(y))

    return a.keys() == b.keys() and all(
        len(a[key]) == len(b[key]) and all(
            p[0] == q[0] and close(float(p[1]), float(q[1])) for p, q in zip(a[key], b[key]))
        for key in a)


def measure(options, suite, servers):
    """({type: {server: median ms}}, {server: CPU seconds}, types with different answers)"""
    times = {query_type: {server.name: [] for server in servers} for query_type in QUERY_TYPES}
    cpu_s = dict.fromkeys((server.name for server in servers), 0.0)
    differ = []
    for query_type in QUERY_TYPES:
        answers = [suite.answers(server, query_type, 3) for server in servers]
        if not all(first and agree(first, other)
                   for all_answers in answers for first, other in zip(answers[0], all_answers)):
            differ.append(query_type)
    for _ in range(options.rounds):
        for query_type in QUERY_TYPES:
            for server in servers:
                before = server.cpu_seconds()
                times[query_type][server.name].append(suite.median_ms(server, query_type))
                cpu_s[server.name] += server.cpu_seconds() - before
    medians = {query_type: {name: statistics.median(values) for name, values in of.items()}
               for query_type, of in times.items()}
    return medians, cpu_s, differ


def print_table(medians, cpu_s, names):
    has_ratio = len(names) == 2
    print(f"| | {' | '.join(f'{name} ms' for name in names)} |{' ratio |' * has_ratio}")
    print("|---" + "|--:" * (len(names) + has_ratio) + "|")
    means = {name: geometric_mean([of[name] for of in medians.values()]) for name in names}
    rows = [*medians.items(), ("geometric mean", means), ("CPU seconds", cpu_s)]
    for title, of in rows:
        ratio = f" {of[names[0]] / of[names[1]]:.2f} |" if has_ratio else ""
        print(f"| {title} | {' | '.join(f'{of[name]:.2f}' for name in names)} |{ratio}")


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
        medians, cpu_s, differ = measure(options, suite, servers)
        print(f"\n{options.hosts} hosts, {options.hours} h, {suite.sample_count:,} samples; medians of "
              f"{options.rounds} rounds of {options.queries} queries\n")
        print_table(medians, cpu_s, options.servers)
        for query_type in differ:
            print(f"different answers: {query_type}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
