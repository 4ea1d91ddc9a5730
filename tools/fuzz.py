#!/usr/bin/env python3
"""Runs the fuzzers of a build and reports what they reached and found.

usage: fuzz.py --build BUILD [--hours N] [--jobs N] [--minimise] [SECONDS] [NAME]

Every fuzzer, or only NAME, runs for SECONDS (default 60) or until it has used its share of N hours of CPU time. Inputs that
reach new code are kept in BUILD/corpus/NAME; inputs that break something, take 10 s, or make the program allocate 256 MiB
at once are written to BUILD/findings. BUILD/fuzz-report.md has a row for each fuzzer. --minimise then adds to
tests/fuzz/corpus as few inputs as possible to reach the same code. Exits with 1 if anything was found.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests/fuzz/corpus"
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=256"]
PROGRESS = re.compile(r"^#\d+\s.* cov: (\d+) ft: (\d+)", re.M)


class Run(NamedTuple):
    """The results of one fuzzer. Edges and features are libFuzzer's counts."""

    name: str
    cpu_s: int
    executions: int
    edges: int
    features: int
    inputs: int
    peak_mib: int
    slowest_s: int
    findings: int

    HEADER = ("| fuzzer | CPU s | executions | edges | features | inputs | peak MiB | slowest input s | findings |\n"
              "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")

    def row(self):
        return "| " + " | ".join(str(field) for field in self) + " |\n"


def stat(output, name):
    """A final statistic of libFuzzer; 0 if the run ended before it was printed."""
    found = re.search(rf"stat::{name}:\s+(\d+)", output)
    return int(found.group(1)) if found else 0


def run_for(command, seconds):
    """Runs a fuzzer; returns its exit status, its output, and its CPU time in seconds."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        process = subprocess.Popen([*command, f"-max_total_time={seconds}"],
                                   stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return process.returncode, said.read(), usage.ru_utime + usage.ru_stime


def fuzz(build, program, seconds, counts_cpu):
    name = program.name
    corpus, findings = build / "corpus" / name, build / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    found_before = len(list(findings.glob(f"{name}-*")))
    command = [program, *LIMITS, "-print_final_stats=1", f"-artifact_prefix={findings}/{name}-",
               corpus, KEPT / name]
    used_s, executions, peak_mib, slowest_s, broke = 0, 0, 0, 0, False
    # On a busy machine, a second of wall time gives less than a second of CPU time.
    while used_s == 0 or (counts_cpu and not broke and seconds - used_s > 5):
        status, said, cpu_s = run_for(command, max(round(seconds - used_s), 1))
        used_s += max(cpu_s, 1)
        executions += stat(said, "number_of_executed_units")
        peak_mib = max(peak_mib, stat(said, "peak_rss_mb"))
        slowest_s = max(slowest_s, stat(said, "slowest_unit_time_sec"))
        broke = status != 0
        if broke:
            print(f"{name}: ended with status {status}\n{said[-4000:]}", flush=True)
    reached = PROGRESS.findall(said)
    edges, features = (int(count) for count in reached[-1]) if reached else (0, 0)
    found = max(len(list(findings.glob(f"{name}-*"))) - found_before, int(broke))
    return Run(name, round(used_s), executions, edges, features, len(list(corpus.iterdir())),
               peak_mib, slowest_s, found)


def minimise(build, program):
    """Adds inputs to a fuzzer's kept inputs that reach code they do not reach yet."""
    # Hit counts are ignored here; otherwise ten times as many inputs would be kept.
    subprocess.run([program, "-set_cover_merge=1", "-use_counters=0", *LIMITS, KEPT / program.name,
                    build / "corpus" / program.name], check=True, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--hours", type=float, help="hours of CPU time, shared by all fuzzers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of fuzzers that run in parallel")
    parser.add_argument("--minimise", action="store_true", help="keep inputs that reach new code")
    parser.add_argument("seconds", nargs="?", type=int, default=60)
    parser.add_argument("name", nargs="?")
    options = parser.parse_args()

    programs = sorted((options.build / "fuzzers").iterdir())
    programs = [program for program in programs if options.name in (None, program.name)]
    if not programs:
        parser.error(f"no {options.name or 'fuzzer'} in {options.build}/fuzzers")
    seconds = options.seconds
    if options.hours is not None:
        seconds = max(round(options.hours * 3600 / len(programs)), 1)
    (options.build / "findings").mkdir(exist_ok=True)
    report = options.build / "fuzz-report.md"
    runs = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in pool.map(lambda program: fuzz(options.build, program, seconds,
                                                  options.hours is not None), programs):
            print(f"{run.name}: {run.executions} executions, {run.edges} edges, {run.findings} findings",
                  flush=True)
            runs.append(run)
            report.write_text(Run.HEADER + "".join(run.row() for run in runs))
    if options.minimise:
        for program in programs:
            minimise(options.build, program)
    print(f"fuzz: {report}; inputs that broke something are in {options.build / 'findings'}")
    return 1 if any(run.findings for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
