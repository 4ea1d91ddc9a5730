#!/usr/bin/env python3
"""Compares lockstep, Prometheus and VictoriaMetrics on one replayed fleet, interleaved.

The fleet is written in slices, each slice to every server in turn; then the queries are sent to
every server in turn, repeatedly. So a slow moment of the machine affects all of them.
"""

import argparse
import contextlib
import json
import math
import pathlib
import shutil
import statistics
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import peers
import replay
from queries import QUERIES

SLICES = 4
RELATIVE_TOLERANCE = 1e-9


def ingest(options, servers, folder):
    """Sends all slices to all servers; returns {name: {...}}."""
    totals = {server.name: {"send_s": 0, "retries": 0} for server in servers}
    for number in range(SLICES):
        order = servers[number % len(servers):] + servers[:number % len(servers)]
        for server in order:
            report = replay.send(options.replay, server.write_url, folder / f"slice-{number}")
            totals[server.name]["send_s"] += report["seconds"]
            totals[server.name]["retries"] += report["retries"]
            print(f"  slice {number + 1} of {SLICES} to {server.name}: "
                  f"{report['samples'] / report['seconds'] / 1e6:.2f} M samples/s", flush=True)
            server.settle()
    for server in servers:
        totals[server.name]["cpu_s"] = server.cpu_seconds()
        totals[server.name]["ingest_peak_bytes"] = server.peak_resident_bytes()
    return totals


def ask(server, query, fleet):
    """Returns the answer and the seconds it took, including the body."""
    form = {"query": query.text, **server.query_parameters}
    if query.is_range:
        path = "query_range"
        form |= {"start": fleet["end_s"] - min(3600, fleet["end_s"] - fleet["start_s"]),
                 "end": fleet["end_s"], "step": replay.STEP_S}
    else:
        path = "query"
        form["time"] = fleet["end_s"]
    url = f"{server.url}/api/v1/{path}?{urllib.parse.urlencode(form)}"
    begin = time.perf_counter()
    with urllib.request.urlopen(url, timeout=120) as response:
        body = response.read()
    return json.loads(body)["data"]["result"], time.perf_counter() - begin


def values_of(result):
    return {tuple(sorted(row["metric"].items())): row.get("values", [row.get("value")])
            for row in result}


def agree(query, one, other):
    """Whether two answers are equal; for inexact queries, whether series and times are equal."""
    one, other = values_of(one), values_of(other)
    if set(one) != set(other):
        return False
    for labels, points in one.items():
        if len(points) != len(other[labels]):
            return False
        for (t, a), (u, b) in zip(points, other[labels]):
            if t != u:
                return False
            if query.exact and not math.isclose(float(a), float(b),
                                                rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-12):
                return False
    return True


def ask_all(options, servers, fleet):
    """{query name: {server name: [seconds, ...]}}, and the disagreements found."""
    times = {query.name: {server.name: [] for server in servers} for query in QUERIES}
    disagreements = []
    for repetition in range(options.repeats + 1):
        for query in QUERIES:
            answers = {}
            for server in servers:
                answers[server.name], seconds = ask(server, query, fleet)
                # The first round only warms caches.
                if repetition > 0:
                    times[query.name][server.name].append(seconds)
            first = answers[servers[0].name]
            if repetition == 0:
                disagreements += [f"{query.name}: {servers[0].name} and {name} differ"
                                  for name, answer in answers.items()
                                  if not agree(query, first, answer)]
                if not first:
                    disagreements.append(f"{query.name}: no result from {servers[0].name}")
    return times, disagreements


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def print_tables(fleet, servers, totals, times):
    names = [server.name for server in servers]
    samples = fleet["samples"]
    rows = [
        ("samples per CPU-second, millions",
         [f"{samples / totals[name]['cpu_s'] / 1e6:.3f}" for name in names]),
        ("samples per second of sending, millions",
         [f"{samples / totals[name]['send_s'] / 1e6:.3f}" for name in names]),
        ("bytes per sample on disk, all files",
         [f"{totals[name]['disk_bytes'] / samples:.2f}" for name in names]),
        ("peak resident MB while writing",
         [f"{totals[name]['ingest_peak_bytes'] / 1e6:.0f}" for name in names]),
        ("peak resident MB, queries included",
         [f"{totals[name]['peak_bytes'] / 1e6:.0f}" for name in names]),
    ]
    medians = {query: {name: statistics.median(times[query][name]) * 1e3 for name in names}
               for query in times}
    rows += [(f"ms: {query}", [f"{medians[query][name]:.1f}" for name in names])
             for query in times]
    rows.append(("ms: geometric mean",
                 [f"{geometric_mean([medians[q][name] for q in times]):.1f}" for name in names]))
    print(f"\n{fleet['series']:,} series, {samples:,} samples, remote write 1.0 in batches of "
          f"2,000 over 2 connections\n")
    print(f"| | {' | '.join(names)} |")
    print(f"|---|{'---|' * len(names)}")
    for title, cells in rows:
        print(f"| {title} | {' | '.join(cells)} |")


def run(options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-peers-", dir=options.folder))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        print(f"encoding {options.gpus} GPUs x {options.points} points", flush=True)
        fleet = replay.encode(options.replay, folder, gpus=options.gpus, points=options.points,
                              slices=SLICES)
        with contextlib.ExitStack() as running:
            servers = []
            for name in options.only or peers.NAMES:
                servers.append(peers.start(name, folder / name, options))
                running.callback(servers[-1].stop)
            totals = ingest(options, servers, folder)
            print("  asking", flush=True)
            times, disagreements = ask_all(options, servers, fleet)
            for server in servers:
                totals[server.name]["peak_bytes"] = server.peak_resident_bytes()
        for server in servers:
            totals[server.name]["disk_bytes"] = server.disk_bytes()
        print_tables(fleet, servers, totals, times)
    for words in disagreements:
        print(f"different answers: {words}")
    # VictoriaMetrics evaluates some functions by its own rules; Prometheus is our reference.
    return 1 if any("Prometheus" in words for words in disagreements) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_arguments(parser)
    parser.add_argument("--only", nargs="+", choices=peers.NAMES)
    parser.add_argument("--gpus", type=int, default=1024, help="GPUs with 31 series each (default 1024)")
    parser.add_argument("--points", type=int, default=240, help="points per series, 15 s apart (default 240)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each query (default 5)")
    sys.exit(run(parser.parse_args()))


if __name__ == "__main__":
    main()
