"""Four ranks of a simulated training, one with late batches: lockstep finds which one, and why.

    lockstep serve                         # in another terminal
    python3 first_straggler.py             # takes 20 s; then: lockstep report first-straggler

Needs no GPU and no torch: model, loader and optimizer are stand-ins that take some time. The loop is
that of docs/from-pytorch.md; as with DistributedDataParallel, ranks wait for each other inside the
backward pass.
"""

import argparse
import multiprocessing
import os
import time

import lockstep

RANKS = 4
LATE_RANK = 2
LOAD_S, LATE_LOAD_S, FORWARD_S, BACKWARD_S, OPTIMIZER_S = 0.004, 0.024, 0.02, 0.02, 0.004


class Loss:
    """Processes one batch; the backward pass ends with the exchange of gradients."""

    def __init__(self, value, exchange):
        self._value, self._exchange = value, exchange

    def __float__(self):
        return self._value

    def backward(self):
        time.sleep(BACKWARD_S)
        self._exchange()


class Model:
    def __init__(self, exchange):
        self._exchange, self._batches = exchange, 0

    def __call__(self, batch):
        time.sleep(FORWARD_S)
        self._batches += 1
        return Loss(3.0 / self._batches ** 0.25, self._exchange)


class Optimizer:
    def step(self):
        time.sleep(OPTIMIZER_S)

    def zero_grad(self):
        pass


def batches(rank, steps):
    for batch in range(steps):
        time.sleep(LATE_LOAD_S if rank == LATE_RANK else LOAD_S)
        yield batch


def train(url, job, loader, model, optimizer):
    logger = lockstep.StepLogger(url, job=job)
    timer = lockstep.PhaseTimer(logger)
    for step, batch in timer.steps(loader):
        with timer.phase("forward"):
            loss = model(batch)
        with timer.phase("backward"):
            loss.backward()
        with timer.phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        timer.log(loss=float(loss))
    logger.close()


def run_rank(rank, options, exchange):
    # As torchrun sets them.
    os.environ["RANK"], os.environ["WORLD_SIZE"] = str(rank), str(RANKS)
    train(options.url, options.job, batches(rank, options.steps), Model(exchange.wait), Optimizer())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", default=os.environ.get("LOCKSTEP_URL", "http://127.0.0.1:9009"))
    parser.add_argument("--job", default="first-straggler")
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    processes = multiprocessing.get_context("spawn")
    exchange = processes.Barrier(RANKS)
    ranks = [processes.Process(target=run_rank, args=(rank, options, exchange)) for rank in range(RANKS)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    found = lockstep.Client(options.url).training.stragglers(options.job)
    for rank in found.ranks:
        print(f"rank {rank.rank} holds the job back: {rank.cause}")


if __name__ == "__main__":
    main()
