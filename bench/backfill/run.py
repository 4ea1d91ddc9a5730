#!/usr/bin/env python3
"""Writes a long history at once, in the order of time and series by series, and counts the bytes that reach the disk.

Each server starts empty, takes the history as fast as it can, is stopped, started again and left alone until it has
merged everything. What it wrote until then, its log included, is compared with the size of its store.
"""

import argparse
import contextlib
import pathlib
import resource
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))
import peers
import programs
import replay

ORDERS = {"by time": (), "by series": ("--by-series",)}
NAMES = ("lockstep", "VictoriaMetrics")
DAY_S = 24 * 60 * 60
COUNTED = "history_00"
MERGED_WITHIN_S = 1800
# ru_oublock counts in these.
BLOCK_BYTES = 512


class Lockstep(peers.Server):
    def __init__(self, folder, options):
        super().__init__(folder, "--storage.retention.time", f"{options.days + 2}d", program=options.lockstep)
        self.await_ready()

    def settle(self):
        """Waits until each window is one cold run."""
        programs.wait_until(lambda: self._metric("lockstep_storage_cold_windows")
                            == self._metric("lockstep_storage_windows"), "merged", MERGED_WITHIN_S)

    def _metric(self, name):
        text = self.connect().get("/metrics").text
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name + " "))


class VictoriaMetrics(peers.VictoriaMetrics):
    def __init__(self, folder, options):
        super().__init__(folder, f"-retentionPeriod={options.days + 2}d",
                         program=options.peers / "victoria-metrics")

    def settle(self):
        peers.Peer("VictoriaMetrics", self, {}).settle()


SERVERS = {"lockstep": Lockstep, "VictoriaMetrics": VictoriaMetrics}


def stop(server):
    """The bytes that the server has written in its life."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock
    server.stop()
    return (resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock - before) * BLOCK_BYTES


def count(server, options):
    result = programs.ask(server.url, "query", time=options.end_s + options.interval,
                          query=f"sum(count_over_time({COUNTED}[{(options.days + 1) * DAY_S}s]))")
    return sum(int(row["value"][1]) for row in result["result"])


def measure(name, order, options, folder):
    """{title: value} of one server that takes the history in one order."""
    points = options.days * DAY_S // options.interval
    server = SERVERS[name](folder, options)
    try:
        sent = replay.send_history(options.replay, server.url + "/api/v1/write", *ORDERS[order],
                                   series=options.series, points=points, interval_ms=options.interval * 1000,
                                   start_ms=(options.end_s - options.days * DAY_S) * 1000)
        sending_bytes = stop(server)
        begin = time.monotonic()
        server = SERVERS[name](folder, options)
        server.settle()
        merging_s = time.monotonic() - begin
        if count(server, options) != points * -(-options.series // replay.HISTORY_METRICS):
            raise SystemExit(f"{name} does not have all samples of {COUNTED}")
        merging_bytes = stop(server)
    finally:
        if server.alive:
            server.kill()
    return {"samples": sent["samples"], "seconds, sending": sent["seconds"], "seconds, merging": merging_s,
            "MB written, sending": sending_bytes / 1e6, "MB written, merging": merging_bytes / 1e6,
            "MB of the store": peers.disk_bytes(server.data) / 1e6}


def print_table(results):
    columns = list(results)
    first = next(iter(results.values()))
    rows = {title: [f"{results[column][title]:,.1f}" if title != "samples" else f"{results[column][title]:,}"
                    for column in columns] for title in first}
    written = {column: result["MB written, sending"] + result["MB written, merging"]
               for column, result in results.items()}
    rows["written / store"] = [f"{written[column] / results[column]['MB of the store']:.2f}" for column in columns]
    rows["bytes written per sample"] = [f"{written[column] * 1e6 / results[column]['samples']:.2f}"
                                        for column in columns]
    print(f"\n| | {' | '.join(f'{name}, {order}' for name, order in columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for title, cells in rows.items():
        print(f"| {title} | {' | '.join(cells)} |")


def run(options):
    results = {}
    for order in options.orders:
        for name in options.servers:
            with contextlib.ExitStack() as stack:
                folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-backfill-", dir=options.folder))
                stack.callback(shutil.rmtree, folder)
                print(f"{name}, {order}", flush=True)
                results[name, order] = measure(name, order, options, folder)
    print_table(results)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    peers.add_arguments(parser)
    parser.add_argument("--series", type=int, default=2000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--interval", type=int, default=60, help="seconds between two samples (default 60)")
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=list(ORDERS))
    parser.add_argument("--servers", nargs="+", choices=NAMES, default=list(NAMES))
    options = parser.parse_args()
    # Whole days, and none that ended just now: its last window would not be merged for hours.
    options.end_s = (replay.now_s() - DAY_S // 2) // DAY_S * DAY_S
    sys.exit(run(options))


if __name__ == "__main__":
    main()
