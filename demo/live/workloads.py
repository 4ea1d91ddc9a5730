#!/usr/bin/env python3
"""Records labelled single-GPU workloads of known kinds on a real GPU; tests check the training answers against them.

    demo/live/workloads.py record OUT [NAME ...]      run the workloads one after another, each in its own process
    demo/live/workloads.py list                       list the workloads

OUT receives steps.jsonl.gz (what a trainer would log), metrics.om.gz (what the agent reads once a second, with the
labels `job` and `rank` while the job's process runs), gpus.csv, and truth.json with what an analysis should say.
Needs PyTorch, CuPy and an otherwise unused GPU with profiling counters in NVML (Hopper or later).
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "clients/python/src"))
HOST = "h200-node-1"
SECONDS = float(os.environ.get("WORKLOAD_SECONDS", "20"))
WARM_UP_STEPS = 5


class Job:
    """Logs the steps of a workload."""

    def __init__(self, name, rank, file, world_size=1):
        self.name, self.rank, self.world_size, self.step = name, rank, world_size, 0
        self._file = file
        self._begin = self.stop_at = None
        self.marks = {}

    def start(self, seconds=SECONDS):
        self._begin = time.time()
        self.stop_at = self._begin + seconds

    @property
    def share(self):
        """The elapsed share of the job's time, 0 to 1."""
        return min(1.0, (time.time() - self._begin) / (self.stop_at - self._begin))

    def running(self):
        return time.time() < self.stop_at

    def mark(self, name):
        """Records the step and time at which a planted condition started, for truth.json."""
        self.marks.setdefault(name, {"step": self.step, "ms": round(time.time() * 1000)})

    def log(self, step_s, **values):
        import torch
        line = {"ts_ms": round(time.time() * 1000), "job": self.name, "rank": self.rank, "gpu": 0, "step": self.step,
                "world_size": self.world_size, "train_step_timing in s": round(step_s, 6), **values,
                "memory_allocated": torch.cuda.memory_allocated()}
        self._file.write(json.dumps(line) + "\n")
        self.step += 1


class Timer:
    def __init__(self):
        self.at = time.perf_counter()

    def lap(self):
        import torch
        torch.cuda.synchronize()
        now = time.perf_counter()
        took, self.at = now - self.at, now
        return took


def decoder(width=1024, layers=12, heads=16, vocabulary=32768):
    import torch
    from torch import nn

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True, norm_first=True, dropout=0.0)
            self.embedding = nn.Embedding(vocabulary, width)
            self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, tokens):
            mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device,
                                                                  dtype=torch.bfloat16)
            return self.head(self.layers(self.embedding(tokens), mask=mask, is_causal=True))

    torch.manual_seed(1)
    return Decoder().to("cuda", torch.bfloat16)


class Training:
    """A decoder that learns random tokens; the GPU is synchronised after each phase to time it."""

    def __init__(self, job, batch=8, length=2048, phases=True, **shape):
        import torch
        self.torch, self.job, self.phases = torch, job, phases
        self.batch, self.length = batch, length
        self.model = decoder(**shape)
        self.width = shape.get("width", 1024)
        self.layers = shape.get("layers", 12)
        self.parameters = sum(p.numel() for p in self.model.parameters() if p.dim() > 1)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True)

    def flops(self, batch, length):
        return 6 * self.parameters * batch * length + 6 * self.layers * self.width * length * length * batch

    def step(self, batch=None, length=None, data_s=0.0, before=None, after=None, loss_of=None, **values):
        torch = self.torch
        batch, length = batch or self.batch, length or self.length
        begin, timer = time.perf_counter(), Timer()
        if data_s:
            time.sleep(data_s)
        tokens = torch.randint(32768, (batch, length + 1), device="cuda")
        data = timer.lap()
        if before:
            before()
        logits = self.model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        forward = timer.lap()
        loss.backward()
        backward = timer.lap()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        optimizer = timer.lap()
        if after:
            values.update(after() or {})
        told = {"data_time_s": data, "forward_time_s": forward, "backward_time_s": backward,
                "optimizer_time_s": optimizer} if self.phases else {}
        told = {key: round(value, 6) for key, value in told.items()}
        shown = float(loss) if loss_of is None else loss_of(float(loss))
        self.job.log(time.perf_counter() - begin, **told, reduced_train_loss=round(shown, 5) if shown == shown else shown,
                     tokens_per_step=batch * length, micro_batch_size=batch, seq_length=length,
                     model_flops_per_step_per_gpu=self.flops(batch, length), **values)


WORKLOADS = {}


def workload(words, bound, **expected):
    def keep(function):
        WORKLOADS[function.__name__.replace("_", "-")] = (function, words, bound, expected)
        return function
    return keep


def train(job, every=None, **options):
    training = Training(job, **options)
    job.start()
    while job.running():
        training.step(**(every(training) if every else {}))


@workload("steady training", "compute-bound", slow=False)
def steady(job):
    train(job)


@workload("steady training that logs no phases", "compute-bound", slow=False)
def plain(job):
    train(job, phases=False)


@workload("a model so small that the host launches kernels slower than the GPU runs them", ["launch-bound", "input-bound"])
def launch_bound(job):
    train(job, batch=1, length=64, phases=False, width=256, layers=24, heads=4)


@workload("the batch grows from 2 to 16 in four stages, as schedules do; tokens are logged", "compute-bound", slow=False)
def growing_batch(job):
    train(job, every=lambda _: {"batch": (2, 4, 8, 16)[min(3, int(4 * job.share))]})


@workload("evaluation of 3 s on the GPU every 40 steps, inside the step that it follows; nothing logs it", "compute-bound",
          slow=False)
def evaluation_inside(job):
    def every(training):
        def evaluate():
            until = time.time() + 3
            with training.torch.no_grad():
                while time.time() < until:
                    training.model(training.torch.randint(32768, (8, 2048), device="cuda"))
                    training.torch.cuda.synchronize()
        return {"after": evaluate} if job.step % 40 == 39 else {}
    train(job, every=every, phases=False)


@workload("evaluation of 3 s on the GPU every 40 steps, between steps", "compute-bound", slow=False)
def evaluation_between(job):
    def every(training):
        if job.step % 40 == 39:
            until = time.time() + 3
            with training.torch.no_grad():
                while time.time() < until:
                    training.model(training.torch.randint(32768, (8, 2048), device="cuda"))
                    training.torch.cuda.synchronize()
        return {}
    train(job, every=every)


@workload("a pause of 3 s on the host every 40 steps inside the step, as a blocking checkpoint without a phase", "compute-bound",
          slow=False)
def checkpoint_unlogged(job):
    train(job, every=lambda _: {"after": (lambda: time.sleep(3))} if job.step % 40 == 39 else {}, phases=False)


@workload("a blocking checkpoint of 3 s every 40 steps, logged as checkpoint_time_s", "compute-bound", slow=False)
def checkpoint_logged(job):
    def pause():
        time.sleep(3)
        return {"checkpoint_time_s": 3.0}
    train(job, every=lambda _: {"after": pause} if job.step % 40 == 39 else {})


@workload("one step stands still for 9 s on the host; nothing logs it", "compute-bound", events=["stall"])
def hang_once(job):
    def every(_):
        if job.share > 0.5 and "hang" not in job.marks:
            job.mark("hang")
            return {"after": lambda: time.sleep(9)}
        return {}
    train(job, every=every, phases=False)


@workload("the loader takes 60 % of each step; logged", ["input-bound"], slow=False)
def loader_logged(job):
    train(job, every=lambda _: {"data_s": 0.12}, batch=8)


@workload("the loader takes 60 % of each step; nothing logs it", ["input-bound"], slow=False)
def loader_unlogged(job):
    train(job, every=lambda _: {"data_s": 0.12}, batch=8, phases=False)


@workload("bursts of the loader: 2 s every 15 steps, logged as data", ["compute-bound", "input-bound"], slow=False)
def loader_bursts(job):
    train(job, every=lambda _: {"data_s": 2.0} if job.step % 15 == 14 else {})


@workload("the loss jumps five-fold for three steps", "compute-bound", events=["loss_spike"])
def loss_spike(job):
    def loss_of(loss):
        if job.share > 0.6 and job.step < job.marks.get("loss_spike", {"step": job.step})["step"] + 3:
            job.mark("loss_spike")
            return loss * 5
        return loss
    train(job, every=lambda _: {"loss_of": loss_of})


@workload("the loss is NaN from the middle on", "compute-bound", events=["nan"])
def loss_nan(job):
    def loss_of(loss):
        if job.share > 0.5:
            job.mark("nan")
            return math.nan
        return loss
    train(job, every=lambda _: {"loss_of": loss_of})


@workload("24 MiB more are kept after every step", "compute-bound", events=["memory_leak"])
def leak(job):
    import torch
    kept = []
    train(job, every=lambda _: {"after": lambda: kept.append(torch.empty(24 << 20, dtype=torch.uint8, device="cuda")) and None})


@workload("lengths of 256 to 4096 tokens at random", "compute-bound", slow=False)
def random_lengths(job):
    choice = random.Random(7)
    train(job, every=lambda _: {"length": choice.choice((256, 512, 1024, 2048, 4096)), "batch": 4})


@workload("from the middle on every step does 10 more products that nobody counts", "compute-bound", slow=True)
def regression(job):
    import torch
    matrix = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)

    def more():
        for _ in range(10):
            matrix @ matrix

    def every(_):
        if job.share > 0.5:
            job.mark("slow")
            return {"before": more}
        return {}
    train(job, every=every)


@workload("gradients go to the host, which updates the weights: CPU offload of the optimizer", ["input-bound", "launch-bound"])
def cpu_offload(job):
    import torch
    model = decoder(width=1024, layers=6)
    host = [torch.zeros_like(p, device="cpu", dtype=torch.float32) for p in model.parameters()]
    optimizer = torch.optim.AdamW([torch.nn.Parameter(p) for p in host], lr=1e-4)
    job.start()
    while job.running():
        begin = time.perf_counter()
        tokens = torch.randint(32768, (8, 1025), device="cuda")
        logits = model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        loss.backward()
        for kept, p in zip(optimizer.param_groups[0]["params"], model.parameters()):
            kept.grad = p.grad.float().cpu()
        optimizer.step()
        with torch.no_grad():
            for kept, p in zip(optimizer.param_groups[0]["params"], model.parameters()):
                p.copy_(kept)
                p.grad = None
        job.log(time.perf_counter() - begin, reduced_train_loss=round(float(loss), 5))


def product(job, shape, dtype, reps):
    import torch
    m, n, k = shape
    left, right = (torch.randn(size, device="cuda", dtype=dtype) for size in ((m, k), (k, n)))
    job.start()
    timer = Timer()
    while job.running():
        for _ in range(reps):
            left @ right
        job.log(timer.lap())


@workload("fp64 matrix products", "compute-bound", slow=False)
def gemm_fp64(job):
    import torch
    product(job, (8192, 8192, 8192), torch.float64, 2)


@workload("bf16 products of 16 rows with a large matrix: weights stream", "memory-bound")
def gemm_skinny(job):
    import torch
    product(job, (16, 16384, 16384), torch.bfloat16, 300)


@workload("fp16 matrix products", "compute-bound", slow=False)
def gemm_fp16(job):
    import torch
    product(job, (8192, 8192, 8192), torch.float16, 20)


@workload("fp8 matrix products", "compute-bound", slow=False)
def gemm_fp8(job):
    import torch
    left = torch.randn(8192, 8192, device="cuda").to(torch.float8_e4m3fn)
    right = torch.randn(8192, 8192, device="cuda").to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    job.start()
    timer = Timer()
    while job.running():
        for _ in range(40):
            torch._scaled_mm(left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        job.log(timer.lap())


@workload("copies within device memory", "memory-bound")
def stream(job):
    import torch
    source = torch.empty(4 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    job.start()
    timer = Timer()
    while job.running():
        for _ in range(40):
            target.copy_(source)
        job.log(timer.lap())


@workload("copies of 1 GB from pageable host memory, nothing else", "input-bound")
def pageable_copies(job):
    import torch
    source = torch.empty(1 << 30, dtype=torch.uint8)
    source.fill_(1)
    target = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    job.start()
    timer = Timer()
    while job.running():
        target.copy_(source)
        job.log(timer.lap())


@workload("pinned copies of 2 GB between host and device", "input-bound")
def pinned_copies(job):
    import torch
    source = torch.empty(2 << 30, dtype=torch.uint8, pin_memory=True)
    target = torch.empty(2 << 30, dtype=torch.uint8, device="cuda")
    job.start()
    timer = Timer()
    while job.running():
        target.copy_(source, non_blocking=True)
        job.log(timer.lap())


@workload("sums of random rows of a large table", ["memory-bound", "latency-bound"])
def embedding_bag(job):
    import torch
    table = torch.randn(40_000_000, 32, device="cuda", dtype=torch.float16)
    job.start()
    timer = Timer()
    while job.running():
        for _ in range(50):
            rows = torch.randint(40_000_000, (1 << 18, 16), device="cuda")
            torch.nn.functional.embedding_bag(rows, table, mode="sum")
        job.log(timer.lap())


CHASE = r"""
extern "C" __global__ void chase(const unsigned* next, unsigned* out, int hops) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 977u;
  for (int i = 0; i < hops; ++i) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
extern "C" __global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
}
extern "C" __global__ void arithmetic(float* out, int rounds) {
  float a = threadIdx.x, b = 1.0001f, c = 0.5f, d = 1.5f;
  for (int i = 0; i < rounds; ++i) { a = a * b + c; c = c * b + d; d = d * b + a; b = b * 0.99999f + 1e-6f; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
extern "C" __global__ void integers(unsigned* out, int rounds) {
  unsigned a = threadIdx.x, b = 0x9e3779b9u, c = blockIdx.x;
  for (int i = 0; i < rounds; ++i) { a ^= b << 5; b += a >> 3; c = (c ^ a) * 2654435761u; b ^= c; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c;
}
"""


def kernels(job, name, grid, block, arguments, reps):
    import cupy
    kernel = cupy.RawModule(code=CHASE).get_function(name)
    job.start()
    while job.running():
        begin = time.perf_counter()
        for _ in range(reps):
            kernel((grid,), (block,), arguments)
        cupy.cuda.Device().synchronize()
        job.log(time.perf_counter() - begin)


@workload("pointer chasing through 8 GiB: every SM waits for memory", "latency-bound")
def pointer_chase(job):
    import cupy
    count = 1 << 31
    following = (cupy.arange(count, dtype=cupy.uint32) * cupy.uint32(1664525) + cupy.uint32(1013904223)) & cupy.uint32(count - 1)
    out = cupy.empty(132 * 64 * 256, dtype=cupy.uint32)
    kernels(job, "chase", 132, 64, (following, out, 20000), 4)


@workload("a kernel on every SM that only reads the clock", ["fake-load", "unknown"])
def spin_all(job):
    kernels(job, "spin", 132, 32, (20_000_000,), 10)


@workload("a kernel of one block that only reads the clock", ["fake-load", "unknown"])
def spin_one(job):
    kernels(job, "spin", 1, 32, (20_000_000,), 10)


@workload("fp32 arithmetic in registers, as n-body codes", "compute-bound")
def registers_fp32(job):
    import cupy
    kernels(job, "arithmetic", 132 * 8, 256, (cupy.empty(132 * 8 * 256, dtype=cupy.float32), 200_000), 4)


@workload("integer arithmetic in registers, as hashing", ["compute-bound", "unknown"])
def registers_integer(job):
    import cupy
    kernels(job, "integers", 132 * 8, 256, (cupy.empty(132 * 8 * 256, dtype=cupy.uint32), 200_000), 4)


@workload("thousands of kernels of one element from a graph", ["fake-load"])
def tiny_kernels(job):
    import torch
    value = torch.zeros(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    value.add_(1)
    with torch.cuda.graph(graph):
        for _ in range(2000):
            value.add_(1)
    job.start()
    timer = Timer()
    while job.running():
        for _ in range(30):
            graph.replay()
        job.log(timer.lap())


@workload("holds memory and runs one small kernel a second, without steps", "idle")
def heartbeat(job):
    import torch
    kept = torch.empty(40 << 30, dtype=torch.uint8, device="cuda")
    job.start()
    while job.running():
        kept[:1024].add_(1)
        torch.cuda.synchronize()
        time.sleep(1)


@workload("convolutions of a residual net in bf16, channels last", "compute-bound", slow=False)
def convolutions(job):
    import torch
    import torchvision
    model = torchvision.models.resnet50().to("cuda", torch.bfloat16, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images = torch.randn(256, 3, 224, 224, device="cuda", dtype=torch.bfloat16).to(memory_format=torch.channels_last)
    labels = torch.randint(1000, (256,), device="cuda")
    job.start()
    timer = Timer()
    while job.running():
        loss = torch.nn.functional.cross_entropy(model(images).float(), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        job.log(timer.lap(), reduced_train_loss=round(float(loss), 5), samples_per_step=256)


@workload("requests come in random bursts, the GPU rests between", ["input-bound", "idle"])
def bursts(job):
    import torch
    model, choice = decoder(), random.Random(3)
    job.start()
    while job.running():
        begin = time.perf_counter()
        time.sleep(choice.expovariate(1 / 0.25))
        with torch.no_grad():
            for _ in range(choice.randint(1, 4)):
                model(torch.randint(32768, (4, 1024), device="cuda"))
        torch.cuda.synchronize()
        job.log(time.perf_counter() - begin)


@workload("training whose power varies: a different number of extra products every second", "compute-bound", slow=False)
def wandering_power(job):
    import torch
    matrix, choice = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16), random.Random(11)

    def every(_):
        pause = choice.random() < 0.3
        return {"after": lambda: time.sleep(choice.uniform(0, 0.08))} if pause else {"before": lambda: matrix @ matrix}
    train(job, every=every, phases=False)


@workload("training that ends and resumes 40 steps earlier in a new process", "compute-bound", slow=False)
def resumed(job):
    train_for = SECONDS / 2
    training = Training(job)
    job.start(train_for)
    while job.running():
        training.step()
    job.mark("restart")
    time.sleep(3)
    job.step -= min(job.step, 40)
    job.start(train_for)
    while job.running():
        training.step()


@workload("gradient accumulation: eight small batches a step", "compute-bound", slow=False)
def accumulation(job):
    import torch
    training = Training(job, batch=4)
    job.start()
    while job.running():
        begin = time.perf_counter()
        for _ in range(8):
            tokens = torch.randint(32768, (4, 2049), device="cuda")
            loss = torch.nn.functional.cross_entropy(training.model(tokens[:, :-1]).flatten(0, 1).float(),
                                                     tokens[:, 1:].flatten())
            (loss / 8).backward()
        training.optimizer.step()
        training.optimizer.zero_grad()
        torch.cuda.synchronize()
        job.log(time.perf_counter() - begin, reduced_train_loss=round(float(loss), 5), tokens_per_step=8 * 4 * 2048,
                model_flops_per_step_per_gpu=8 * training.flops(4, 2048))


@workload("decoding with a batch of 32 by a graph: weights and cache stream", "memory-bound")
def decode_graph(job):
    import torch
    layers = [torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(24)]
    state = torch.randn(32, 8192, device="cuda", dtype=torch.bfloat16)

    def token():
        at = state
        for weight in layers:
            at = torch.nn.functional.silu(at @ weight) * 0.01
        return at
    token()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        token()
    job.start()
    timer = Timer()
    while job.running():
        for _ in range(60):
            graph.replay()
        job.log(timer.lap(), tokens_per_step=32 * 60)


# --- recording ---


def run_one(name, steps_file, marks_file):
    function = WORKLOADS[name][0]
    with open(steps_file, "w") as file:
        job = Job(name, 0, file)
        function(job)
    pathlib.Path(marks_file).write_text(json.dumps(job.marks))


class Telemetry(threading.Thread):
    """Takes the agent's samples once a second and adds the labels of the running job."""

    def __init__(self):
        super().__init__(daemon=True)
        from lockstep.agent.gpus import GpuSampler
        from lockstep.agent.nvml import Nvml
        self.nvml = Nvml()
        self._sampler = GpuSampler(self.nvml, HOST)
        self.job = None
        self.series = {}

    def run(self):
        while True:
            time.sleep(1 - time.time() % 1)
            job, now = self.job, round(time.time(), 3)
            for sample in self._sampler.sample():
                labels = dict(sample.labels, **({"job": job, "rank": "0"} if job else {}))
                text = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
                self.series.setdefault(sample.name, {}).setdefault(text, []).append((now, sample.value))


def record(out, names):
    out.mkdir(parents=True, exist_ok=True)
    telemetry = Telemetry()
    telemetry.start()
    jobs, steps = [], []
    for name in names:
        _, words, bound, expected = WORKLOADS[name]
        begin_ms, telemetry.job = round(time.time() * 1000), name
        command = [sys.executable, __file__, "one", name, str(out / "one.jsonl"), str(out / "marks.json")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        end_ms, telemetry.job = round(time.time() * 1000), None
        lines = (out / "one.jsonl").read_text().splitlines() if done.returncode == 0 else []
        print(f"{name}: {len(lines)} steps in {(end_ms - begin_ms) / 1000:.0f} s {done.stderr[-300:] if done.returncode else ''}",
              flush=True)
        if done.returncode:
            continue
        steps += lines
        jobs.append({"job": name, "words": words, "begin_ms": begin_ms, "end_ms": end_ms, "steps": len(lines),
                     "planted": json.loads((out / "marks.json").read_text()),
                     "expected": {"bound": bound, "events": [], **expected}})
        time.sleep(1.5)
        write(out, telemetry, jobs, steps)  # after every workload: the machine may be taken away
    for name in ("one.jsonl", "marks.json"):
        (out / name).unlink(missing_ok=True)


def write(out, telemetry, jobs, steps):
    with gzip.open(out / "steps.jsonl.gz", "wt") as file:
        file.write("\n".join(steps) + "\n")
    with gzip.open(out / "metrics.om.gz", "wt") as file:
        for name, series in sorted(list(telemetry.series.items())):
            file.write(f"# TYPE {name} gauge\n")
            for labels, samples in sorted(list(series.items())):
                samples = list(samples)
                file.writelines(f"{name}{{{labels}}} {round(value, 6):g} {at:.3f}\n" if abs(value) < 1e5 else
                                f"{name}{{{labels}}} {value:.0f} {at:.3f}\n" for at, value in samples)
        file.write("# EOF\n")
    device = telemetry.nvml.devices()[0]
    (out / "gpus.csv").write_text("index,UUID,name,power_limit_w,host\n"
                                  f"0,{device.uuid()},{device.name()},{(device.power_limit_mw() or 0) / 1000},{HOST}\n")
    (out / "truth.json").write_text(json.dumps({"schema": 3, "jobs": jobs}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record")
    recording.add_argument("out", type=pathlib.Path)
    recording.add_argument("names", nargs="*")
    one = verbs.add_parser("one")
    for name in ("name", "steps_file", "marks_file"):
        one.add_argument(name)
    verbs.add_parser("list")
    options = parser.parse_args()
    if options.verb == "one":
        run_one(options.name, options.steps_file, options.marks_file)
    elif options.verb == "record":
        record(options.out, options.names or list(WORKLOADS))
    else:
        print("\n".join(f"{name}: {entry[1]}" for name, entry in WORKLOADS.items()))


if __name__ == "__main__":
    main()
