#!/usr/bin/env python3
"""Overloads the server with writes and queries for minutes, and checks how it holds up.

The server has one core, the clients another. First, just enough clients to keep the server busy
wait for each answer: that measures its capacity. Then requests come at random times, independent of
answers: at a third of the capacity (quiet), at a multiple of it (overload), and at a third again.
Refusals must have a Retry-After; accepted requests may take three times as long as when quiet,
memory must stay flat, and ten seconds later everything must be as before.
"""

import argparse
import asyncio
import collections
import contextlib
import math
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))
import peers
import remote_write

AGENTS = 100
READERS = 400
BUSY = 16  # clients of each kind that keep the server busy
GPUS = 8
METRICS = 60
SCRAPE_S = 1
MAY_BE_SLOWER = 3
MAY_GROW = 1.1
NORMAL_AGAIN_AFTER_S = 10
# The query's number selects metrics and hosts.
QUERIES = (
    ("query", "avg(overload_metric_{metric})", None),
    ("query_range", 'avg by (gpu) (overload_metric_{metric}{{host="host-{host:03}"}})', 300),
    ("query_range", "avg by (host) (overload_metric_{metric})", 300),
    ("query_range", "quantile by (gpu) (0.9, rate(overload_metric_{metric}[1m]))", 300),
    ("query", "topk(5, max by (host, gpu) (max_over_time(overload_metric_{metric}[5m])))", None),
)


class Agent:
    """Series of one host; each body has the next sample of all of them."""

    def __init__(self, number, start_ms):
        self._time_ms = start_ms
        self._time_offsets = []
        message = bytearray()
        for metric in range(METRICS):
            for gpu in range(GPUS):
                labels = (("__name__", f"overload_metric_{metric}"), ("gpu", str(gpu)),
                          ("host", f"host-{number:03}"), ("job", "overload"))
                series = b"".join(remote_write.label(name, value) for name, value in labels)
                series += remote_write.sample(start_ms, random.random())
                message += remote_write.length_delimited(1, series)
                self._time_offsets.append(len(message) - len(remote_write.varint(start_ms)))
        packed = remote_write.snappy(bytes(message))
        self._body = bytearray(packed)
        head = len(packed) - len(message)
        self._time_offsets = [head + offset for offset in self._time_offsets]
        self.samples = METRICS * GPUS

    def next_request(self):
        self._time_ms += SCRAPE_S * 1000
        text = remote_write.varint(self._time_ms)
        for offset in self._time_offsets:
            self._body[offset:offset + len(text)] = text
        head = "".join(f"{name}: {value}\r\n" for name, value in remote_write.HEADERS.items())
        return (f"POST {remote_write.PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}"
                f"Content-Length: {len(self._body)}\r\n\r\n").encode() + self._body

    @property
    def time_s(self):
        return self._time_ms / 1000


class Reader:
    """Sends a dashboard's queries, up to the newest samples."""

    def __init__(self, number, agent):
        self._next = number
        self._agent = agent

    def next_request(self):
        path, text, range_s = QUERIES[self._next % len(QUERIES)]
        text = text.format(metric=self._next % METRICS, host=self._next % AGENTS)
        self._next += 1
        end_s = self._agent.time_s
        form = {"query": text, "time": end_s}
        if range_s is not None:
            form = {"query": text, "start": end_s - range_s, "end": end_s, "step": 5}
        return (f"GET /api/v1/{path}?{urllib.parse.urlencode(form)} HTTP/1.1\r\n"
                "Host: 127.0.0.1\r\n\r\n").encode()


class Connection(asyncio.Protocol):
    """Sends one request after another; each client has its own address."""

    def __init__(self):
        self._head = None
        self._buffer = bytearray()
        self._answer = None
        self.is_open = False
        self._transport = None

    def connection_made(self, transport):
        self._transport = transport
        self.is_open = True

    def connection_lost(self, error):
        self.is_open = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_result((0, False))

    def data_received(self, data):
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self._buffer[:end]).lower()
        length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
        if len(self._buffer) < end + 4 + int(length or 0):
            return
        self._buffer.clear()
        self._answer.set_result((int(head[9:12]), b"\r\nretry-after:" in head))

    async def ask(self, request):
        """Returns the status, 0 if the connection broke, and whether there was a Retry-After."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer


class Client:
    """A writer or a reader, with its own connection."""

    def __init__(self, kind, address, port, source):
        self.kind = kind
        self._address = address
        self._port = port
        self._source = source
        self._connection = None

    async def ask(self, count):
        if self._connection is None or not self._connection.is_open:
            loop = asyncio.get_running_loop()
            _, self._connection = await loop.create_connection(
                Connection, self._address, self._port, local_addr=(self._source.address, 0))
        begin = time.perf_counter()
        status, has_retry_after = await self._connection.ask(self._source.what.next_request())
        count.add(status, has_retry_after, time.perf_counter() - begin)


class Source:
    def __init__(self, what, address):
        self.what = what
        self.address = address


class Count:
    """The outcomes of one kind of request in one phase."""

    def __init__(self):
        self.statuses = collections.Counter()
        self.without_retry_after = 0
        self.not_sent = 0  # because all clients waited for an answer
        self.times_s = []

    def add(self, status, has_retry_after, seconds):
        self.statuses[status] += 1
        if status in (200, 204):
            self.times_s.append(seconds)
        elif status not in (429, 503) or not has_retry_after:
            self.without_retry_after += 1

    def percentile_ms(self, share):
        """The percentile by nearest rank."""
        ordered = sorted(self.times_s) or [math.inf]
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] * 1e3


async def closed_loop(clients, seconds):
    """Each client sends again once it is answered; returns answers per second by kind."""
    counts = collections.defaultdict(Count)
    end = time.perf_counter() + seconds

    async def run(client):
        while time.perf_counter() < end:
            await client.ask(counts[client.kind])

    await asyncio.gather(*map(run, clients))
    return {kind: sum(count.statuses.values()) / seconds for kind, count in counts.items()}


async def open_loop(clients, rates, seconds):
    """Sends requests at random times, at `rates` per second; returns the counts by kind."""
    counts = {kind: Count() for kind in rates}
    idle = {kind: collections.deque(client for client in clients if client.kind == kind)
            for kind in rates}
    under_way = set()

    async def ask(client):
        try:
            await client.ask(counts[client.kind])
        except OSError:
            counts[client.kind].add(0, False, 0)
        idle[client.kind].append(client)

    async def send(kind):
        due = begin = time.perf_counter()
        while due < begin + seconds:
            due += random.expovariate(rates[kind])
            if (wait := due - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            if not idle[kind]:
                counts[kind].not_sent += 1
                continue
            task = asyncio.create_task(ask(idle[kind].popleft()))
            under_way.add(task)
            task.add_done_callback(under_way.discard)

    await asyncio.gather(*map(send, rates))
    if under_way:
        await asyncio.wait(under_way, timeout=60)
    return counts


def print_counts(phase, counts):
    for kind, count in counts.items():
        accepted = len(count.times_s)
        answered = sum(count.statuses.values())
        print(f"| {phase} | {kind} | {answered} | {accepted} | {answered - accepted} "
              f"| {count.without_retry_after} | {count.not_sent} | {count.percentile_ms(0.5):.1f} "
              f"| {count.percentile_ms(0.99):.1f} |", flush=True)


class Memory:
    """Samples the resident memory of a server ten times a minute."""

    def __init__(self, peer):
        self._peer = peer
        self._stop = threading.Event()
        self.bytes = []
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self):
        while not self._stop.wait(6):
            self.bytes.append(self._peer.resident_bytes())

    def stop(self):
        self._stop.set()
        self._thread.join()


def problems_of(quiet, overload, after, memory_bytes):
    problems = []
    for kind, count in overload.items():
        limit_ms = MAY_BE_SLOWER * quiet[kind].percentile_ms(0.99)
        for phase, seen in (("overload", count), ("afterwards", after[kind])):
            if seen.percentile_ms(0.99) > limit_ms:
                problems.append(f"{phase}: p99 of a {kind} is {seen.percentile_ms(0.99):.1f} ms, "
                                f"may be {limit_ms:.1f}")
        if count.without_retry_after > 0:
            problems.append(f"{count.without_retry_after} rejections of a {kind} have no Retry-After: "
                            f"{dict(count.statuses)}")
        if sum(after[kind].statuses.values()) != len(after[kind].times_s):
            problems.append(f"afterwards: {dict(after[kind].statuses)} of {kind}")
    third = len(memory_bytes) // 3
    if third > 0 and max(memory_bytes[-third:]) > MAY_GROW * max(memory_bytes[third:2 * third]):
        problems.append("memory grows")
    return problems


async def load(options, port, peer):
    start_ms = int(time.time() * 1000) - 8 * 3600 * 1000
    agents = [Source(Agent(i, start_ms), f"127.0.1.{i + 1}") for i in range(AGENTS)]
    readers = [Source(Reader(i, agents[0].what), f"127.0.{2 + i // 200}.{i % 200 + 1}")
               for i in range(READERS)]
    clients = [Client("write", "127.0.0.1", port, source) for source in agents]
    clients += [Client("query", "127.0.0.1", port, source) for source in readers]
    await closed_loop(clients[:AGENTS], 10)  # all series are there
    capacity = await closed_loop(clients[:BUSY] + clients[AGENTS:AGENTS + BUSY],
                                 options.capacity_seconds)
    print(f"capacity: {capacity['write']:.0f} writes of {agents[0].what.samples} samples and "
          f"{capacity['query']:.0f} queries per second\n")
    print("| | | answered | accepted | refused | without Retry-After | not sent | p50 ms | p99 ms |\n"
          "|---|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)

    async def phase(name, share, seconds):
        counts = await open_loop(clients, {kind: rate * share for kind, rate in capacity.items()},
                                 seconds)
        print_counts(name, counts)
        return counts

    quiet = await phase("quiet", 1 / 3, options.quiet_seconds)
    memory = Memory(peer)
    overload = await phase(f"{options.times} x", options.times, options.seconds)
    memory.stop()
    await phase("right after", 1 / 3, NORMAL_AGAIN_AFTER_S)
    after = await phase("10 s later", 1 / 3, options.quiet_seconds)
    megabytes = [value / 1e6 for value in memory.bytes]
    if megabytes:
        print(f"\nresident memory in overload: {min(megabytes):.0f} to {max(megabytes):.0f} MB, "
              f"{megabytes[-1]:.0f} at the end")
    return problems_of(quiet, overload, after, memory.bytes)


def run(options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-overload-", dir=options.folder))
    cores = sorted(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        os.sched_setaffinity(0, cores[:1])
        server = peers.Server.ready(folder, program=options.lockstep)
        os.sched_setaffinity(0, cores[1:] or cores)
        stack.callback(server.stop)
        port = int(server.url.rsplit(":", 1)[1])
        problems = asyncio.run(load(options, port, peers.Peer("lockstep", server, {})))
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems and not options.tiny else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_program_arguments(parser)
    parser.add_argument("--times", type=float, default=3, help="multiple of the capacity")
    parser.add_argument("--seconds", type=float, default=600, help="seconds of overload")
    parser.add_argument("--quiet-seconds", type=float, default=60)
    parser.add_argument("--capacity-seconds", type=float, default=20)
    parser.add_argument("--tiny", action="store_true", help="only check that it runs: a busy machine proves nothing")
    sys.exit(run(parser.parse_args()))


if __name__ == "__main__":
    main()
