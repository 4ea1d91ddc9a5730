"""Trains nothing, but reports to real trackers: usage: track.py wandb|mlflow|files|tensorboard
FOLDER

Prints what it reported as JSON. Started by trackers_test.py with an interpreter that has the
trackers.
"""

import contextlib
import json
import math
import os
import pathlib
import sys

STEPS = 60


def loss(rank, step):
    """Includes NaN and infinities."""
    if step == 7:
        return math.nan
    if step == 8:
        return -math.inf if rank else math.inf
    return 2.0 / (step + 1) + rank


def track_wandb(folder):
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=str(folder))
    import numpy
    import wandb
    runs = {}
    for rank in range(3):
        with wandb.init(project="proj", group="exp", name=f"rank-{rank}", dir=folder,
                        config={"lr": 0.1, "rank": rank}, settings=wandb.Settings(x_stats_sampling_interval=0.1)) as run:
            rows = []
            for step in range(STEPS):
                row = {"train/loss": loss(rank, step), "epoch": step // 10,
                       "nested": {"a": step, "b": {"c": rank + step / 8}}}
                more = {"text": "words", "flag": True, "nothing": None, "list": [1, 2]}
                if step == 9:
                    more["image"] = wandb.Image(numpy.zeros((4, 4, 3), dtype=numpy.uint8))
                    more["histogram"] = wandb.Histogram([1, 2, 3])
                run.log({**row, **more})
                rows.append(row)
            runs[f"exp/{rank}"] = rows
    with wandb.init(project="proj", id="solo1234", dir=folder) as run:
        rows = []
        for step in range(5):
            rows.append({"val/loss": 0.5 * step})
            run.log(rows[-1], step=10 * step)
        runs["solo1234/"] = rows
    return {"runs": runs, "system": wandb_system(folder)}


def wandb_system(folder):
    """What W&B itself measures on the machine: {run id: [[time ms, name, value]]}."""
    from wandb.proto import wandb_internal_pb2 as proto
    system = {}
    for path in folder.glob("wandb/offline-run-*/*.wandb"):
        rows = system.setdefault(path.stem.removeprefix("run-"), [])
        for data in records(path.read_bytes()):
            record = proto.Record.FromString(data)
            if record.WhichOneof("record_type") == "stats":
                time = record.stats.timestamp
                rows += [[time.seconds * 1000 + time.nanos // 1000000, item.key, json.loads(item.value_json)]
                         for item in record.stats.item]
    return system


def records(log):
    """The records of a transaction log, as its format is described: blocks of 32 KiB with chunks."""
    at, record = 7, b""
    while at + 7 <= len(log):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        size, kind = int.from_bytes(log[at + 4:at + 6], "little"), log[at + 6]
        record += log[at + 7:at + 7 + size]
        at += 7 + size
        if kind in (1, 4):
            yield record
            record = b""


def track_mlflow(store):
    import mlflow
    mlflow.set_tracking_uri(store)
    runs = {}
    for experiment, name in (("exp-a", "first"), ("exp-a", "second"), ("exp-b", "third")):
        mlflow.set_experiment(experiment)
        with mlflow.start_run(run_name=name) as run:
            rows = []
            for step in range(STEPS // 3):
                row = {"loss": loss(0, step), "nested/accuracy": step / 16}
                # All at one time, as if logged together.
                mlflow.log_metrics(row, step=step, timestamp=1_795_242_060_000 + step // 5)
                rows.append(row)
            mlflow.log_param("lr", 0.1)
            runs[run.info.run_id] = {"experiment": experiment, "name": name, "rows": rows}
    with mlflow.start_run(run_name="deleted") as run:
        mlflow.log_metric("loss", 1.0)
    mlflow.delete_run(run.info.run_id)
    return runs


def track_tensorboard(folder):
    import numpy
    from tensorboardX import SummaryWriter

    def write(run, *files, **options):
        for number, scalars in enumerate(files):
            with contextlib.closing(SummaryWriter(str(folder / run), filename_suffix=f".{number}", **options)) as writer:
                for tag, value, step, time in scalars:
                    writer.add_scalar(tag, value, step, walltime=time)

    begin = 1_795_242_060
    tags = ("train/loss", "lr")
    scalars = {
        # As fast as the writer can.
        "fast": [[(tag, 2.0 / (step + 1), step, None) for step in range(20) for tag in tags]],
        # One tag after the other, all in one millisecond.
        "tags": [[(tag, step / 2, step, begin) for tag in tags for step in range(20)]],
        # Whole seconds with ten steps each, with a clock that is set back by two.
        "seconds": [[("train/loss", step, step, begin + step // 10 - (2 if step >= 50 else 0)) for step in range(100)]],
        # A writer that restarted, twice in the same second.
        "files": [[("train/loss", 100 * number + step, 5 * number + step, begin) for step in range(10)]
                  for number in range(3)],
    }
    for run, files in scalars.items():
        write(run, *files)
    # The format stores 32 bits of a value.
    return {run: [[tag, float(numpy.float32(value)), step] for file in files for tag, value, step, _ in file]
            for run, files in scalars.items()}


def main(what, folder):
    folder = pathlib.Path(folder)
    if what == "wandb":
        told = track_wandb(folder)
    elif what == "mlflow":
        told = track_mlflow(f"sqlite:///{folder}/mlflow.db")
    elif what == "files":
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        told = track_mlflow(f"file://{folder}/mlruns")
    else:
        told = track_tensorboard(folder)
    print("told " + json.dumps(told))


main(*sys.argv[1:])
