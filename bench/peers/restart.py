#!/usr/bin/env python3
"""Measures the time from SIGKILL, with everything unsealed, to the first correct answer."""

import argparse
import contextlib
import pathlib
import shutil
import sys
import tempfile
import time

import peers
import replay

WITHIN_S = 5


def head_samples(server):
    text = server.connect().get("/metrics").text
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in text.splitlines()
               if line.startswith("lockstep_storage_head_samples "))


def run(options):
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-restart-", dir=options.folder))
        stack.callback(shutil.rmtree, folder)
        # Large requests over many connections, because writing is not measured.
        fleet = replay.encode(options.replay, folder, gpus=options.gpus, points=options.points,
                              slices=1, samples_per_request=10_000, connections=8)
        server = peers.Server.ready(folder, program=options.lockstep)
        stack.callback(server.kill)
        replay.send(options.replay, server.url + "/api/v1/write", folder / "slice-0")
        unsealed = head_samples(server)
        server.kill()

        begin = time.monotonic()
        server = peers.Server.ready(folder, program=options.lockstep)
        stack.callback(server.stop)
        ready_s = time.monotonic() - begin
        counted = replay.count(server.url, fleet)
        answer_s = time.monotonic() - begin
        cpu_s = peers.Peer("lockstep", server, {}).cpu_seconds()
    sent = fleet["samples"] // replay.METRICS_PER_GPU
    print(f"{fleet['samples']:,} samples of {fleet['series']:,} series, {unsealed:,} unsealed: "
          f"ready after {ready_s:.2f} s, {'correct' if counted == sent else 'WRONG'} answer after "
          f"{answer_s:.2f} s (at most {WITHIN_S}), {cpu_s:.2f} s of CPU")
    return 0 if counted == sent and answer_s <= WITHIN_S else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    peers.add_program_arguments(parser)
    parser.add_argument("--gpus", type=int, default=1024, help="GPUs with 31 series each (default 1024)")
    parser.add_argument("--points", type=int, default=316, help="points per series (default 316)")
    sys.exit(run(parser.parse_args()))


if __name__ == "__main__":
    main()
