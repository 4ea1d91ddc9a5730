"""A training script that logs to W&B and TensorBoard, with one extra line for each. Started by followers_test.py:
track.py URL FOLDER."""

import sys

import numpy
import tensorboardX
import wandb

from lockstep import StepLogger, followers


def log_to_wandb(logger, folder):
    early = wandb.init(project="tests", mode="offline", dir=folder, settings=wandb.Settings(silent=True))
    followers.follow_wandb(logger)
    wandb.log({"loss": 4.0})
    wandb.log({"loss": 2.0, "eval": {"accuracy": 0.5}, "picture": wandb.Html("<p>"), "note": "text"})
    early.log({"loss": numpy.float32(1.0)}, step=10)
    wandb.finish()
    late = wandb.init(project="tests", mode="offline", dir=folder, settings=wandb.Settings(silent=True))
    late.log(data={"lr": 0.25}, step=11)
    wandb.finish()


def log_to_tensorboard(logger, folder):
    followers.follow_tensorboard(logger)
    with tensorboardX.SummaryWriter(folder) as writer:
        writer.add_scalar("train/loss", numpy.float64(3.5), 20)
        writer.add_scalar("train/loss", scalar_value=3.0, global_step=21, walltime=1795242060.5)
        writer.add_scalar("without/step", 1.0)
        writer.add_scalars("heads", {"a": 1, "b": 2}, 22)
        try:
            writer.add_scalar("train/loss", "no number", 23)
        except Exception:
            print("raised")


with StepLogger(sys.argv[1], job="tracked", rank=0, spool="") as shared:
    log_to_wandb(shared, sys.argv[2])
    log_to_tensorboard(shared, sys.argv[2])
    # Following twice logs once.
    followers.follow_tensorboard(shared)
    with tensorboardX.SummaryWriter(sys.argv[2]) as again:
        again.add_scalar("train/loss", 2.5, 24)
    assert shared.flush(60)
    print(shared.counts)
