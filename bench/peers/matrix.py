#!/usr/bin/env python3
"""Writes at many sizes: lockstep, VictoriaMetrics and, up to 80 k series, Prometheus.

Each row of the matrix is a fleet, written in slices, each slice to every server in turn. A row with
churn is written twice at the same time, without and with it; the difference is the cost of new
series. At the end the ratios are compared with our own floors.
"""

import argparse
import contextlib
import operator
import pathlib
import shutil
import sys
import tempfile
from typing import NamedTuple

import peers
import replay

SLICES = 4
RIVAL = "VictoriaMetrics"


class Row(NamedTuple):
    name: str
    gpus: int
    points: int
    samples_per_request: int = 2000
    connections: int = 2
    churn_every: int = 0  # points
    # Prometheus needs minutes for the large ones.
    servers: tuple = ("lockstep", RIVAL)


ROWS = (
    Row("8k", 256, 240, servers=peers.NAMES),
    Row("8k-10000", 256, 240, samples_per_request=10_000),
    Row("8k-churn", 256, 240, churn_every=4),
    Row("32k", 1024, 240, servers=peers.NAMES),
    Row("80k", 2560, 60, servers=peers.NAMES),
    Row("80k-10000", 2560, 60, samples_per_request=10_000),
    Row("80k-1-connection", 2560, 60, connections=1),
    Row("80k-16-connections", 2560, 60, connections=16),
    Row("80k-churn", 2560, 60, churn_every=2),
    Row("254k", 8192, 60),
    Row("254k-10000", 8192, 60, samples_per_request=10_000),
    Row("800k", 25600, 20),
    Row("800k-10000", 25600, 20, samples_per_request=10_000),
)


class Measured(NamedTuple):
    """The measurements of one server and one fleet."""

    samples: int
    series: int
    cpu_s: float  # until it was idle after the last slice
    later_cpu_s: float  # the same, less the first slice, in which all series are new
    whole_cpu_s: float  # until it had exited
    send_s: float
    peak_bytes: int
    disk_bytes: int

    @property
    def samples_per_cpu_s(self):
        return self.samples / self.cpu_s

    @property
    def samples_per_whole_cpu_s(self):
        return self.samples / self.whole_cpu_s

    @property
    def later_us_per_sample(self):
        return self.later_cpu_s / (self.samples * (SLICES - 1) / SLICES) * 1e6

    @property
    def us_per_sample(self):
        return self.cpu_s / self.samples * 1e6

    @property
    def bytes_per_sample(self):
        return self.disk_bytes / self.samples


class Floor(NamedTuple):
    row: str
    measure: str
    compare: object
    bound: float

    def __str__(self):
        sign = ">=" if self.compare is operator.ge else "<="
        return f"{self.row}: {self.measure.replace('_', ' ')} {sign} {self.bound} x {RIVAL}"


FLOORS = (
    Floor("32k", "samples_per_cpu_s", operator.ge, 2.5),
    Floor("254k", "samples_per_cpu_s", operator.ge, 2.5),
    Floor("32k", "bytes_per_sample", operator.le, 0.6),
    Floor("254k", "bytes_per_sample", operator.le, 0.4),
    Floor("254k", "peak_bytes", operator.le, 0.9),
    Floor("800k", "peak_bytes", operator.le, 0.9),
    Floor("80k-churn", "us_per_new_series", operator.le, 0.2),
)
# The limit for the cost of a sample with many series, as a multiple of its cost with few; both
# exclude the slice in which the series are new.
MANY, FEW, MANY_OVER_FEW = "800k", "8k", 1.6


class Lane:
    """One server that receives one fleet."""

    def __init__(self, server, fleet, folder):
        self.server = server
        self.fleet = fleet
        self._folder = folder
        self._send_s = 0
        self._first_cpu_s = None

    def send(self, program, number):
        report = replay.send(program, self.server.write_url, self._folder / f"slice-{number}")
        self._send_s += report["seconds"]

    def settled(self):
        if self._first_cpu_s is None:
            self._first_cpu_s = self.server.cpu_seconds()

    def finish(self):
        cpu_s, peak_bytes = self.server.cpu_seconds(), self.server.peak_resident_bytes()
        self._check()
        query_cpu_s = self.server.cpu_seconds() - cpu_s
        whole_cpu_s = self.server.stop() - query_cpu_s
        return Measured(samples=self.fleet["samples"], series=self.fleet["total_series"],
                        cpu_s=cpu_s, later_cpu_s=cpu_s - self._first_cpu_s,
                        whole_cpu_s=whole_cpu_s, send_s=self._send_s, peak_bytes=peak_bytes,
                        disk_bytes=self.server.disk_bytes())

    def _check(self):
        counted = replay.count(self.server.url, self.fleet, self.server.query_parameters)
        sent = self.fleet["samples"] // replay.METRICS_PER_GPU
        if counted != sent:
            raise SystemExit(f"{self.server.name} has {counted:,} of {sent:,} samples")


def run_row(row, options):
    """{server name: (Measured without churn, Measured with churn or None)}"""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-matrix-", dir=options.folder))
        stack.callback(shutil.rmtree, folder)
        lanes = []
        for churn_every in sorted({0, row.churn_every}):
            requests = folder / f"churn-{churn_every}"
            requests.mkdir()
            fleet = replay.encode(options.replay, requests, gpus=row.gpus, points=row.points,
                                  slices=SLICES, samples_per_request=row.samples_per_request,
                                  connections=row.connections, churn_every=churn_every)
            for name in row.servers:
                server = peers.start(name, folder / f"{name}-{churn_every}", options)
                stack.callback(server.stop)
                lanes.append(Lane(server, fleet, requests))
        for number in range(SLICES):
            for lane in lanes[number % len(lanes):] + lanes[:number % len(lanes)]:
                lane.send(options.replay, number)
            for lane in lanes:
                lane.server.settle()
                lane.settled()
        measured = {name: [] for name in row.servers}
        for lane in lanes:
            measured[lane.server.name].append(lane.finish())
    return {name: (*both, None)[:2] for name, both in measured.items()}


def us_per_new_series(steady, churned):
    return (churned.cpu_s - steady.cpu_s) / (churned.series - steady.series) * 1e6


def measures_of(steady, churned):
    """{measure: value}; for a row with churn, from its run without churn."""
    measures = {name: getattr(steady, name)
                for name in ("samples_per_cpu_s", "samples_per_whole_cpu_s", "us_per_sample",
                             "later_us_per_sample", "peak_bytes", "bytes_per_sample")}
    if churned:
        measures["us_per_new_series"] = us_per_new_series(steady, churned)
    return measures


COLUMNS = (
    ("M samples per CPU-s", "samples_per_cpu_s", 1e6, 2),
    ("... clean stop included", "samples_per_whole_cpu_s", 1e6, 2),
    ("CPU us per sample once series are known", "later_us_per_sample", 1, 2),
    ("peak MB", "peak_bytes", 1e6, 0),
    ("bytes per sample", "bytes_per_sample", 1, 2),
    ("CPU us per new series", "us_per_new_series", 1, 1),
)


def print_head():
    titles = ["row", "server", *(title for title, *_ in COLUMNS)]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}", flush=True)


def print_row(row, results):
    rival = results.get(RIVAL, {})
    for name, measures in results.items():
        cells = [row.name, name]
        for _, measure, unit, digits in COLUMNS:
            if measure not in measures:
                cells.append("")
                continue
            cell = f"{measures[measure] / unit:.{digits}f}"
            if name != RIVAL and measure in rival:
                cell += f" ({measures[measure] / rival[measure]:.2f} x)"
            cells.append(cell)
        print(f"| {' | '.join(cells)} |", flush=True)


def verdicts(all_results):
    """(what, value, whether it is met) for each floor whose row was run."""
    for floor in FLOORS:
        results = all_results.get(floor.row, {})
        if RIVAL in results and "lockstep" in results:
            ratio = results["lockstep"][floor.measure] / results[RIVAL][floor.measure]
            yield str(floor), ratio, floor.compare(ratio, floor.bound)
    if MANY in all_results and FEW in all_results:
        for measure, bound in (("later_us_per_sample", MANY_OVER_FEW), ("us_per_sample", None)):
            ratio = (all_results[MANY]["lockstep"][measure]
                     / all_results[FEW]["lockstep"][measure])
            words = f"lockstep: {measure.replace('_', ' ')} at {MANY} over {FEW}"
            yield (words, ratio, None) if bound is None else (f"{words} <= {bound}", ratio,
                                                              ratio <= bound)


def run(options):
    rows = [row for row in ROWS if not options.only or row.name in options.only]
    print_head()
    all_results = {}
    for row in rows:
        row = row._replace(gpus=max(8, row.gpus // options.shrink),
                           servers=tuple(options.servers or row.servers))
        results = {name: measures_of(*pair) for name, pair in run_row(row, options).items()}
        all_results[row.name] = results
        print_row(row, results)
    print("\n| floor | measured | |\n|---|---|---|")
    missed = False
    for words, ratio, kept in verdicts(all_results):
        missed |= kept is False
        print(f"| {words} | {ratio:.2f} | {'' if kept is None else 'kept' if kept else 'MISSED'} |")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_arguments(parser)
    parser.add_argument("--only", nargs="+", choices=[row.name for row in ROWS], metavar="ROW",
                        help=f"of {', '.join(row.name for row in ROWS)}")
    parser.add_argument("--servers", nargs="+", choices=peers.NAMES,
                        help="instead of each row's own")
    parser.add_argument("--shrink", type=int, default=1, help="divide the number of GPUs by this, for a trial")
    sys.exit(run(parser.parse_args()))


if __name__ == "__main__":
    main()
