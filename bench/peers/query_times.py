#!/usr/bin/env python3
"""Times the usual queries on lockstep and VictoriaMetrics, without their result caches.

Two fleets, one after the other: many GPUs for an hour, and fewer for a day. Every query is sent to
both servers in turn, repeatedly; then by 8 and 64 clients at once; finally, ten clients send the
small queries of a dashboard while another one queries a hundred million samples.
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import NamedTuple

import peers
import replay
from queries import QUERIES, Query
from run import agree, geometric_mean

NAMES = ("lockstep", peers.BEFORE, "VictoriaMetrics")
DASHBOARD = tuple(query for query in QUERIES if query.name in (
    "utilisation of the fleet", "tensor activity by job", "every GPU of a job",
    "energy and its price by job"))
DASHBOARDS = 10
RECORDED_HOURS = 8
# All metrics at twenty steps: over a day each sample is in five windows, over an hour in ten.
HEAVY = Query("everything", 'count(quantile_over_time(0.9, {__name__=~"DCGM_FI_.*"}[6h]))', True)


class Fleet(NamedTuple):
    title: str
    gpus: int
    hours: int
    step_s: int


FLEETS = (Fleet("1 h of 1,024 GPUs", 1024, 1, 15), Fleet("24 h of 128 GPUs", 128, 24, 60))


def url_of(server, query, fleet, end_s, step_s=None):
    form = {"query": query.text, **server.query_parameters}
    if not query.is_range:
        return f"{server.url}/api/v1/query?{urllib.parse.urlencode({**form, 'time': end_s})}"
    form |= {"start": end_s - fleet.hours * 3600, "end": end_s, "step": step_s or fleet.step_s}
    return f"{server.url}/api/v1/query_range?{urllib.parse.urlencode(form)}"


def ask(url):
    """Returns the body of the answer and the seconds it took."""
    begin = time.perf_counter()
    with urllib.request.urlopen(url, timeout=300) as response:
        body = response.read()
    return body, time.perf_counter() - begin


def seconds_to_answer(url):
    """The time until the query is answered. An overloaded server is asked again when it says so."""
    begin = time.perf_counter()
    while True:
        try:
            ask(url)
            return time.perf_counter() - begin
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(int(error.headers["Retry-After"]))


def alone(servers, fleet, end_s, repeats):
    """{query: {server: milliseconds}}, medians, and the queries with different answers."""
    times = {query.name: {server.name: [] for server in servers} for query in QUERIES}
    differ = []
    for repetition in range(repeats + 1):
        for query in QUERIES:
            answers = []
            # Whichever server is asked first takes about 0.1 ms longer, so they take turns.
            for server in servers if repetition % 2 else reversed(servers):
                body, seconds = ask(url_of(server, query, fleet, end_s))
                # The first round only warms caches.
                if repetition > 0:
                    times[query.name][server.name].append(seconds * 1e3)
                else:
                    answers.append(json.loads(body)["data"]["result"])
            if repetition == 0 and (not answers[0] or not all(
                    agree(query, answers[0], answer) for answer in answers)):
                differ.append(query.name)
    medians = {name: {server: statistics.median(values) for server, values in of.items()}
               for name, of in times.items()}
    return medians, differ


def at_once(server, urls, people, rounds):
    """Every client sends all `urls` `rounds` times in its own order: (queries/s, median ms)."""
    times = []

    def one(seed):
        own = urls * rounds
        random.Random(seed).shuffle(own)
        times.extend([seconds_to_answer(url) for url in own])

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(people)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(times) / (time.perf_counter() - begin), statistics.median(times) * 1e3


def beside_a_heavy_one(server, fleet, end_s, seconds):
    """(median ms of the dashboards, number of answers, outcome of the heavy query)"""
    urls = [url_of(server, query, fleet, end_s, 300) for query in DASHBOARD]
    heavy_url = url_of(server, HEAVY, fleet, end_s, fleet.hours * 3600 // 20)
    times, heavy, over = [], [], threading.Event()

    def dashboard():
        while not over.is_set():
            times.extend([seconds_to_answer(url) for url in urls])

    def ask_heavy():
        while not over.is_set():
            begin = time.perf_counter()
            try:
                words = f"succeeded ({len(ask(heavy_url)[0]) / 1e6:.1f} MB)"
            except urllib.error.HTTPError as error:
                words = f"rejected: {json.loads(error.read())['error'][:150]}"
            heavy.append(f"{words} after {time.perf_counter() - begin:.1f} s")

    threads = [threading.Thread(target=dashboard) for _ in range(DASHBOARDS)]
    threads.append(threading.Thread(target=ask_heavy))
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    over.set()
    for thread in threads:
        thread.join()
    return statistics.median(times) * 1e3, len(times), heavy[0]


def print_alone(fleet, written, medians, names):
    print(f"\n{fleet.title}: {written['series']:,} series, {written['samples']:,} samples; ranges in "
          f"steps of {fleet.step_s} s; median ms of a single client\n")
    has_ratio = len(names) == 2
    print(f"| | {' | '.join(names)} |{' ratio |' * has_ratio}")
    print("|---" * (1 + len(names) + has_ratio) + "|")
    means = {server: geometric_mean([of[server] for of in medians.values()]) for server in names}
    for name, of in {**medians, "geometric mean": means}.items():
        ratio = f" {of[names[0]] / of[names[1]]:.2f} |" if has_ratio else ""
        print(f"| {name} | {' | '.join(f'{of[server]:.1f}' for server in names)} |{ratio}")
    print(flush=True)


def encode(options, fleet, folder):
    """The data and the files: the recordings last for eight hours, then they repeat."""
    written = {"series": 0, "samples": 0, "end_s": replay.now_s()}
    slices = []
    for begin in range(0, fleet.hours, RECORDED_HOURS):
        hours = min(RECORDED_HOURS, fleet.hours - begin)
        part = folder / f"from-{begin}"
        part.mkdir()
        end_s = written["end_s"] - (fleet.hours - begin - hours) * 3600
        encoded = replay.encode(options.replay, part, gpus=fleet.gpus, slices=1, end_s=end_s,
                                points=hours * 3600 // replay.STEP_S, samples_per_request=10_000)
        written["series"] = encoded["series"]
        written["samples"] += encoded["samples"]
        slices.append(part / "slice-0")
    return written, slices


def run_fleet(options, fleet, folder):
    folder.mkdir()
    with contextlib.ExitStack() as running:
        servers = []
        for name in options.servers:
            servers.append(peers.start(name, folder / name, options))
            running.callback(servers[-1].stop)
        written, slices = encode(options, fleet, folder)
        for server, path in itertools.product(servers, slices):
            replay.send(options.replay, server.write_url, path)
        for server in servers:
            server.settle()
        end_s = written["end_s"]
        written_peaks = [server.peak_resident_bytes() for server in servers]
        medians, differ = alone(servers, fleet, end_s, options.repeats)
        print_alone(fleet, written, medians, options.servers)
        for name in differ:
            print(f"different answers: {name}")
        for people, rounds in ((8, 2), (64, 1)):
            for server in servers:
                urls = [url_of(server, query, fleet, end_s) for query in QUERIES]
                rate, median = at_once(server, urls, people, rounds)
                print(f"{people} at once, {server.name}: {rate:.1f} queries/s, median {median:.0f} ms",
                      flush=True)
        for server in servers:
            median, count, heavy = beside_a_heavy_one(server, fleet, end_s, options.heavy_seconds)
            print(f"{DASHBOARDS} dashboards during a heavy query, {server.name}: median {median:.0f} "
                  f"ms of {count} responses; the heavy query {heavy}", flush=True)
        for server, before in zip(servers, written_peaks):
            print(f"peak resident, {server.name}: {before / 1e6:.0f} MB after writing, "
                  f"{server.peak_resident_bytes() / 1e6:.0f} MB after all queries", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_arguments(parser)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each query (default 5)")
    parser.add_argument("--heavy-seconds", type=float, default=20)
    parser.add_argument("--only", type=int, choices=(1, 24), help="run only the fleet with this many hours")
    parser.add_argument("--servers", nargs="+", choices=NAMES,
                        default=("lockstep", "VictoriaMetrics"))
    parser.add_argument("--before", type=peers.existing_path, help="another build of lockstep")
    parser.add_argument("--shrink", type=int, default=1, help="divide the number of GPUs by this, for a trial")
    options = parser.parse_args()
    if peers.BEFORE in options.servers and options.before is None:
        parser.error("'before' needs --before PROGRAM")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-queries-", dir=options.folder))
        stack.callback(shutil.rmtree, folder)
        for fleet in FLEETS:
            if options.only in (None, fleet.hours):
                fleet = fleet._replace(gpus=max(8, fleet.gpus // options.shrink))
                run_fleet(options, fleet, folder / str(fleet.hours))
                shutil.rmtree(folder / str(fleet.hours))


if __name__ == "__main__":
    sys.exit(main())
