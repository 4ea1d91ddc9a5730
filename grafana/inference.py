"""LLM inference servers: time to first token, time per output token, throughput."""

from panels import chosen, dashboard, lines, number
from words import WINDOW

WHERE = 'instance=~"$instance"'
QUANTILES = (0.5, 0.95, 0.99)
# The servers' names for the same histogram.
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
    number("Time to first token, p95", "TTFT: time from the request to its first token.", quantile(0.95, FIRST_TOKEN), "s"),
    number("Time per output token, p95", "TPOT: average over a request's tokens after the first one.", quantile(0.95, NEXT_TOKEN), "s"),
    number("Output tokens/s", "Total of all servers.",
           rates(("vllm:generation_tokens_total", "sglang:generation_tokens_total"))),
    number("Waiting requests", "Queued.",
           sums(("vllm:num_requests_waiting", "sglang:num_queue_reqs", "nv_inference_pending_request_count"))),
    number("Running requests", "Currently in a batch.", sums(("vllm:num_requests_running", "sglang:num_running_reqs"))),
    number("KV cache in use", "On the server with the fullest cache.",
           sums(("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage"), "max"), "percentunit",
           limits=[(0.9, "orange")]),
]
LATENCY = [
    quantiles("Time to first token", "TTFT; grows with queue length and prompt length.", FIRST_TOKEN),
    quantiles("Time per output token", "TPOT: one average per request, not the gap between two tokens.", NEXT_TOKEN),
    quantiles("Inter-token latency", "ITL: every gap between two tokens; users notice its tail.", BETWEEN_TOKENS),
    quantiles("Request latency", "End to end: latency = TTFT + TPOT × (output tokens − 1).", WHOLE),
]
THROUGHPUT = [
    lines("Tokens", "Prompt and output tokens per second.",
          [(rates(("vllm:prompt_tokens_total", "sglang:prompt_tokens_total")), "prompt"),
           (rates(("vllm:generation_tokens_total", "sglang:generation_tokens_total")), "output")], "short", low=0),
    lines("Requests", "Queued and running.",
          [(sums(("vllm:num_requests_waiting", "sglang:num_queue_reqs")), "waiting"),
           (sums(("vllm:num_requests_running", "sglang:num_running_reqs")), "running")], "short", low=0),
    lines("Triton: request duration", "Average queue and compute time, by model.",
          [(f"sum by (model) (rate(nv_inference_queue_duration_us{{{WHERE}}}{WINDOW})) / sum by (model) (rate(nv_inference_request_success{{{WHERE}}}{WINDOW})) / 1e6",
            "{{model}} queue"),
           (f"sum by (model) (rate(nv_inference_compute_infer_duration_us{{{WHERE}}}{WINDOW})) / sum by (model) (rate(nv_inference_request_success{{{WHERE}}}{WINDOW})) / 1e6",
            "{{model}} compute")], "s", low=0),
    lines("Triton: requests", "Successful and failed requests per second.",
          [(f"sum by (model) (rate(nv_inference_request_success{{{WHERE}}}{WINDOW}))", "{{model}} successful"),
           (f"sum by (model) (rate(nv_inference_request_failure{{{WHERE}}}{WINDOW}))", "{{model}} failed")], "reqps",
           low=0),
]

DASHBOARD = dashboard(
    "lockstep-inference", "lockstep / Inference",
    "vLLM, SGLang, Triton and any server that uses OpenTelemetry's metric names for generative AI.",
    [chosen("instance", "Instance",
            'label_values({__name__=~"vllm:num_requests_running|sglang:num_running_reqs|nv_inference_request_success|gen_ai_server_request_duration_seconds_count"}, instance)', many=True)],
    [("Health", HEALTH), ("Latency", LATENCY), ("Throughput", THROUGHPUT)])
