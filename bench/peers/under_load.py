#!/usr/bin/env python3
"""Compares answers and times of the usual queries when quiet and while samples stream in.

A fleet is written, and its last hour is queried. Then the same series continue at a steady rate,
while the same queries about the same hour are repeated. Quiet and streaming phases take turns, so
that a slow moment of the machine affects both.
"""

import argparse
import contextlib
import itertools
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import threading

import peers
import replay
from queries import QUERIES
from run import agree, ask, geometric_mean

TURNS = 4
MAY_BE_SLOWER = 2


class Asker:
    """Repeats the queries, and compares each answer with the first one to that query."""

    def __init__(self, server, fleet):
        self._server = server
        # The first streamed sample is at the end itself.
        self._fleet = {**fleet, "end_s": fleet["end_s"] - replay.STEP_S}
        self._first = {}
        self.wrong = set()

    def ask(self, query):
        answer, seconds = ask(self._server, query, self._fleet)
        first = self._first.setdefault(query, answer)
        if not first or not agree(query._replace(exact=True), first, answer):
            self.wrong.add(query.name)
        return seconds


class Stream:
    """Sends a slice from its own thread."""

    def __init__(self, options, server, path):
        self._arguments = (options.replay, server.write_url, path, options.rate)
        self.report = None
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self):
        self.report = replay.send(*self._arguments)

    def is_running(self):
        return self._thread.is_alive()

    def join(self):
        self._thread.join()
        if self.report is None:
            raise SystemExit("the stream failed")
        return self.report


def encode(options, folder):
    """(the queried part, the part that streams in after it until now)"""
    streamed = -(-int(options.rate * options.seconds) // (options.gpus * replay.METRICS_PER_GPU))
    streamed = max(streamed, TURNS)
    now_s = replay.now_s()
    fleets = []
    for name, first_point, points, slices in (
            ("asked", 0, options.points, 1),
            ("streamed", options.points, options.points + streamed, TURNS)):
        (folder / name).mkdir()
        end_s = now_s - (options.points + streamed - points) * replay.STEP_S
        fleets.append(replay.encode(options.replay, folder / name, gpus=options.gpus, points=points,
                                    first_point=first_point, slices=slices, end_s=end_s,
                                    samples_per_request=10_000, connections=8))
    return fleets


def measure(options, server, asker, folder):
    """{query: [seconds, ...]} quiet and streaming, and the stream's samples, seconds and CPU."""
    quiet = {query: [] for query in QUERIES}
    streaming = {query: [] for query in QUERIES}
    totals = {"samples": 0, "seconds": 0, "cpu_s": 0}
    questions = itertools.cycle(QUERIES)
    for turn in range(TURNS):
        for _ in range(options.repeats):
            for query in QUERIES:
                quiet[query].append(asker.ask(query))
        cpu_s = server.cpu_seconds()
        stream = Stream(options, server, folder / "streamed" / f"slice-{turn}")
        while stream.is_running():
            query = next(questions)
            streaming[query].append(asker.ask(query))
        report = stream.join()
        totals["samples"] += report["samples"]
        totals["seconds"] += report["seconds"]
        totals["cpu_s"] += server.cpu_seconds() - cpu_s
        server.settle()
    return quiet, streaming, totals


def print_tables(quiet, streaming, totals):
    print(f"\n{totals['samples']:,} samples streamed in {totals['seconds']:.1f} s, "
          f"{totals['samples'] / totals['seconds']:,.0f}/s; the server used "
          f"{totals['cpu_s'] / totals['seconds']:.2f} cores meanwhile, queries included; "
          f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| ms | quiet | streaming | ratio | asked |\n|---|---|---|---|---|")
    ratios = []
    for query in (query for query in QUERIES if streaming[query]):
        before = statistics.median(quiet[query]) * 1e3
        after = statistics.median(streaming[query]) * 1e3
        ratios.append(after / before)
        print(f"| {query.name} | {before:.1f} | {after:.1f} | {after / before:.2f} "
              f"| {len(streaming[query])} |")
    if ratios:
        slow = sum(ratio > MAY_BE_SLOWER for ratio in ratios)
        print(f"| geometric mean | | | {geometric_mean(ratios):.2f} | |\n")
        print(f"at most {MAY_BE_SLOWER} x slower: "
              f"{f'MISSED by {slow} of {len(ratios)}' if slow else 'kept by all'}")


def run(options):
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-load-", dir=options.folder))
        stack.callback(shutil.rmtree, folder)
        asked, streamed = encode(options, folder)
        server = peers.start("lockstep", folder / "lockstep", options)
        stack.callback(server.stop)
        replay.send(options.replay, server.write_url, folder / "asked" / "slice-0")
        server.settle()
        asker = Asker(server, asked)
        print_tables(*measure(options, server, asker, folder))
        counted = replay.count(server.url, {**streamed, "start_s": asked["start_s"]})
    sent = (asked["samples"] + streamed["samples"]) // replay.METRICS_PER_GPU
    problems = [f"{name}: another answer, or none" for name in sorted(asker.wrong)]
    problems += [f"{counted:,} of {sent:,} samples are there"] if counted != sent else []
    for problem in problems:
        print(f"WRONG: {problem}")
    print("every answer was the quiet one, every sample is there" if not problems else "")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_program_arguments(parser)
    parser.add_argument("--gpus", type=int, default=1024, help="GPUs with 31 series each (default 1024)")
    parser.add_argument("--points", type=int, default=240, help="points per series (default 240)")
    parser.add_argument("--rate", type=float, default=1e6, help="samples per second (default 1 M)")
    parser.add_argument("--seconds", type=float, default=20, help="seconds of streaming (default 20)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of a quiet phase (default 3)")
    sys.exit(run(parser.parse_args()))


if __name__ == "__main__":
    main()
