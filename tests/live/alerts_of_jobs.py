"""Many jobs run, end, crash and restart on one server with the shipped rules and a real
Alertmanager: which alerts does it receive?

usage: LOCKSTEP_PROGRAM=build/release/lockstep python3 tests/live/alerts_of_jobs.py [--jobs 200]
       [--slow 8] [--hang 1] [--seconds 60]

Most jobs are healthy: some end by exits of their ranks, some by one of the job, some fall silent,
some restart, some push everything twice, some have a sender that is late or dies. `--slow` more
have a rank that becomes slow, `--hang` more hang. Exits with 0 if pages were sent only for the jobs
that hang, each slow rank was reported once and resolved, and no other job was reported to have one.
If pushes were many seconds late, the machine was too busy for a meaningful result.
"""

import argparse
import collections
import json
import pathlib
import random
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/live"), str(ROOT / "tests/support"), str(ROOT / "tests/interop")]
import alertmanager_test
import lockstep_server
import programs
import running_job
from running_job import NEVER, Plan, RunningJob

KINDS = ("ranks", "job", "nobody", "restart", "twice", "late", "dead", "batch")


def plans(options):
    chance = random.Random(options.seed)
    for number in range(options.jobs):
        kind = KINDS[number % len(KINDS)]
        plan = Plan(f"{kind}-{number}", ranks=chance.choice((4, 5, 8)), step_s=chance.choice((0.5, 0.8, 1.0)),
                    seconds=options.seconds * chance.uniform(0.7, 1), batch_s=chance.choice((1.0, 2.0, 5.0)), seed=number)
        if kind in ("job", "nobody"):
            plan.says_exit = kind
        if kind == "restart":
            plan.restart_at_s = plan.seconds / 2
        plan.sends_twice = kind == "twice"
        plan.slow_sender_s = 4 if kind == "late" else 0
        plan.dead_at_s = plan.seconds / 3 if kind == "dead" else NEVER
        plan.batch_s = 15.0 if kind == "batch" else plan.batch_s
        yield plan
    # Slow for long enough that the alert fires: a minute, plus the time until the rank is named.
    for number in range(options.slow):
        yield Plan(f"slow-{number}", ranks=8, seconds=180, batch_s=(1.0, 5.0)[number % 2], onset_s=20, until_s=130,
                   late=(0.3, 0.1)[number // 2 % 2], seed=1000 + number,
                   phase=("data_time_s", "forward_time_s")[number // 4 % 2])
    for number in range(options.hang):
        yield Plan(f"hang-{number}", hangs_at_s=30, seed=2000 + number)


def alertmanager(folder, hook):
    config = folder / "alertmanager.yml"
    config.write_text(json.dumps({
        "route": {"receiver": "hook", "group_by": ["..."], "group_wait": "1s", "group_interval": "2s", "repeat_interval": "1h"},
        "receivers": [{"name": "hook", "webhook_configs": [{"url": hook.url, "send_resolved": True}]}]}))
    address = programs.free_address()
    return programs.Listener(
        folder, "alertmanager",
        [programs.find_program("prometheus-alertmanager"), f"--config.file={config}",
         f"--storage.path={folder / 'am'}", f"--web.listen-address={address}", "--cluster.listen-address="],
        address, "/-/ready")


def serve(folder, manager):
    config = folder / "lockstep.yml"
    config.write_text(json.dumps({
        "global": {"evaluation_interval": "5s"}, "rule_files": [str(ROOT / "rules_pack/jobs.yml")],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [manager.address]}]}]}}))
    return lockstep_server.Server.ready(folder, "--config", str(config), "--rules.alert.for-grace-period", "1s")


def counts(hook):
    """{(alert, job): [times it fired, times it was resolved]}; each notification has one alert."""
    told = collections.defaultdict(lambda: [0, 0])
    severity = {}
    for body in hook.bodies:
        for alert in body["alerts"]:
            key = alert["labels"]["alertname"], alert["labels"].get("job"), alert["labels"].get("rank")
            severity[key[0]] = alert["labels"].get("severity")
            told[key][alert["status"] == "resolved"] += 1
    return told, severity


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--slow", type=int, default=8)
    parser.add_argument("--hang", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--spread", type=float, default=60, help="seconds over which the jobs begin")
    parser.add_argument("--watch", type=float, default=110, help="seconds after the last of them ended")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lockstep-alerts-") as name:
        folder = pathlib.Path(name)
        hook = alertmanager_test.Webhook()
        manager = alertmanager(folder, hook)
        server = serve(folder, manager)
        try:
            chance = random.Random(options.seed)
            begin = time.time() + 1
            jobs = [RunningJob(plan, begin + chance.uniform(0, options.spread)) for plan in plans(options)]
            late = running_job.run(server.url, jobs, lambda *_: None, poll_s=5, seconds_after=options.watch)
        finally:
            server.kill()
            manager.kill()
            hook.shutdown()
        told, severity = counts(hook)
    slow = {(job.plan.name, str(job.slow_rank)) for job in jobs if job.plan.onset_s != NEVER}
    hanging = {job.plan.name for job in jobs if job.plan.hangs_at_s != NEVER}
    problems = []
    for (alert, job, rank), (fired, resolved) in sorted(told.items()):
        print(f"{alert} {job} {rank or ''}: fired {fired}, resolved {resolved}")
        if severity[alert] == "page" and job not in hanging:
            problems.append(f"{alert} paged for {job}")
        if alert == "StragglerFound" and ((job, rank) not in slow or (fired, resolved) != (1, 1)):
            problems.append(f"{alert} for rank {rank} of {job}: fired {fired}, resolved {resolved}")
    for job, rank in slow:
        if ("StragglerFound", job, rank) not in told:
            problems.append(f"rank {rank} of {job} was not told")
    for job in hanging:
        if ("JobMakesNoProgress", job, None) not in told:
            problems.append(f"nobody was paged for {job}")
    print(f"{len(jobs)} jobs, {len(slow)} with a slow rank, {len(hanging)} hang; pushes were up to {late:.1f} s late; "
          f"{len(problems)} problems")
    for problem in problems:
        print(" ", problem)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
