"""Starts real ranks that hang in a known way, and keeps what their flight recorders say.

    python3 make_dumps.py FOLDER [SCENARIO ...]

Every scenario is a folder with one dump for each rank, the ranks' stacks by faulthandler, and what
PyTorch's own analyser says of them. Needs torch; scenarios that begin with `nccl_` need two GPUs.
truth.json beside this script says what happened; it was written by hand, from this script.
"""

import datetime
import faulthandler
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import torch
import torch.distributed as dist

DUMP_AFTER_S = 4.0
STUCK_S = 60


class Rank:
    """One process: its rank, where its dump goes, and what it computes on."""

    def __init__(self, rank, world, folder, backend):
        self.rank, self.world, self.folder, self.backend = rank, world, folder, backend
        self.device = torch.device(f"cuda:{rank}" if backend == "nccl" else "cpu")
        self.is_json = False

    def tensor(self, count, dtype=torch.float32):
        return torch.ones(count, dtype=dtype, device=self.device)

    def dump(self, prefix="nccl_trace_rank_"):
        kind = "nccl" if self.backend == "nccl" else "fr"
        if self.is_json:
            text = getattr(torch._C._distributed_c10d, f"_dump_{kind}_trace_json")(True, False)
            data = text if isinstance(text, bytes) else text.encode()
        else:
            data = getattr(torch._C._distributed_c10d, f"_dump_{kind}_trace")(True, True, False)
        (self.folder / f"{prefix}{self.rank}").write_bytes(data)
        with open(self.folder / f"stack_rank_{self.rank}.txt", "w") as file:
            faulthandler.dump_traceback(file)


def train_step(rank, elements=16):
    dist.all_reduce(rank.tensor(elements))


def load_batch(rank):
    time.sleep(STUCK_S)


def write_checkpoint(rank):
    time.sleep(STUCK_S)


def fine(rank):
    for _ in range(5):
        train_step(rank)


def missing_rank(rank):
    for step in range(6):
        if rank.rank == 2 and step == 5:
            load_batch(rank)
        train_step(rank)


def json_missing_rank(rank):
    rank.is_json = True
    missing_rank(rank)


def two_missing_ranks(rank):
    for step in range(4):
        if rank.rank in (1, 3) and step == 3:
            write_checkpoint(rank)
        train_step(rank)


def entered_together(rank, call, first):
    """Gloo ends a process whose peer sends too much: each rank dumps before the next one enters."""
    time.sleep(0.2 if rank.rank == first else 0.8 + 0.4 * rank.rank)
    work = call()  # kept while it waits
    rank.dump()
    time.sleep(STUCK_S)
    del work


def mismatch_size(rank):
    for _ in range(3):
        train_step(rank)
    size = 8 if rank.rank == 3 else 16
    entered_together(rank, lambda: dist.all_reduce(rank.tensor(size), async_op=True), first=3)


def mismatch_dtype(rank):
    for _ in range(3):
        train_step(rank)
    dtype = torch.float64 if rank.rank == 1 else torch.float32
    entered_together(rank, lambda: dist.all_reduce(rank.tensor(16, dtype), async_op=True), first=1)


def mismatch_kind(rank):
    for _ in range(3):
        train_step(rank)
    parts = [rank.tensor(16) for _ in range(rank.world)]
    gather = lambda: dist.all_gather(parts, rank.tensor(16), async_op=True)
    reduce = lambda: dist.all_reduce(rank.tensor(16), async_op=True)
    entered_together(rank, gather if rank.rank == 1 else reduce, first=1)


def mismatch_order(rank):
    def reduce():
        return dist.all_reduce(rank.tensor(16), async_op=True)

    def spread():
        return dist.broadcast(rank.tensor(4), src=0, async_op=True)

    for _ in range(3):
        train_step(rank)
    order = (spread, reduce) if rank.rank == 2 else (reduce, spread)
    entered_together(rank, lambda: [call() for call in order], first=2)


def mesh(rank):
    """Tensor parallel pairs, data parallel rows. Rank 5 stops; its pair and its row wait for it."""
    shape = dist.init_device_mesh("cpu", (4, 2), mesh_dim_names=("dp", "tp"))
    tp, dp = shape.get_group("tp"), shape.get_group("dp")
    for step in range(4):
        if rank.rank == 5 and step == 3:
            load_batch(rank)
        dist.all_reduce(rank.tensor(16), group=tp)
        dist.all_reduce(rank.tensor(64), group=dp)


def pipeline(rank, stuck=None):
    for step in range(5):
        if rank.rank == stuck and step == 4:
            load_batch(rank)
        activation = rank.tensor(32)
        if rank.rank > 0:
            dist.recv(activation, src=rank.rank - 1)
        if rank.rank + 1 < rank.world:
            dist.send(activation, dst=rank.rank + 1)


def pipeline_fine(rank):
    pipeline(rank)


def pipeline_hang(rank):
    pipeline(rank, stuck=1)


def batched_p2p(rank, stuck=None):
    for step in range(4):
        if rank.rank == stuck and step == 3:
            load_batch(rank)
        to, source = (rank.rank + 1) % rank.world, (rank.rank - 1) % rank.world
        operations = [dist.P2POp(dist.isend, rank.tensor(8), to),
                      dist.P2POp(dist.irecv, rank.tensor(8), source)]
        for work in dist.batch_isend_irecv(operations):
            work.wait()


def batched_p2p_fine(rank):
    batched_p2p(rank)


def batched_p2p_hang(rank):
    batched_p2p(rank, stuck=1)


def wrapped(rank):
    """A buffer of 16 entries; rank 0 and 1 use it for a group of their own too."""
    pair = dist.new_group([0, 1])
    for step in range(40):
        if rank.rank == 3 and step == 39:
            load_batch(rank)
        if rank.rank < 2:
            for _ in range(3):
                dist.all_reduce(rank.tensor(4), group=pair)
        train_step(rank)


def killed(rank):
    for step in range(6):
        if rank.rank == 1 and step == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        train_step(rank)


def slow(rank):
    """Rank 1 is late by seconds: dumped while the others wait, and again when all is over."""
    for step in range(5):
        if rank.rank == 1 and step == 4:
            rank.dump()
            time.sleep(2.5)
        elif step == 4:
            threading.Timer(1.0, rank.dump).start()
        train_step(rank)
    rank.dump("later_rank_")


def small_group(rank):
    """A group that only ranks 1 and 4 have; rank 4 does not come."""
    pair = dist.new_group([1, 4], group_desc="embedding")
    for _ in range(3):
        train_step(rank)
    if rank.rank in (1, 4):
        dist.all_reduce(rank.tensor(4), group=pair)
        if rank.rank == 4:
            load_batch(rank)
        dist.all_reduce(rank.tensor(4), group=pair)
    dist.all_reduce(rank.tensor(128))


def all_kinds(rank):
    """Every collective, with sizes that lawfully differ from rank to rank. No hang."""
    world, me = rank.world, rank.rank
    dist.broadcast(rank.tensor(4), src=1)
    dist.reduce(rank.tensor(4), dst=2)
    dist.all_gather([rank.tensor(4) for _ in range(world)], rank.tensor(4))
    dist.gather(rank.tensor(4), [rank.tensor(4) for _ in range(world)] if me == 0 else None, dst=0)
    dist.scatter(rank.tensor(4), [rank.tensor(4) for _ in range(world)] if me == 3 else None, src=3)
    send = [me + 1] * world
    receive = [source + 1 for source in range(world)]
    dist.all_to_all_single(rank.tensor(sum(receive)), rank.tensor(sum(send)), receive, send)
    dist.reduce_scatter_tensor(rank.tensor(4), rank.tensor(4 * world))
    dist.all_gather_into_tensor(rank.tensor(4 * world), rank.tensor(4))
    dist.all_gather_object([None] * world, {"rank": me, "text": "x" * (me + 1)})
    dist.broadcast_object_list([me] * 3, src=0)
    dist.barrier()


def restart(rank):
    for step in range(3):
        if rank.rank == 0 and step == 2:
            write_checkpoint(rank)
        train_step(rank)


def nccl_all_kinds(rank):
    """As all_kinds, with coalesced operations and both ways of point to point."""
    world, me = rank.world, rank.rank
    dist.broadcast(rank.tensor(4), src=1)
    dist.reduce(rank.tensor(4), dst=0)
    dist.all_gather([rank.tensor(4) for _ in range(world)], rank.tensor(4))
    send = [me + 1] * world
    receive = [source + 1 for source in range(world)]
    dist.all_to_all_single(rank.tensor(sum(receive)), rank.tensor(sum(send)), receive, send)
    dist.all_gather([rank.tensor(4 + source) for source in range(world)], rank.tensor(4 + me))
    dist.gather(rank.tensor(4), [rank.tensor(4) for _ in range(world)] if me == 0 else None, dst=0)
    dist.scatter(rank.tensor(4), [rank.tensor(4) for _ in range(world)] if me == 1 else None, src=1)
    with dist.distributed_c10d._coalescing_manager(device=rank.device, async_ops=False):
        for _ in range(3):
            dist.all_reduce(rank.tensor(4))
    batched_p2p(rank)
    pipeline(rank)
    dist.barrier()
    torch.cuda.synchronize()


def nccl_fsdp_missing(rank):
    """Gathers and scatters as sharded training does; rank 1 stops before a scatter."""
    for step in range(4):
        full, part = rank.tensor(64), rank.tensor(64 // rank.world)
        dist.all_gather_into_tensor(full, part)
        if rank.rank == 1 and step == 3:
            torch.cuda.synchronize()
            load_batch(rank)
        dist.reduce_scatter_tensor(part, full)
        torch.cuda.synchronize()


def nccl_mismatch_size(rank):
    for _ in range(3):
        train_step(rank, 1 << 20)
    train_step(rank, 1 << (24 if rank.rank == 1 else 20))
    torch.cuda.synchronize()
    time.sleep(STUCK_S)


def nccl_mismatch_kind(rank):
    for _ in range(3):
        train_step(rank, 1 << 20)
    if rank.rank == 1:
        full = rank.tensor(rank.world << 20)
        dist.all_gather_into_tensor(full, rank.tensor(1 << 20))
    else:
        train_step(rank, 1 << 20)
    torch.cuda.synchronize()
    time.sleep(STUCK_S)


def nccl_pipeline_hang(rank):
    pipeline(rank, stuck=1)
    torch.cuda.synchronize()


def nccl_batched_p2p_hang(rank):
    batched_p2p(rank, stuck=0)
    torch.cuda.synchronize()


def nccl_two_groups(rank):
    """Two groups of the same ranks; rank 0 uses them the other way round."""
    one = dist.new_group([0, 1], group_desc="gradients")
    two = dist.new_group([0, 1], group_desc="parameters")
    for group in (one, two):
        dist.all_reduce(rank.tensor(4), group=group)
    torch.cuda.synchronize()
    for group in (two, one) if rank.rank == 0 else (one, two):
        dist.all_reduce(rank.tensor(4), group=group)
        torch.cuda.synchronize()


WORLD = {"mesh": 8, "small_group": 6}
SCENARIOS = [fine, missing_rank, json_missing_rank, two_missing_ranks, mismatch_size,
             mismatch_dtype, mismatch_kind, mismatch_order, mesh, pipeline_fine, pipeline_hang,
             batched_p2p_fine, batched_p2p_hang, wrapped, killed, slow, small_group, all_kinds,
             restart, nccl_all_kinds, nccl_fsdp_missing, nccl_mismatch_size, nccl_mismatch_kind,
             nccl_pipeline_hang, nccl_batched_p2p_hang, nccl_two_groups]


def run_rank(scenario, rank, meeting):
    if rank.backend == "nccl":
        torch.cuda.set_device(rank.rank)
    dist.init_process_group(rank.backend, init_method=f"file://{meeting}", rank=rank.rank,
                            world_size=rank.world, timeout=datetime.timedelta(seconds=STUCK_S))
    if rank.backend == "nccl":
        train_step(rank)
        torch.cuda.synchronize()

    def end():
        if not (rank.folder / f"nccl_trace_rank_{rank.rank}").exists():
            rank.dump()
        os._exit(0)

    timer = threading.Timer(DUMP_AFTER_S, end)
    timer.start()
    try:
        scenario(rank)
    except Exception as error:
        print(scenario.__name__, rank.rank, error, file=sys.stderr)
    timer.join()


def analyse(folder):
    command = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", str(folder),
               "-p", "nccl_trace_rank_", "--allow-incomplete-ranks"]
    if "json" in folder.name:
        return
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    (folder / "fr_trace.txt").write_text(done.stdout + done.stderr)


def run(scenario, parent):
    is_nccl = scenario.__name__.startswith("nccl_")
    if is_nccl and torch.cuda.device_count() < 2:
        return
    folder = parent / scenario.__name__
    folder.mkdir(parents=True)
    world = 2 if is_nccl else WORLD.get(scenario.__name__, 4)
    os.environ["TORCH_FR_BUFFER_SIZE"] = "16" if scenario is wrapped else "200"
    os.environ["TORCH_NCCL_TRACE_BUFFER_SIZE"] = os.environ["TORCH_FR_BUFFER_SIZE"]
    meeting = tempfile.mktemp()
    backend = "nccl" if is_nccl else "gloo"
    processes = [multiprocessing.get_context("fork").Process(
        target=run_rank, args=(scenario, Rank(number, world, folder, backend), meeting))
        for number in range(world)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(3 * DUMP_AFTER_S)
        process.kill()
    analyse(folder)


def main():
    parent, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for scenario in SCENARIOS:
        if not names or scenario.__name__ in names:
            run(scenario, parent)
    (parent / "version.txt").write_text(torch.__version__ + "\n")


if __name__ == "__main__":
    main()
