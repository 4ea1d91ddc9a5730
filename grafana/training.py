"""Training curves, by step and by time."""

from job import VARIABLES
from panels import annotated, by_step, dashboard, lines, number
from words import JOB, OF_JOB, step_number

STEP = step_number(OF_JOB)
TOKENS = f"max(train_samples_total{{{OF_JOB}}}) * max(seq_length{{{OF_JOB}}})"


def of_ranks(title, means, metric, unit="", **more):
    return by_step(title, means, STEP, [(f"avg({metric}{{{OF_JOB}}})", "mean of ranks")], unit, **more)


CURVES = [
    of_ranks("Loss", "Average of the selected ranks.", "train_loss", width=12),
    of_ranks("Gradient norm", "Before clipping. A spike is several times the median of the preceding steps.",
             "train_grad_norm", width=12),
    of_ranks("Learning rate", "As scheduled, including warm-up.", "train_learning_rate"),
    of_ranks("Step time", "Average of the selected ranks.", "train_step_time_seconds", "s", low=0),
    of_ranks("Model FLOP/s per GPU", "In TFLOP/s, as reported by the trainer.", "train_tflops_per_gpu", low=0),
]
BY_TIME = [
    lines("Step", "A flat line means the job hangs; a step back means another attempt.", [(STEP, "step")], width=12),
    lines("Loss by rank", "Ranks see different data, so their losses differ; NaN on a single rank points to a broken GPU.",
          [(f"train_loss{{{OF_JOB}}}", "rank {{rank}}")], width=12),
    lines("Gradient norm spikes", "Relative to the median of the last five minutes. Above 3 is a spike.",
          [(f"max(train_grad_norm{{{OF_JOB}}} / quantile_over_time(0.5, train_grad_norm{{{OF_JOB}}}[5m]))",
            "times the median")],
          limits=[(3, "orange")]),
    lines("Tokens/s", "All ranks: samples per second × sequence length, if the trainers report both.",
          [(f"max(rate(train_samples_total{{{OF_JOB}}}[$__rate_interval])) * max(seq_length{{{OF_JOB}}})",
            "tokens/s")], low=0),
    number("Samples consumed", "Global batch size × steps, as counted by the trainer.",
           f"max(train_samples_total{{{OF_JOB}}})"),
    number("Tokens consumed", "Samples × sequence length.", TOKENS),
]

DASHBOARD = dashboard(
    "lockstep-training", "lockstep / Training curves", "Loss, gradients and speed of a job, by step and by time.",
    VARIABLES,
    [("By step", CURVES), ("By time", BY_TIME)],
    annotations=[annotated(JOB)])
