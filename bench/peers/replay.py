"""A fleet as files of requests, and how they are sent: the program lockstep_replay."""

import json
import subprocess
import time

import peers

STEP_S = 15
METRICS_PER_GPU = 31
# One of them, to count samples by.
METRIC = "DCGM_FI_DEV_GPU_TEMP"


def now_s():
    """A moment at which nothing is in the future any more, on the fleet's grid."""
    return int(time.time()) // STEP_S * STEP_S - 60


def encode(program, folder, *, gpus, points, slices, end_s=None, first_point=0,
           samples_per_request=2000, connections=2, churn_every=0):
    """Writes slice-0 ... into `folder`; returns what they hold. Without `end_s` they end now."""
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
    """Returns the sender's report once all of the slice is taken."""
    output = subprocess.run([program, "send", "--url", url, "--rate", str(rate), path],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output)


def count(url, fleet, parameters=None):
    """The samples of METRIC that a server has of the fleet."""
    result = peers.programs.ask(
        url, "query", time=fleet["end_s"] + STEP_S, **(parameters or {}),
        query=f"sum(count_over_time({METRIC}[{fleet['end_s'] - fleet['start_s'] + 10 * STEP_S}s]))")
    return sum(int(row["value"][1]) for row in result["result"])
