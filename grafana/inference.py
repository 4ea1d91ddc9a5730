"""Servers of large models: first token, token by token, throughput."""

from panels import chosen, dashboard, lines, number
from words import WINDOW

WHERE = 'instance=~"$instance"'
QUANTILES = (0.5, 0.95, 0.99)
# Histograms of each server that mean the same.
FIRST_TOKEN = ("vllm:time_to_first_token_seconds", "sglang:time_to_first_token_seconds",
               "gen_ai_server_time_to_first_token_seconds")
NEXT_TOKEN = ("vllm:time_per_output_token_seconds", "sglang:time_per_output_token_seconds",
              "gen_ai_server_time_per_output_token_seconds")
BETWEEN_TOKENS = ("vllm:inter_token_latency_seconds", "sglang:inter_token_latency_seconds")
WHOLE = ("vllm:e2e_request_latency_seconds", "sglang:e2e_request_latency_seconds",
         "gen_ai_server_request_duration_seconds")


def any_of(expressions):
    return " or ".join(expressions)


def quantile(share, metrics):
    return any_of(f"histogram_quantile({share}, sum by (le) (rate({metric}_bucket{{{WHERE}}}{WINDOW})))" for metric in metrics)


def quantiles(title, means, metrics, **more):
    return lines(title, means, [(quantile(share, metrics), f"p{round(share * 100)}") for share in QUANTILES], "s",
                 low=0, **more)


def sums(metrics, how="sum"):
    return any_of(f"{how}({metric}{{{WHERE}}})" for metric in metrics)


def rates(metrics):
    return any_of(f"sum(rate({metric}{{{WHERE}}}{WINDOW}))" for metric in metrics)


HEALTH = [
    number("First token, p95", "TTFT: from the request to its first token.", quantile(0.95, FIRST_TOKEN), "s"),
    number("Next token, p95", "TPOT: the mean of a request's tokens after the first.", quantile(0.95, NEXT_TOKEN), "s"),
    number("Output tokens/s", "Of all servers.",
           rates(("vllm:generation_tokens_total", "sglang:generation_tokens_total"))),
    number("Waiting requests", "Queued.",
           sums(("vllm:num_requests_waiting", "sglang:num_queue_reqs", "nv_inference_pending_request_count"))),
    number("Running requests", "In a batch now.", sums(("vllm:num_requests_running", "sglang:num_running_reqs"))),
    number("Cache in use", "Of the KV cache, the fullest server.",
           sums(("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage"), "max"), "percentunit",
           limits=[(0.9, "orange")]),
]
LATENCY = [
    quantiles("Time to first token", "TTFT; grows with the queue and the prompt.", FIRST_TOKEN),
    quantiles("Time per output token", "TPOT: one mean for each request. Not the gap between two tokens.", NEXT_TOKEN),
    quantiles("Between two tokens", "ITL: each gap by itself; its tail is what people feel.", BETWEEN_TOKENS),
    quantiles("Whole request", "Latency = TTFT + TPOT × (output tokens − 1).", WHOLE),
]
THROUGHPUT = [
    lines("Tokens", "Prompts read and tokens written, a second.",
          [(rates(("vllm:prompt_tokens_total", "sglang:prompt_tokens_total")), "prompt"),
           (rates(("vllm:generation_tokens_total", "sglang:generation_tokens_total")), "output")], "short", low=0),
    lines("Requests", "Queued and running.",
          [(sums(("vllm:num_requests_waiting", "sglang:num_queue_reqs")), "waiting"),
           (sums(("vllm:num_requests_running", "sglang:num_running_reqs")), "running")], "short", low=0),
    lines("Triton: time of a request", "Mean of queue and compute, by model.",
          [(f"sum by (model) (rate(nv_inference_queue_duration_us{{{WHERE}}}{WINDOW})) / sum by (model) (rate(nv_inference_request_success{{{WHERE}}}{WINDOW})) / 1e6",
            "{{model}} queue"),
           (f"sum by (model) (rate(nv_inference_compute_infer_duration_us{{{WHERE}}}{WINDOW})) / sum by (model) (rate(nv_inference_request_success{{{WHERE}}}{WINDOW})) / 1e6",
            "{{model}} compute")], "s", low=0),
    lines("Triton: requests", "Answered and failed, a second.",
          [(f"sum by (model) (rate(nv_inference_request_success{{{WHERE}}}{WINDOW}))", "{{model}} answered"),
           (f"sum by (model) (rate(nv_inference_request_failure{{{WHERE}}}{WINDOW}))", "{{model}} failed")], "reqps",
           low=0),
]

DASHBOARD = dashboard(
    "lockstep-inference", "lockstep / Inference",
    "vLLM, SGLang, Triton and whatever follows OpenTelemetry's names for generative AI.",
    [chosen("instance", "Instance",
            'label_values({__name__=~"vllm:num_requests_running|sglang:num_running_reqs|nv_inference_request_success|gen_ai_server_request_duration_seconds_count"}, instance)', many=True)],
    [("Health", HEALTH), ("Latency", LATENCY), ("Throughput", THROUGHPUT)])
