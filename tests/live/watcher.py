"""Records which ranks of a running job PromQL and the API name when, and compares with the expected
ones.
"""

# A busy machine responds and pushes late.
SETTLE_S = 12


class Watcher:
    """`expected` has the (rank, cause) pairs that must be named while the job is slow; no others
    may be.
    """

    def __init__(self, job, expected):
        self.job = job
        self.expected = sorted(expected)
        self.named = {"promql": None, "api": None}  # after how many seconds they were first named
        self.missed = []
        self.wrong = []
        self.polls_after = 0  # polls in which no rank may be named any more

    def ask(self, server, now):
        rows = server.query(f'lockstep_straggler{{job="{self.job.plan.name}"}} == 1')
        self.note("promql", now, [(int(row["metric"]["rank"]), row["metric"]["cause"]) for row in rows])
        answer = server.ask("/api/v1/training/stragglers", job=self.job.plan.name)
        if answer["status"] == "success":
            self.note("api", now, [(rank["rank"], rank["cause"]) for rank in answer["data"]["ranks"]
                                   if rank["is_open"]])

    def note(self, how, now, named):
        plan, job = self.job.plan, self.job
        until = job.begin + plan.until_s
        is_slow = job.onset is not None and now >= job.onset
        is_right = sorted(named) == self.expected
        is_over = now > until + SETTLE_S
        self.polls_after += is_over
        if named and (not is_right or not is_slow or is_over):
            self.wrong.append((how, now - job.begin, named))
        if not is_slow or now >= until:
            return
        if is_right and self.named[how] is None:
            self.named[how] = now - job.onset
        elif self.named[how] is not None and not is_right:
            self.missed.append((how, now - job.begin, named))
