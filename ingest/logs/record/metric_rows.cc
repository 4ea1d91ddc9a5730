#include "ingest/logs/record/metric_rows.h"

namespace lockstep::logs {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kGbit = 1e9 / 8;

constexpr MetricRow kMegatronRows[] = {
    {"consumed samples", "train_samples_total", "samples"},
    {"elapsed time per iteration (ms)", "train_step_time_seconds", "s", 1e-3},
    {"throughput per GPU (TFLOP/s/GPU)", "train_tflops_per_gpu", "TFLOP/s"},
    {"energy per GPU (J/iter/GPU)", "train_energy_per_step_joules", "J"},
    {"power per GPU (W/GPU)", "train_power_watts", "W"},
    {"learning rate", "train_learning_rate", "1"},
    {"global batch size", "train_global_batch_size", "samples"},
    {"lm loss", "train_loss", "1"},
    {"loss scale", "train_loss_scale", "1"},
    {"grad norm", "train_grad_norm", "1"},
    {"num zeros", "train_grad_zeros", "count"},
    {"params norm", "train_params_norm", "1"},
    {"number of skipped iterations", "train_skipped_steps", "steps"},
    {"number of nan iterations", "train_nan_steps", "steps"},
    {"allocated", "gpu_torch_memory_allocated_bytes", "bytes", kMiB},
    {"max allocated", "gpu_torch_memory_peak_bytes", "bytes", kMiB},
    {"reserved", "gpu_torch_memory_reserved_bytes", "bytes", kMiB},
    {"max reserved", "gpu_torch_memory_reserved_peak_bytes", "bytes", kMiB},
    {"skipped samples", "train_skipped_samples_total", "samples"},
    {"Rtt", "train_straggler_roundtrip_seconds", "s", 1e-3},
    {"Pwr", "gpu_power_watts", "W"},
    {"Tmp", "gpu_temperature_celsius", "celsius"},
    {"Utl", "gpu_utilization_percent", "percent"},
    {"Clk", "gpu_sm_clock_mhz", "MHz"},
    {"DRtt", "train_data_seconds", "s", 1e-3},
    {"Etpt", "train_tflops_per_gpu", "TFLOP/s"},
};

constexpr MetricRow kTorchtitanRows[] = {
    {"loss", "train_loss", "1"},
    {"grad_norm", "train_grad_norm", "1"},
    {"tps", "train_tokens_per_second_per_gpu", "tokens/s"},
    {"tflops", "train_tflops_per_gpu", "TFLOP/s"},
    {"memory", "gpu_torch_memory_reserved_peak_bytes", "bytes"},
    {"memory(%)", "gpu_torch_memory_reserved_peak_ratio", "ratio", 1e-2},
    {"mfu", "train_mfu_ratio", "ratio", 1e-2},
    {"validate loss", "validation_loss", "1"},
    {"validate memory", "validation_torch_memory_reserved_peak_bytes", "bytes"},
    {"validate memory(%)", "validation_torch_memory_reserved_peak_ratio", "ratio", 1e-2},
    {"validate tps", "validation_tokens_per_second_per_gpu", "tokens/s"},
};

constexpr MetricRow kHuggingFaceRows[] = {
    {"loss", "train_loss", "1"},
    {"grad_norm", "train_grad_norm", "1"},
    {"learning_rate", "train_learning_rate", "1"},
    {"epoch", "epoch", "1"},
    {"num_input_tokens_seen", "train_tokens_total", "tokens"},
    {"eval_loss", "validation_loss", "1"},
    {"eval_runtime", "validation_runtime_seconds", "s"},
    {"eval_samples_per_second", "validation_samples_per_second", "samples/s"},
    {"eval_steps_per_second", "validation_steps_per_second", "steps/s"},
    {"train_runtime", "train_runtime_seconds", "s"},
    {"train_samples_per_second", "train_samples_per_second", "samples/s"},
    {"train_steps_per_second", "train_steps_per_second", "steps/s"},
    {"train_loss", "train_loss_mean", "1"},
    {"total_flos", "train_flops_total", "FLOP"},
    {"train_tokens_per_second", "train_tokens_per_second", "tokens/s"},
};

constexpr MetricRow kDeepspeedRows[] = {
    {"iter time (s)", "train_step_time_seconds", "s"},
    {"samples/sec", "train_samples_per_second", "samples/s"},
    {"loss", "train_loss", "1"},
    {"RunningAvgSamplesPerSec", "train_samples_per_second_avg", "samples/s"},
    {"CurrSamplesPerSec", "train_samples_per_second", "samples/s"},
    {"time (ms) | fwd", "train_phase_seconds", "s", 1e-3, "phase", "forward"},
    {"time (ms) | bwd", "train_phase_seconds", "s", 1e-3, "phase", "backward"},
    {"time (ms) | bwd_inner", "train_phase_seconds", "s", 1e-3, "phase", "backward_compute"},
    {"time (ms) | bwd_allreduce", "train_phase_seconds", "s", 1e-3, "phase", "backward_allreduce"},
    {"time (ms) | step", "train_phase_seconds", "s", 1e-3, "phase", "optimizer"},
    {"straggler effect", "comm_straggler_seconds", "s", 1e-3},
    {"lr", "train_learning_rate", "1"},
    {"skipped", "train_skipped_steps_total", "steps"},
    {"MemAllocated", "gpu_torch_memory_allocated_bytes", "bytes"},
    {"MaxMemAllocated", "gpu_torch_memory_peak_bytes", "bytes"},
    {"comm op | time (ms)", "comm_op_seconds", "s", 1e-3},
    {"comm op | msg size", "comm_op_message_bytes", "bytes"},
    {"comm op | algbw (Gbps)", "comm_op_algorithm_bandwidth_bytes_per_second", "bytes/s", kGbit},
    {"comm op | busbw (Gbps)", "comm_op_bus_bandwidth_bytes_per_second", "bytes/s", kGbit},
};

constexpr MetricRow kNanogptRows[] = {
    {"loss", "train_loss", "1"},
    {"time", "train_step_time_seconds", "s", 1e-3},
    {"mfu", "train_mfu_ratio", "ratio", 1e-2},
    {"train loss", "train_loss_estimate", "1"},
    {"val loss", "validation_loss", "1"},
};

constexpr MetricRow kWandbEventsRows[] = {
    {"system.gpu.{i}.gpu", "gpu_utilization_percent", "percent"},
    {"system.gpu.{i}.memory", "gpu_memory_access_percent", "percent"},
    {"system.gpu.{i}.memoryAllocated", "gpu_memory_used_percent", "percent"},
    {"system.gpu.{i}.memoryAllocatedBytes", "gpu_memory_used_bytes", "bytes"},
    {"system.gpu.{i}.temp", "gpu_temperature_celsius", "celsius"},
    {"system.gpu.{i}.powerWatts", "gpu_power_watts", "W"},
    {"system.gpu.{i}.powerPercent", "gpu_power_percent_of_limit", "percent"},
    {"system.gpu.{i}.enforcedPowerLimitWatts", "gpu_power_limit_watts", "W"},
    {"system.gpu.{i}.smClock", "gpu_sm_clock_mhz", "MHz"},
    {"system.gpu.{i}.memoryClock", "gpu_memory_clock_mhz", "MHz"},
    {"system.gpu.{i}.graphicsClock", "gpu_graphics_clock_mhz", "MHz"},
    {"system.gpu.{i}.fanSpeed", "gpu_fan_percent", "percent"},
    {"system.gpu.{i}.correctedMemoryErrors", "gpu_ecc_corrected_total", "count"},
    {"system.gpu.{i}.uncorrectedMemoryErrors", "gpu_ecc_uncorrected_total", "count"},
    {"system.gpu.{i}.pcieTxBytes", "gpu_pcie_tx_bytes_per_second", "bytes/s"},
    {"system.gpu.{i}.pcieRxBytes", "gpu_pcie_rx_bytes_per_second", "bytes/s"},
    {"system.gpu.{i}.nvlinkTxBytes", "gpu_nvlink_tx_bytes_per_second", "bytes/s"},
    {"system.gpu.{i}.nvlinkRxBytes", "gpu_nvlink_rx_bytes_per_second", "bytes/s"},
    {"system.gpu.{i}.smActive", "gpu_sm_active_ratio", "ratio"},
    {"system.gpu.{i}.smOccupancy", "gpu_sm_occupancy_ratio", "ratio"},
    {"system.gpu.{i}.pipeTensorActive", "gpu_tensor_active_ratio", "ratio"},
    {"system.gpu.{i}.dramActive", "gpu_dram_active_ratio", "ratio"},
    {"system.gpu.{i}.pipeFp64Active", "gpu_fp64_active_ratio", "ratio"},
    {"system.gpu.{i}.pipeFp32Active", "gpu_fp32_active_ratio", "ratio"},
    {"system.gpu.{i}.pipeFp16Active", "gpu_fp16_active_ratio", "ratio"},
    {"system.gpu.{i}.pipeTensorHmmaActive", "gpu_tensor_hmma_active_ratio", "ratio"},
    {"system.gpu.{i}.memoryTemp", "gpu_memory_temperature_celsius", "celsius"},
    {"_runtime", "runtime_seconds", "s"},
    {"system.cpu", "node_cpu_percent", "percent"},
    {"system.memory_percent", "node_memory_used_percent", "percent"},
    {"system.memory", "node_memory_used_percent", "percent"},
    {"system.proc.memory.rssMB", "process_resident_memory_bytes", "bytes", kMiB},
    {"system.proc.memory.percent", "process_memory_percent", "percent"},
    {"system.proc.memory.availableMB", "node_memory_available_bytes", "bytes", kMiB},
    {"system.proc.cpu.threads", "process_threads", "count"},
    {"system.network.sent", "node_network_transmit_bytes_total", "bytes"},
    {"system.network.recv", "node_network_receive_bytes_total", "bytes"},
    {"system.disk.in", "node_disk_read_bytes_total", "bytes", kMiB},
    {"system.disk.out", "node_disk_written_bytes_total", "bytes", kMiB},
};

constexpr MetricRow kMlflowRows[] = {
    {"system/cpu_utilization_percentage", "node_cpu_percent", "percent"},
    {"system/system_memory_usage_megabytes", "node_memory_used_bytes", "bytes", 1e6},
    {"system/system_memory_usage_percentage", "node_memory_used_percent", "percent"},
    {"system/gpu_{i}_utilization_percentage", "gpu_utilization_percent", "percent"},
    {"system/gpu_{i}_memory_usage_megabytes", "gpu_memory_used_bytes", "bytes", 1e6},
    {"system/gpu_{i}_memory_usage_percentage", "gpu_memory_used_percent", "percent"},
    {"system/gpu_{i}_power_usage_watts", "gpu_power_watts", "W"},
    {"system/network_receive_megabytes", "node_network_receive_bytes_total", "bytes", 1e6},
    {"system/network_transmit_megabytes", "node_network_transmit_bytes_total", "bytes", 1e6},
    {"system/disk_usage_megabytes", "node_filesystem_used_bytes", "bytes", 1e6},
    {"system/disk_usage_percentage", "node_filesystem_used_percent", "percent"},
};

constexpr MetricRow kNcclInspectorRows[] = {
    {"coll_perf.coll_exec_time_us", "nccl_collective_seconds", "s", 1e-6},
    {"coll_perf.coll_algobw_gbs", "nccl_algorithm_bandwidth_bytes_per_second", "bytes/s", 1e9},
    {"coll_perf.coll_busbw_gbs", "nccl_bus_bandwidth_bytes_per_second", "bytes/s", 1e9},
    {"coll_perf.coll_msg_size_bytes", "nccl_message_bytes", "bytes"},
    {"coll_perf.coll_sn", "nccl_collective_sequence", "1"},
};

constexpr MetricRow kNvrxRows[] = {
    {"gpu_relative_perf/min", "straggler_gpu_relative_score", "ratio", 1, "agg", "min"},
    {"gpu_relative_perf/median", "straggler_gpu_relative_score", "ratio", 1, "agg", "median"},
    {"gpu_relative_perf/max", "straggler_gpu_relative_score", "ratio", 1, "agg", "max"},
    {"gpu_individual_perf/min", "straggler_gpu_individual_score", "ratio", 1, "agg", "min"},
    {"gpu_individual_perf/median", "straggler_gpu_individual_score", "ratio", 1, "agg", "median"},
    {"gpu_individual_perf/max", "straggler_gpu_individual_score", "ratio", 1, "agg", "max"},
    {"straggler_gpu_relative_score", "straggler_gpu_relative_score", "ratio"},
    {"straggler_gpu_individual_score", "straggler_gpu_individual_score", "ratio"},
};

}  // namespace

std::span<const MetricRow> RowsOf(MetricSource source) {
  switch (source) {
    case MetricSource::kGeneric:
      return GenericRows();
    case MetricSource::kLogged:
      return LoggedRows();
    case MetricSource::kMegatron:
      return kMegatronRows;
    case MetricSource::kMegatronTimers:
      return {};
    case MetricSource::kTorchtitan:
      return kTorchtitanRows;
    case MetricSource::kHuggingFace:
      return kHuggingFaceRows;
    case MetricSource::kDeepspeed:
      return kDeepspeedRows;
    case MetricSource::kNanogpt:
      return kNanogptRows;
    case MetricSource::kWandbEvents:
      return kWandbEventsRows;
    case MetricSource::kMlflow:
      return kMlflowRows;
    case MetricSource::kNcclInspector:
      return kNcclInspectorRows;
    case MetricSource::kNvrx:
      return kNvrxRows;
  }
  return {};
}

}  // namespace lockstep::logs
