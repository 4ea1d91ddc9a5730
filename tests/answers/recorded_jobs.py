"""Loads the recorded jobs of tests/training/data into a server, and lists the faults planted in
them.
"""

import csv
import gzip
import io
import json
import pathlib
import subprocess
import urllib.request

import remote_write

DATA = pathlib.Path(__file__).resolve().parent.parent / "training/data"
# The same recording as data/h200, as OpenMetrics text.
OPENMETRICS = DATA.parent.parent.parent / "demo/data/metrics.om.gz"
# 0.9 % of a step: less than the difference between healthy GPUs.
TOO_WEAK = "sweep-mm1"


def truth(recording):
    with gzip.open(DATA / recording / "truth.json.gz") as file:
        return json.load(file)["jobs"]


def import_openmetrics(server, program):
    subprocess.run([program, "import", "--to", server.url, str(OPENMETRICS)], check=True,
                   stdout=subprocess.DEVNULL)


def push_steps(server, recording):
    """Pushes the unmodified file."""
    request = urllib.request.Request(
        f"{server.url}/api/v1/push/steps", (DATA / recording / "steps.jsonl.gz").read_bytes(),
        {"Content-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.load(answer)["rejected_lines"] == 0


def write_telemetry(server, recording, names_jobs=True):
    """Writes device counters by remote write, with the job and rank that use the device, or without
    both, as an exporter writes them.
    """
    jobs = truth(recording)
    series = {}
    with gzip.open(DATA / recording / "telemetry.jsonl.gz") as file:
        for sample in map(json.loads, file):
            if sample["gpu"] is None:
                continue
            labels = {"gpu": str(sample["gpu"]), "UUID": sample["UUID"], "Hostname": "h200-node-0",
                      "modelName": sample["modelName"]}
            for job in jobs:
                if names_jobs and job["begin_ms"] <= sample["ts_ms"] <= job["end_ms"]:
                    labels |= {"job": job["job"], "rank": str(sample["gpu"])}
            for name, value in sample["values"].items():
                key = tuple(sorted({"__name__": name, **labels}.items()))
                series.setdefault(key, []).append((sample["ts_ms"], value))
    write(server, series)


def write_workloads(server):
    """Loads the jobs of data/workloads. Samples name their job, and its rank unless ranks share the
    GPU.
    """
    series = {}
    with gzip.open(DATA / "workloads/telemetry.jsonl.gz") as file:
        for sample in map(json.loads, file):
            labels = {"gpu": str(sample["gpu"]), "UUID": sample["UUID"], "Hostname": sample["Hostname"],
                      "modelName": sample["modelName"], "job": sample["job"]}
            if "rank" in sample:
                labels["rank"] = str(sample["rank"])
            for name, value in sample["values"].items():
                key = tuple(sorted({"__name__": name, **labels}.items()))
                series.setdefault(key, []).append((sample["ts_ms"], value))
    write(server, series)
    push_steps(server, "workloads")


def operations(recording, job, name):
    """What the ranks of a job `name` write if they report the operations of each step as `job` did."""
    series = {}
    with gzip.open(DATA / recording / "steps.jsonl.gz") as file:
        for step in map(json.loads, file):
            if step["job"] != job or "model_flops_per_step_per_gpu" not in step:
                continue
            rank = {"job": name, "rank": str(step["rank"])}
            device = rank | {"gpu": str(step["gpu"]), "modelName": "NVIDIA H200"}
            for labels, value in (
                    ({"__name__": "train_step", **rank}, step["step"]),
                    ({"__name__": "train_step_time_seconds", **rank}, step["train_step_timing in s"]),
                    ({"__name__": "train_model_flops", **rank}, step["model_flops_per_step_per_gpu"]),
                    ({"__name__": "DCGM_FI_DEV_GPU_UTIL", **device}, 100)):
                series.setdefault(tuple(sorted(labels.items())), []).append((step["ts_ms"], value))
    return series


def register_ranks(server, recording):
    """A launcher's registration: which rank is on which GPU, from the beginning of the job to its
    end.
    """
    with gzip.open(DATA / recording / "telemetry.jsonl.gz") as file:
        samples = [json.loads(line) for line in file]
    uuids = {sample["gpu"]: sample["UUID"] for sample in samples if sample["gpu"] is not None}
    series = {}
    for job in truth(recording):
        for gpu, uuid in uuids.items():
            labels = {"__name__": "lockstep_rank_info", "job": job["job"], "attempt": "0",
                      "rank": str(gpu), "host": "h200-node-0", "gpu": str(gpu), "UUID": uuid}
            series[tuple(sorted(labels.items()))] = [(job["begin_ms"], 1), (job["end_ms"], 0)]
    write(server, series)


def write(server, series):
    connection = server.connect()
    try:
        listed = [(dict(labels), samples) for labels, samples in series.items()]
        for begin in range(0, len(listed), 500):
            answer = connection.write(listed[begin:begin + 500])
            assert answer.stored, answer.text
    finally:
        connection.close()


def write_trace(server, name, begin_ms):
    """Phase times of a production job, moved so that its steps end at `begin_ms` and later."""
    steps = {}
    with gzip.open(DATA / f"straggler_traces/{name}_phases.csv.gz", "rt") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    data = 1 + max(int(row["dp_rank"]) for row in rows)
    stages = 1 + max(int(row["pp_stage"]) for row in rows)
    for row in rows:
        if row["phase"] not in ("forward-compute", "backward-compute", "optimizer",
                                "optimizer-clip-main-grad", "gc"):
            continue
        rank = int(row["pp_stage"]) * data + int(row["dp_rank"])
        step = steps.setdefault((rank, int(row["step"])), {})
        step[row["phase"]] = step.get(row["phase"], 0) + float(row["total_us"]) / 1e6
    series = {}

    def add(metric, rank, step, value, **labels):
        key = tuple(sorted({"__name__": metric, "job": name, "rank": str(rank), **labels}.items()))
        series.setdefault(key, []).append((begin_ms + 60_000 * step, value))

    for (rank, step), phases in sorted(steps.items()):
        add("train_step", rank, step, step)
        add("train_data_parallel_size", rank, step, data)
        add("train_pipeline_parallel_size", rank, step, stages)
        for phase, seconds in phases.items():
            add("train_phase_seconds", rank, step, seconds, phase=phase)
    write(server, series)
