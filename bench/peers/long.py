#!/usr/bin/env python3
"""Times questions over 1, 7 and 30 days about few series on lockstep and VictoriaMetrics.

A fleet's month at a sample a minute is written to both, in the order of time. When both are idle,
every question is sent to both in turn, repeatedly, without their result caches. The answers of the
first round are compared; a Prometheus with the last day is asked about that day too.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import queue
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

import long_data
import peers
from peers import remote_write
from run import agree, geometric_mean

RIVAL = "VictoriaMetrics"
STEPS = 360
KEEP_ALL = {"Prometheus": ("--storage.tsdb.retention.time=100y",), RIVAL: ("-retentionPeriod=100y",)}
KEEP_ALL_HERE = ("--storage.retention.time", "100y")
RETRY_S = 0.2


class Question(NamedTuple):
    name: str
    text: str  # WINDOW stands for a step
    # Whether VictoriaMetrics defines it equally: increase() differs by design.
    exact: bool = True


GPU = 'Hostname="node-00000",gpu="0"'
HOST = 'Hostname="node-00000"'
JOB = 'job="pretrain-0000"'
QUESTIONS = (
    Question("one GPU, all metrics", "{%s}" % GPU),
    Question("one GPU, avg_over_time", "avg_over_time(DCGM_FI_DEV_POWER_USAGE{%s}[WINDOW])" % GPU),
    Question("one host, max_over_time", "max_over_time(DCGM_FI_DEV_GPU_TEMP{%s}[WINDOW])" % HOST),
    Question("64 series, max_over_time", "max_over_time(DCGM_FI_PROF_SM_ACTIVE{%s}[WINDOW])" % JOB),
    Question("64 series, regex over names",
             'avg by (__name__) ({__name__=~"DCGM_FI_PROF_.*",%s})' % HOST),
    Question("64 series, stddev_over_time",
             "stddev_over_time(DCGM_FI_PROF_DRAM_ACTIVE{%s}[WINDOW])" % JOB),
    Question("64 series, increase",
             "increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{%s}[WINDOW])" % JOB, exact=False),
    Question("8 GPUs, last_over_time of 8 metrics",
             'max by (__name__) (last_over_time({__name__=~"DCGM_FI_PROF_.*",gpu="0",%s}[WINDOW]))'
             % JOB),
    Question("a job by host", "avg by (Hostname) (DCGM_FI_DEV_POWER_USAGE{%s})" % JOB),
    Question("the fleet, regex over names", 'avg by (__name__) ({__name__=~"DCGM_FI_PROF_.*"})'),
)


class Writer:
    """Sends bodies to one server from a thread of its own."""

    def __init__(self, server):
        self.server = server
        self._bodies = queue.Queue(4)
        self._failure = None
        self._thread = threading.Thread(target=self._send_all)
        self._thread.start()

    def put(self, body):
        self._bodies.put(body)

    def finish(self):
        """What went wrong, or nothing."""
        self._bodies.put(None)
        self._thread.join()
        return self._failure and f"{self.server.name}: {self._failure}"

    def _send_all(self):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.server.url).netloc)
        while (body := self._bodies.get()) is not None:
            self._failure = self._failure or self._send(connection, body)

    def _send(self, connection, body):
        while True:
            try:
                connection.request("POST", remote_write.PATH, body, remote_write.HEADERS)
                with connection.getresponse() as response:
                    words = response.read().decode(errors="replace")
            except (http.client.HTTPException, OSError):
                if not self.server.is_alive():
                    return "ended"
                # VictoriaMetrics closes connections after two minutes.
                connection.close()
                continue
            if response.status < 300:
                return None
            if response.status not in (429, 503):
                return f"{response.status} {words}"
            time.sleep(RETRY_S)


def write(servers, fleet):
    writers = [Writer(server) for server in servers]
    try:
        for begin_s, bodies in fleet.slices():
            is_last_day = begin_s >= fleet.end_s - 2 * 86400
            for body in bodies:
                for writer in writers:
                    if is_last_day or writer.server.name != "Prometheus":
                        writer.put(body)
    finally:
        failures = [writer.finish() for writer in writers]
    if any(failures):
        raise RuntimeError(next(filter(None, failures)))


def url_of(server, question, days, end_s):
    step_s = days * 86400 // STEPS
    form = {"query": question.text.replace("WINDOW", f"{step_s}s"), **server.query_parameters,
            "start": end_s - days * 86400, "end": end_s - long_data.STEP_S, "step": step_s}
    return f"{server.url}/api/v1/query_range?{urllib.parse.urlencode(form)}"


def ask(url):
    """Returns the body of the answer and the milliseconds it took."""
    begin = time.perf_counter()
    try:
        with urllib.request.urlopen(url, timeout=300) as response:
            body = response.read()
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{url}: {error.read().decode()}") from error
    return body, (time.perf_counter() - begin) * 1e3


def without_names(result):
    """Functions keep the name on some servers only."""
    is_named = len({row["metric"].get("__name__") for row in result}) > 1
    for row in result:
        if not is_named:
            row["metric"].pop("__name__", None)
    return result


def differing(servers, question, days, end_s):
    """The names of the servers whose answer is not that of the first one."""
    if days > 1:
        servers = [server for server in servers if server.name != "Prometheus"]
    answers = {server.name: without_names(json.loads(ask(url_of(server, question, days, end_s))[0])
                                          ["data"]["result"]) for server in servers}
    first = answers[servers[0].name]
    return [name for name, answer in answers.items() if not first or (
        (question.exact or name != RIVAL) and not agree(question._replace(exact=True), first, answer))]


def measure(servers, asked, end_s, repeats):
    """{(days, question): {server: milliseconds of each repetition}}, and the same of CPU time"""
    timed = [server for server in servers if server.name != "Prometheus"]
    times = {key: {server.name: [] for server in timed} for key in asked}
    cpu_times = {key: {server.name: [] for server in timed} for key in asked}
    for repetition in range(repeats):
        order = timed[repetition % len(timed):] + timed[:repetition % len(timed)]
        for days, question in asked:
            for server in order:
                before_ms = server.thread_cpu_ms()
                times[days, question][server.name].append(
                    ask(url_of(server, question, days, end_s))[1])
                cpu_times[days, question][server.name].append(server.thread_cpu_ms() - before_ms)
    return times, cpu_times


def print_table(title, times):
    """Medians, and the ratios of the first server to the others."""
    names = list(next(iter(times.values())))
    has_ratio = len(names) > 1
    heads = [f"| {' | '.join(names)} |"] + [f" x {name} |" for name in names[1:]] * has_ratio
    print(f"\n{title}\n\n| days | question {''.join(heads)}")
    print("|---" * (2 + len(names) + len(names) - 1) + "|")
    ratios = {name: [] for name in names[1:]}
    for (days, question), of in times.items():
        medians = [statistics.median(of[name]) for name in names]
        row = f"| {days} | {question.name} | {' | '.join(f'{median:.1f}' for median in medians)} |"
        for name, median in zip(names[1:], medians[1:]):
            ratios[name].append(medians[0] / median)
            row += f" {ratios[name][-1]:.2f} |"
        print(row)
    for name, of in ratios.items():
        print(f"\nto {name}: geometric mean {geometric_mean(of):.2f}, worst {max(of):.2f}")
    print(flush=True)


def start(name, folder, options):
    return peers.start(name, folder / name, options, *KEEP_ALL.get(name, KEEP_ALL_HERE))


def make_stores(options, folder, names):
    """Writes the fleet to a server of each name, and stops them."""
    fleet = long_data.Fleet(options.hosts, max(options.days), int(time.time()))
    begin = time.monotonic()
    with contextlib.ExitStack() as running:
        servers = []
        for name in names:
            servers.append(start(name, folder, options))
            running.callback(servers[-1].stop)
        write(servers, fleet)
        print(f"{fleet.series_count:,} series, {fleet.sample_count:,} samples, written in "
              f"{time.monotonic() - begin:.0f} s", flush=True)
    (folder / "end").write_text(str(fleet.end_s))


def run(options, folder):
    names = list(options.servers)
    if not (folder / "end").exists():
        make_stores(options, folder, names)
    if options.before is not None:
        names.insert(1, peers.BEFORE)
        if not (folder / peers.BEFORE).exists():
            shutil.copytree(folder / "lockstep", folder / peers.BEFORE)
    end_s = int((folder / "end").read_text())
    asked = [(days, question) for days in options.days for question in QUESTIONS
             if options.only in question.name]
    with contextlib.ExitStack() as running:
        servers = []
        for name in names:
            # A start merges the windows that were written.
            servers.append(start(name, folder, options))
            running.callback(servers[-1].stop)
            servers[-1].settle()
        differ = [f"{days} d, {question.name}: {name}" for days, question in asked
                  for name in differing(servers, question, days, end_s)]
        times, cpu_times = measure(servers, asked, end_s, options.repeats)
        print_table("ms, as the client sees them", times)
        print_table("ms of CPU, which a busy machine changes less", cpu_times)
        for server in servers:
            print(f"{server.name}: {server.disk_bytes() / 1e6:.0f} MB on disk, peak resident "
                  f"{server.peak_resident_bytes() / 1e6:.0f} MB")
    for words in differ:
        print(f"other answer: {words}")
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_arguments(parser)
    parser.add_argument("--before", type=peers.existing_path,
                        help="another lockstep, asked about a copy of the store")
    parser.add_argument("--hosts", type=int, default=9, help="with 8 GPUs each (default 9)")
    parser.add_argument("--days", type=int, nargs="+", default=(1, 7, 30))
    parser.add_argument("--repeats", type=int, default=9, help="of each question (default 9)")
    parser.add_argument("--only", default="", help="questions whose names contain this")
    parser.add_argument("--servers", nargs="+", choices=peers.NAMES, default=peers.NAMES)
    parser.add_argument("--stores", type=peers.existing_path,
                        help="keep the stores in this folder, or ask about those that are there")
    options = parser.parse_args()
    if options.stores is not None:
        return run(options, options.stores)
    with tempfile.TemporaryDirectory(prefix="lockstep-long-", dir=options.folder) as folder:
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
