"""Synchronous training jobs in real time: ranks push steps in batches, each at its own times."""

import dataclasses
import http.client
import json
import math
import random
import time
import urllib.parse

NEVER = math.inf


@dataclasses.dataclass
class Plan:
    """What happens to a job; times are seconds since its beginning."""

    name: str
    ranks: int = 8
    hosts: str = "node"  # the prefix of host names
    ranks_of_host: int = 8
    seconds: float = 40
    step_s: float = 0.18
    batch_s: float = 1.0
    onset_s: float = NEVER  # when something becomes slow
    slow: str = "rank"  # "rank", "host" (all of its ranks), "exchange" (no rank by its own time)
    until_s: float = NEVER
    late: float = 0.3  # as a share of a step
    phase: str = "data_time_s"  # the slow phase
    slow_sender_s: float = 0  # delay of an innocent rank's pushes
    dead_at_s: float = NEVER  # when that rank's sender stops
    sends_twice: bool = False
    # all ranks stop; five seconds later they resume from an earlier step
    restart_at_s: float = NEVER
    exit_code: int = 0
    says_exit: str = "ranks"  # who reports the end: "ranks", "job", "nobody"
    hangs_at_s: float = NEVER  # no more steps end, but the processes report that they are alive
    seed: int = 1


class Server:
    """Sends pushes over one connection."""

    def __init__(self, url):
        self._address = urllib.parse.urlsplit(url).netloc
        self._http = http.client.HTTPConnection(self._address, timeout=60)

    def close(self):
        self._http.close()

    def post(self, path, body, content_type):
        self._http.request("POST", path, body, {"Content-Type": content_type})
        answer = self._http.getresponse()
        text = answer.read()
        if answer.status // 100 != 2:
            raise AssertionError(f"{path}: {answer.status} {text[:300]}")

    def ask(self, path, **parameters):
        self._http.request("GET", f"{path}?{urllib.parse.urlencode(parameters)}")
        return json.load(self._http.getresponse())

    def query(self, text):
        return self.ask("/api/v1/query", query=text)["data"]["result"]


class RunningJob:
    """All times are Unix seconds. Call `push` at each `next_push`, in order."""

    def __init__(self, plan, begin):
        self.plan = plan
        self.begin = begin
        chance = random.Random(plan.seed)
        self.slow_rank = chance.randrange(plan.ranks)
        first = self.slow_rank - self.slow_rank % plan.ranks_of_host
        self.ranks_of_slow_host = list(range(first, first + plan.ranks_of_host))
        self.innocent_rank = (self.slow_rank + plan.ranks // 2) % plan.ranks
        self.onset = None
        self._lines = self._make(chance)  # by rank: (end, line)
        self._next = [begin + chance.random() * plan.batch_s for _ in range(plan.ranks)]
        self._sent = [0] * plan.ranks
        self._has_begun = False
        self._said_alive = begin
        self.end = max(lines[-1][0] for lines in self._lines)

    def _make(self, chance):
        plan, lines = self.plan, [[] for _ in range(self.plan.ranks)]
        end, step, attempt = self.begin, 0, 0
        while end < self.begin + plan.seconds and end < self.begin + plan.hangs_at_s:
            if attempt == 0 and end >= self.begin + plan.restart_at_s:
                step, end, attempt = max(0, step - 20), end + 5, 1
            is_slow = plan.onset_s <= end - self.begin < plan.until_s
            if is_slow and self.onset is None:
                self.onset = end
            own = [plan.step_s + chance.gauss(0, plan.step_s / 90) for _ in lines]
            extra = plan.step_s * plan.late if is_slow else 0
            slow_ranks = {"rank": [self.slow_rank], "host": self.ranks_of_slow_host, "exchange": []}[plan.slow]
            for rank in slow_ranks:
                own[rank] += extra
            took = max(own) + plan.step_s / 9 + (0 if slow_ranks else extra)
            end += took
            for rank, rows in enumerate(lines):
                phases = {"data_time_s": 0.005, "forward_time_s": 0.06, "backward_time_s": 0.1}
                phases[plan.phase] += extra if rank in slow_ranks else 0
                rows.append((end, json.dumps(
                    {"job": plan.name, "run": "r", "rank": rank, "attempt": attempt, "step": step,
                     "time": round(end, 3), "step_time_s": took, "allreduce_time_s": took - own[rank],
                     **phases})))
            step += 1
        return lines

    def host_of(self, rank):
        return f"{self.plan.hosts}{rank // self.plan.ranks_of_host}"

    @property
    def next_push(self):
        """When the next push is due; NEVER after the last one."""
        return min(self._next)

    def push(self, server, now):
        """Pushes for every rank that is due."""
        if not self._has_begun:
            self._has_begun = True
            self._register(server, [{"rank": rank, "host": self.host_of(rank), "gpu": rank % self.plan.ranks_of_host,
                                     "world_size": self.plan.ranks, "from": self.begin, "alive": now}
                                    for rank in range(self.plan.ranks)])
        body = []
        for rank, due in enumerate(self._next):
            if due <= now:
                body += self._take(rank, now)
        if body:
            for _ in range(2 if self.plan.sends_twice else 1):
                server.post("/api/v1/push/steps", "\n".join(body) + "\n", "application/x-ndjson")
        if self.next_push == NEVER:
            self._end(server, now)

    def stay(self, server, now):
        """While the job hangs, its processes report that they are alive."""
        if self.plan.hangs_at_s != NEVER and now >= self._said_alive + 15:
            self._said_alive = now
            self._register(server, [{"rank": rank, "alive": now} for rank in range(self.plan.ranks)])

    def _take(self, rank, now):
        plan, lines = self.plan, self._lines[rank]
        late = plan.slow_sender_s if rank == self.innocent_rank else 0
        first = last = self._sent[rank]
        while last < len(lines) and lines[last][0] <= now - late:
            last += 1
        self._sent[rank] = last
        self._next[rank] += plan.batch_s
        if rank == self.innocent_rank and now >= self.begin + plan.dead_at_s:
            self._next[rank] = NEVER
            return []
        if last == len(lines):
            self._next[rank] = NEVER
        return [line for _, line in lines[first:last]]

    def _end(self, server, now):
        if self.plan.hangs_at_s != NEVER:
            return
        end = {"to": max(now, self.end), "exit_code": self.plan.exit_code}
        if self.plan.says_exit == "job":
            self._register(server, [end])
        elif self.plan.says_exit == "ranks":
            self._register(server, [{"rank": rank, **end} for rank in range(self.plan.ranks)])

    def _register(self, server, said):
        attempt = 1 if self.plan.restart_at_s != NEVER and self._sent[0] else 0
        body = json.dumps([{"job": self.plan.name, "attempt": attempt, **one} for one in said])
        server.post("/api/v1/training/register", body, "application/json")


def run(url, jobs, ask, poll_s=0.5, seconds_after=0.0):
    """Runs the jobs, and calls `ask(server, now)` every `poll_s` until `seconds_after` the last of
    them ended.

    Returns by how many seconds the latest push was late.
    """
    server, asking = Server(url), Server(url)
    late = 0.0
    next_poll = time.time()
    end = max(job.end for job in jobs) + seconds_after
    while (now := time.time()) < end or min(job.next_push for job in jobs) != NEVER:
        for job in jobs:
            if job.next_push <= now:
                late = max(late, time.time() - job.next_push)
                job.push(server, now)
            elif job.next_push == NEVER:
                job.stay(server, now)
        if now >= next_poll:
            next_poll = now + poll_s
            ask(asking, now)
        wake = min(min(job.next_push for job in jobs), next_poll)
        time.sleep(max(0.0, min(wake - time.time(), poll_s)))
    server.close()
    asking.close()
    return late
