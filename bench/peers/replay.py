"""Encodes a fleet as files of requests and sends them, using lockstep_replay."""

import json
import subprocess
import time

import peers

STEP_S = 15
METRICS_PER_GPU = 31
# A history's series have as many metrics.
HISTORY_METRICS = 32
# A metric by which to count samples.
METRIC = "DCGM_FI_DEV_GPU_TEMP"


def now_s():
    """The latest moment on the fleet's grid that is not in the future."""
    return int(time.time()) // STEP_S * STEP_S - 60


def encode(program, folder, *, gpus, points, slices, end_s=None, first_point=0,
           samples_per_request=2000, connections=2, churn_every=0):
    """Writes slice-0 ... into `folder`; returns their content. Without `end_s` they end now."""
    end_s = end_s or now_s()
    start_s = end_s - points * STEP_S
    output = subprocess.run(
        [program, "encode", "--recording", peers.ROOT / "demo/data/metrics.om.gz",
         "--gpus", str(gpus), "--points", str(points), "--slices", str(slices),
         "--first-point", str(first_point),
         "--start-ms", str(start_s * 1000), "--samples-per-request", str(samples_per_request),
         "--connections", str(connections), "--churn-every", str(churn_every), "--out", folder],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return {**json.loads(output), "start_s": start_s, "end_s": end_s}


def send(program, url, path, rate=0):
    """Returns the sender's report once the whole slice is accepted."""
    output = subprocess.run([program, "send", "--url", url, "--rate", str(rate), path],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output)


def send_history(program, url, *flags, series, points, start_ms, interval_ms):
    """Makes a history up and sends it; returns the sender's report once all of it is accepted."""
    output = subprocess.run(
        [program, "history", "--url", url, "--series", str(series), "--points", str(points),
         "--start-ms", str(start_ms), "--interval-ms", str(interval_ms), *flags],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output)


def count(url, fleet, parameters=None):
    """The number of samples of METRIC that a server has from the fleet."""
    result = peers.programs.ask(
        url, "query", time=fleet["end_s"] + STEP_S, **(parameters or {}),
        query=f"sum(count_over_time({METRIC}[{fleet['end_s'] - fleet['start_s'] + 10 * STEP_S}s]))")
    return sum(int(row["value"][1]) for row in result["result"])
