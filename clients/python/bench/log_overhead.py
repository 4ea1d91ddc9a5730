#!/usr/bin/env python3
"""Measures the cost of StepLogger.log for the calling training, in microseconds per call.

usage: log_overhead.py [--steps N] [--values N] [--url URL]      without --url: an unreachable server

Each call is timed separately, with the logger's own thread running as in a training.
"""

import argparse
import statistics
import sys
import tempfile
import time

from lockstep import StepLogger


def times_us(logger, steps, values):
    """The duration of each call; waits after every hundredth, so that the queue never fills."""
    taken = []
    for step in range(steps):
        begin = time.perf_counter_ns()
        logger.log(step, **values)
        taken.append((time.perf_counter_ns() - begin) / 1000)
        if step % 100 == 99:
            time.sleep(0.001)
    return sorted(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--values", type=int, default=10)
    parser.add_argument("--url", default="http://127.0.0.1:1")
    options = parser.parse_args()
    values = {f"value_{i}": i / 7 for i in range(options.values)}
    with tempfile.TemporaryDirectory() as spool:
        with StepLogger(options.url, job="overhead", spool=spool) as logger:
            taken = times_us(logger, options.steps, values)
            dropped = logger.counts.dropped
    print(f"{options.steps} calls of {options.values} values, python {sys.version.split()[0]}: "
          f"median {statistics.median(taken):.2f} us, p99 {taken[len(taken) * 99 // 100]:.1f} us, "
          f"p99.9 {taken[len(taken) * 999 // 1000]:.1f} us, longest {taken[-1]:.0f} us; "
          f"{dropped} dropped")


if __name__ == "__main__":
    main()
