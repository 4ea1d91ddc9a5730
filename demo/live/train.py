"""One rank of a data-parallel training run with a planted straggler; started by torchrun, see run.py.

A decoder learns random tokens. After the backward pass, one blocking all-reduce of all gradients makes every rank
wait for the slowest. After `--onset` seconds, one rank starts to do extra matrix products in its forward pass.
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn

import lockstep

VOCABULARY = 32_000
WIDTH = 2048
LAYERS = 8
TOKENS = 2048
BATCH = 4
EXTRA_PRODUCTS = 12
EXTRA_SIZE = 6144


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, WIDTH // 128, 4 * WIDTH, batch_first=True, norm_first=True)
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(
            tokens.shape[1], device=tokens.device, dtype=torch.bfloat16)
        return self.head(self.layers(self.embedding(tokens), mask=mask, is_causal=True))


def flops_per_step(model):
    """FLOPs per step of one rank: 6 x parameters x tokens, plus causal attention."""
    matrix_parameters = sum(p.numel() for p in model.parameters() if p.dim() > 1) - VOCABULARY * WIDTH
    return 6 * matrix_parameters * BATCH * TOKENS + 6 * LAYERS * WIDTH * TOKENS * TOKENS * BATCH


def all_reduce_gradients(model):
    flat = torch.cat([p.grad.view(-1) for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    torch._foreach_copy_([p.grad.view(-1) for p in model.parameters()],
                         flat.split([p.numel() for p in model.parameters()]))


def work_more(matrix):
    for _ in range(EXTRA_PRODUCTS):
        matrix @ matrix


def train(options):
    rank, local_rank = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    torch.manual_seed(1)
    model = Decoder().to(device, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    extra = torch.randn(EXTRA_SIZE, EXTRA_SIZE, device=device, dtype=torch.bfloat16)
    logger = lockstep.StepLogger(options.url, job=options.job)
    timer = lockstep.PhaseTimer(logger)
    flops = flops_per_step(model)
    stop_s = time.time() + options.seconds
    onset_s = time.time() + options.onset
    if rank == options.slow_rank:
        print(f"onset {onset_s:.3f}", flush=True)
    hosts = dist.new_group(backend="gloo")
    is_slow = rank == options.slow_rank

    def batches():
        stop = torch.zeros(1)
        while True:
            stop.fill_(time.time() > stop_s)
            dist.all_reduce(stop, dist.ReduceOp.MAX, hosts)  # all ranks stop after the same step
            if stop.item():
                return
            yield torch.randint(VOCABULARY, (BATCH, TOKENS + 1), device=device)

    for _, batch in timer.steps(batches()):
        with timer.phase("forward"):
            if is_slow and time.time() > onset_s:
                work_more(extra)
            logits = model(batch[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())
        with timer.phase("backward"):
            loss.backward()
        with timer.phase("allreduce"):
            all_reduce_gradients(model)
        with timer.phase("optimizer"):
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
        timer.log(loss=loss, gpu=local_rank, world_size=dist.get_world_size(), micro_batch_size=BATCH,
                  seq_length=TOKENS, global_batch_size=BATCH * dist.get_world_size(),
                  model_flops_per_step_per_gpu=flops)
        torch.cuda.synchronize()  # like a loop that reads its loss every step
    logger.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True, help="URL of the lockstep server")
    parser.add_argument("--job", default="live")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--onset", type=float, default=60, help="seconds until the rank starts to lag")
    parser.add_argument("--slow-rank", type=int, default=1)
    options = parser.parse_args()
    dist.init_process_group("nccl")
    try:
        train(options)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
