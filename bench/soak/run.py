#!/usr/bin/env python3
"""Streams into lockstep for minutes or hours, with churn and queries: nothing may grow.

A fleet is played at a steady rate, with current times. Every 30 s, a line reports the server's
resources and its answer times. At the end, the last third of the run is compared with the second,
and all samples are counted, before and after a restart.
"""

import argparse
import contextlib
import itertools
import json
import math
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))
import peers
import programs

METRICS_PER_GPU = 31
GPUS_PER_HOST = 8
# The recordings have 1,976 points without repetition: longer runs play them more slowly.
INTERVALS_S = (1, 2, 5, 10, 15, 30)
UNIQUE_POINTS = 1976
QUESTIONS_PER_S = 1
WINDOW_S = 300

# Typical queries while jobs run: the last five minutes.
QUERIES = (
    ("query", "avg(DCGM_FI_PROF_SM_ACTIVE)"),
    ("query_range", "avg by (job) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)"),
    ("query_range", 'DCGM_FI_PROF_SM_ACTIVE{job="pretrain-0000"}'),
    ("query", 'max by (gpu) (max_over_time(DCGM_FI_DEV_POWER_USAGE{job="pretrain-0000"}[5m]))'),
)


class Note(NamedTuple):
    """The state of the server at one time."""

    minute: float
    samples: int
    series: int
    resident_mb: float
    files: int
    disk_mb: float
    bytes_per_sample: float
    cpu_share: float  # of one core, since the previous note
    p50_ms: float
    p99_ms: float
    load: float  # of the machine


# How much higher the last third may be than the second.
MAY_GROW = {"resident_mb": 1.10, "files": 1.25, "bytes_per_sample": 1.10, "cpu_share": 1.25,
            "p50_ms": 1.25, "p99_ms": 1.50}


def percentile(values, share):
    """The percentile by nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def self_metric(server, name):
    text = server.connect().get("/metrics").text
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith(name) and line[len(name)] in " {")


def counted_samples(url, since_s):
    """Counts all samples since then, metric by metric, except what the server derives from them."""
    end_s = math.ceil(time.time()) + 60
    window_s = end_s - since_s + 60
    total = 0
    stored = [name for name in programs.ask(url, "label/__name__/values") if not name.startswith("lockstep_")]
    for name in stored:
        for row in programs.ask(url, "query", time=end_s,
                                query=f"sum(count_over_time({name}[{window_s}s]))")["result"]:
            total += int(row["value"][1])
    return total


class Watcher:
    """Queries and takes notes while the fleet plays."""

    def __init__(self, server, every_s):
        self._server = server
        self._peer = peers.Peer("lockstep", server, {})
        self._every_s = every_s
        self._begin_s = time.monotonic()
        self._queries = itertools.cycle(QUERIES)
        self._cpu_s = self._peer.cpu_seconds()
        self._since_s = self._begin_s
        self.notes = []

    def _ask(self):
        path, text = next(self._queries)
        now_s = time.time()
        form = {"query": text, "time": now_s}
        if path == "query_range":
            form = {"query": text, "start": now_s - WINDOW_S, "end": now_s, "step": 5}
        begin = time.perf_counter()
        programs.ask(self._server.url, path, **form)
        return (time.perf_counter() - begin) * 1e3

    def watch(self, while_true):
        """Takes notes periodically as long as `while_true` returns true."""
        while while_true():
            times = []
            end_s = self._since_s + self._every_s
            while time.monotonic() < end_s and while_true():
                times.append(self._ask())
                time.sleep(1 / QUESTIONS_PER_S)
            if times:
                self._note(times)

    def _note(self, times):
        now_s, cpu_s = time.monotonic(), self._peer.cpu_seconds()
        files = [path.lstat() for path in self._server.data.rglob("*") if path.is_file()]
        disk_bytes = sum(status.st_blocks * 512 for status in files)
        samples = int(self_metric(self._server, "lockstep_ingest_samples_total"))
        self.notes.append(Note(
            minute=(now_s - self._begin_s) / 60, samples=samples,
            series=int(self_metric(self._server, "lockstep_storage_series")),
            resident_mb=self._peer.resident_bytes() / 1e6, files=len(files),
            disk_mb=disk_bytes / 1e6, bytes_per_sample=disk_bytes / max(samples, 1),
            cpu_share=(cpu_s - self._cpu_s) / (now_s - self._since_s),
            p50_ms=percentile(times, 0.5), p99_ms=percentile(times, 0.99),
            load=os.getloadavg()[0]))
        self._cpu_s, self._since_s = cpu_s, now_s
        print_row(self.notes[-1])


def print_head():
    print(f"| {' | '.join(Note._fields)} |\n|{'---|' * len(Note._fields)}", flush=True)


def print_row(note):
    cells = [f"{value:,}" if isinstance(value, int) else f"{value:.2f}" for value in note]
    print(f"| {' | '.join(cells)} |", flush=True)


def growing(notes):
    """Prints the thirds; returns the columns that grow."""
    third = len(notes) // 3
    if third == 0:
        print("too short to tell whether anything grows")
        return []
    print("\n| | second third | last third | ratio | may be | |\n|---|---|---|---|---|---|")
    found = []
    for column, limit in MAY_GROW.items():
        values = [getattr(note, column) for note in notes]
        before = statistics.fmean(values[third:2 * third])
        after = statistics.fmean(values[-third:])
        ratio = after / before if before else 1
        if ratio > limit:
            found.append(column)
        print(f"| {column} | {before:.2f} | {after:.2f} | {ratio:.2f} | {limit:.2f} "
              f"| {'flat' if ratio <= limit else 'GROWS'} |")
    return found


def played_fleet(options):
    """(GPUs, seconds between points, points) for the requested rate and time."""
    seconds = options.minutes * 60
    for interval_s in INTERVALS_S:
        points = math.ceil(seconds / interval_s)
        if points <= UNIQUE_POINTS:
            hosts = math.ceil(options.rate * interval_s / METRICS_PER_GPU / GPUS_PER_HOST)
            return hosts * GPUS_PER_HOST, interval_s, points
    raise SystemExit(f"at most {INTERVALS_S[-1] * UNIQUE_POINTS / 60:.0f} minutes: "
                     "the recordings would repeat themselves")


def play(options, folder, url):
    gpus, interval_s, points = played_fleet(options)
    print(f"{gpus * METRICS_PER_GPU:,} series every {interval_s} s, {points} points; "
          f"{options.churns} times an eighth of them is replaced\n", flush=True)
    churn_every = max(1, points // (options.churns + 1)) if options.churns else 0
    with (folder / "play.json").open("w") as report:
        return programs.Program(
            folder, "play",
            [options.replay, "play", "--url", url + "/api/v1/write",
             "--recording", ROOT / "demo/data/metrics.om.gz", "--gpus", str(gpus),
             "--points", str(points), "--start-ms", str(int(time.time() * 1000)),
             "--interval-ms", str(interval_s * 1000),
             "--churn-every", str(churn_every),
             "--rate", str(gpus * METRICS_PER_GPU / interval_s)], stdout=report)


def run(options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-soak-", dir=options.folder))
    problems = []
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        since_s = int(time.time())
        with contextlib.ExitStack() as running:
            server = peers.Server.ready(folder, program=options.lockstep)
            running.callback(server.stop)
            player = play(options, folder, server.url)
            running.callback(lambda: player.alive and player.stop())
            print_head()
            watcher = Watcher(server, options.every)
            watcher.watch(lambda: player.alive)
            if player.wait() != 0:
                raise SystemExit(f"the player failed: {player.log}")
            sent = json.loads((folder / "play.json").read_text())
            problems += [f"{column} grows" for column in growing(watcher.notes)]
            before = counted_samples(server.url, since_s)
        disk_bytes = peers.disk_bytes(server.data)
        server = peers.Server.ready(folder, program=options.lockstep)
        stack.callback(server.stop)
        after = counted_samples(server.url, since_s)
    print(f"\nsent {sent['samples']:,} samples in {sent['seconds']:.0f} s "
          f"({sent['samples'] / sent['seconds']:,.0f}/s, {sent['retries']} retries); "
          f"counted {before:,}, after a restart {after:,}; "
          f"{disk_bytes / sent['samples']:.2f} bytes per sample after a clean stop")
    problems += [f"samples are missing: {count:,} of {sent['samples']:,}"
                 for count in (before, after) if count != sent["samples"]]
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_program_arguments(parser)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=150_000, help="samples per second")
    parser.add_argument("--churns", type=int, default=12,
                        help="how often an eighth of the hosts gets new series")
    parser.add_argument("--every", type=float, default=30, help="seconds between lines")
    sys.exit(run(parser.parse_args()))


if __name__ == "__main__":
    main()
