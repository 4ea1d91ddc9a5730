#!/usr/bin/env python3
"""Streams the same fleet into each server at a steady rate, and watches CPU time, memory and bytes written.

The servers run side by side, so each sees the same busy moments of the machine. Times are the present's, so that
background work happens when it would in production.
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
from typing import NamedTuple

import peers
import programs

METRICS_PER_GPU = 31
GPUS_PER_HOST = 8
NAMES = ("lockstep", peers.BEFORE, "Prometheus", "VictoriaMetrics")


class Note(NamedTuple):
    """A server at one time, since the start of the stream."""

    seconds: float
    user_s: float
    system_s: float
    resident_mb: float
    written_mb: float


def note(peer, begin_s):
    user_s, system_s = peer.user_and_system_seconds()
    return Note(time.monotonic() - begin_s, user_s, system_s, peer.resident_bytes() / 1e6,
                peer.written_bytes() / 1e6)


def fleet(options):
    """(GPUs, points) of the rate, whole hosts."""
    hosts = math.ceil(options.rate * options.interval / METRICS_PER_GPU / GPUS_PER_HOST)
    return hosts * GPUS_PER_HOST, math.ceil(options.minutes * 60 / options.interval)


def play(name, peer, options, folder, stack):
    gpus, points = fleet(options)
    report = stack.enter_context((folder / f"{name}.json").open("w"))
    player = programs.Program(
        folder, f"play-{name}",
        [options.replay, "play", "--url", peer.write_url, "--recording", peers.ROOT / "demo/data/metrics.om.gz",
         "--gpus", str(gpus), "--points", str(points), "--start-ms", str(int(time.time() * 1000)),
         "--interval-ms", str(options.interval * 1000), "--churn-every", "0",
         "--rate", str(gpus * METRICS_PER_GPU / options.interval)], stdout=report)
    stack.callback(lambda: player.alive and player.stop())
    return player


def watch(servers, players, every_s):
    """{name: notes}, one note at the start, then one every `every_s` until all samples are sent."""
    begin_s = time.monotonic()
    notes = {name: [note(peer, begin_s)] for name, peer in servers.items()}
    while any(player.alive for player in players.values()):
        time.sleep(min(every_s, 1))
        for name, peer in servers.items():
            if players[name].alive and time.monotonic() - begin_s >= notes[name][-1].seconds + every_s:
                notes[name].append(note(peer, begin_s))
    for name, peer in servers.items():
        if players[name].wait() != 0:
            raise SystemExit(f"the samples for {name} could not be sent: {players[name].log}")
        notes[name].append(note(peer, begin_s))
    return notes


def sent_samples(name, folder):
    return json.loads((folder / f"{name}.json").read_text())["samples"]


def row(notes, samples):
    first, last = notes[0], notes[-1]
    user_s, system_s = last.user_s - first.user_s, last.system_s - first.system_s
    third = notes[-max(1, len(notes) // 3):]
    return {
        "samples": samples,
        "CPU us per sample": (user_s + system_s) * 1e6 / samples,
        "of it in the kernel, %": 100 * system_s / max(user_s + system_s, 1e-9),
        "bytes written per sample": (last.written_mb - first.written_mb) * 1e6 / samples,
        "resident MB, last third": statistics.fmean(each.resident_mb for each in third),
        "highest resident MB": max(each.resident_mb for each in notes),
    }


def print_table(rows):
    names = list(rows)
    print(f"\n| | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    for title in rows[names[0]]:
        cells = []
        for name in names:
            value, other = rows[name][title], rows[names[-1]][title]
            text = f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
            is_ratio = name != names[-1] and title != "samples" and "%" not in title and other
            cells.append(f"{text} ({value / other:.2f} x)" if is_ratio else text)
        print(f"| {title} | {' | '.join(cells)} |")


def print_memory(notes):
    print("\nResident MB by minute:")
    for name, each in notes.items():
        by_minute = {int(one.seconds // 60): one.resident_mb for one in each}
        print(f"  {name}: {' '.join(f'{value:.0f}' for value in by_minute.values())}")


def run(options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-steady-", dir=options.folder))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        servers = {}
        for name in options.servers:
            servers[name] = peers.start(name, folder / name, options)
            stack.callback(servers[name].stop)
        players = {name: play(name, peer, options, folder, stack) for name, peer in servers.items()}
        notes = watch(servers, players, options.every)
        print_table({name: row(notes[name], sent_samples(name, folder)) for name in servers})
        print_memory(notes)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    peers.add_arguments(parser)
    parser.add_argument("--before", type=peers.existing_path, help="another build of lockstep")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--rate", type=float, default=200_000, help="samples per second (default 200,000)")
    parser.add_argument("--interval", type=int, default=1, help="seconds between two samples of a series (default 1)")
    parser.add_argument("--every", type=float, default=5, help="seconds between notes")
    parser.add_argument("--servers", nargs="+", choices=NAMES, default=["lockstep", "VictoriaMetrics"])
    options = parser.parse_args()
    if peers.BEFORE in options.servers and options.before is None:
        parser.error("'before' needs --before PROGRAM")
    sys.exit(run(options))


if __name__ == "__main__":
    main()
