#include "ingest/logs/record/metric_catalogue.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

struct KeyRow {
  std::string_view written;
  KeyMeaning meaning;
};

// W&B's `_step` counts calls of its logger: any other step takes precedence.
constexpr KeyRow kKeyRows[] = {
    {"trainer/global_step", {KeyRole::kStep, 9}},
    {"train/global_step", {KeyRole::kStep, 8}},
    {"global_step", {KeyRole::kStep, 7}},
    {"global_steps", {KeyRole::kStep, 6}},
    {"step", {KeyRole::kStep, 5}},
    {"iteration", {KeyRole::kStep, 4}},
    {"iter", {KeyRole::kStep, 3}},
    {"it", {KeyRole::kStep, 2}},
    {"_step", {KeyRole::kStep, 1}},
    {"ts", {KeyRole::kTime}},
    {"time", {KeyRole::kTime}},
    {"timestamp", {KeyRole::kTime}},
    {"_timestamp", {KeyRole::kTime}},
    {"wall_time", {KeyRole::kTime}},
    {"ts_ms", {KeyRole::kTime}},
    {"timestamp_ms", {KeyRole::kTime}},
    {"time_ms", {KeyRole::kTime}},
    {"ts_ns", {KeyRole::kTime}},
    {"time_unix_nano", {KeyRole::kTime}},
    {"rank", {KeyRole::kRank}},
    {"global_rank", {KeyRole::kRank}},
    {"RANK", {KeyRole::kRank}},
    {"attempt", {KeyRole::kAttempt}},
    {"restart", {KeyRole::kAttempt}},
    {"restart_count", {KeyRole::kAttempt}},
    {"job", {KeyRole::kJob}},
    {"job_id", {KeyRole::kJob}},
    {"jobid", {KeyRole::kJob}},
    {"SLURM_JOB_ID", {KeyRole::kJob}},
    {"run", {KeyRole::kRun}},
    {"run_id", {KeyRole::kRun}},
    {"run_name", {KeyRole::kRun}},
    {"experiment", {KeyRole::kRun}},
    {"node", {KeyRole::kLabel, 0, "node"}},
    {"host", {KeyRole::kLabel, 0, "node"}},
    {"hostname", {KeyRole::kLabel, 0, "node"}},
    {"Hostname", {KeyRole::kLabel, 0, "node"}},
    {"local_rank", {KeyRole::kNothing}},
    {"LOCAL_RANK", {KeyRole::kNothing}},
    {"gpu", {KeyRole::kNothing}},
    {"pid", {KeyRole::kNothing}},
    {"_wandb", {KeyRole::kNothing}},
    // torchrun's error.json.
    {"message", {KeyRole::kEventText}},
    {"message.message", {KeyRole::kEventText}},
    {"message.extraInfo.timestamp", {KeyRole::kTime}},
    // NCCL's inspector.
    {"header.id", {KeyRole::kLabel, 0, "comm"}},
    {"header.rank", {KeyRole::kRank}},
    {"header.n_ranks", {KeyRole::kNothing}},
    {"header.nnodes", {KeyRole::kNothing}},
    {"metadata.dump_timestamp_us", {KeyRole::kTime}},
    {"metadata.hostname", {KeyRole::kLabel, 0, "node"}},
    {"metadata.pid", {KeyRole::kNothing}},
    {"coll_perf.coll", {KeyRole::kLabel, 0, "coll"}},
};

bool IsNameByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || IsDigit(byte) ||
         byte == '_' || byte == ':';
}

// Nested names are joined by '.', where loggers write '/'.
bool IsWrittenAs(std::string_view row, std::string_view written) {
  return std::ranges::equal(row, written, [](char expected, char byte) {
    return expected == byte || (expected == '/' && byte == '.');
  });
}

// If `written` is `row` with a number for its "{i}", returns the number.
std::optional<std::string_view> NumberInTemplate(std::string_view row, std::string_view written) {
  constexpr std::string_view kNumber = "{i}";
  const size_t begin = row.find(kNumber);
  if (begin == row.npos || written.substr(0, begin) != row.substr(0, begin)) return std::nullopt;
  size_t end = begin;
  while (end < written.size() && IsDigit(written[end])) ++end;
  const bool is_same = end > begin && written.substr(end) == row.substr(begin + kNumber.size());
  return is_same ? std::optional(written.substr(begin, end - begin)) : std::nullopt;
}

void SetScale(MetricKey& key, double scale) {
  key.multiplier = scale < 1 ? 1 : scale;
  key.divisor = scale < 1 ? std::round(1 / scale) : 1;
}

void Take(const MetricRow& row, MetricKey& key) {
  key.name = row.name;
  key.unit = row.unit;
  SetScale(key, row.scale);
  key.is_known = true;
  if (!row.label.empty()) key.labels.emplace_back(row.label, row.label_value);
}

// Depending on the source, a name is in percent or a ratio, in MiB or bytes.
Fold FoldOf(MetricSource source, const MetricRow& row) {
  if (source == MetricSource::kGeneric && row.name == "train_mfu_ratio") {
    return Fold::kPercentOrRatio;
  }
  if (source != MetricSource::kWandbEvents) return Fold::kNone;
  if (row.unit == "ratio") return Fold::kPercentOrRatio;
  return row.unit == "bytes/s" ? Fold::kMebibytesOrBytes : Fold::kNone;
}

bool TakeRow(MetricSource source, MetricKey& key) {
  for (const MetricRow& row : RowsOf(source)) {
    const auto gpu = NumberInTemplate(row.written, key.written);
    if (!gpu.has_value() && !IsWrittenAs(row.written, key.written)) continue;
    Take(row, key);
    key.fold = FoldOf(source, row);
    if (gpu.has_value()) key.labels.emplace_back("gpu", *gpu);
    return true;
  }
  return false;
}

void Name(MetricKey& key, std::string_view name, std::string_view unit) {
  key.name = name;
  key.unit = unit;
  key.is_known = true;
}

// "lr-AdamW/pg1", "lr/0"
bool TakeLearningRate(MetricKey& key) {
  std::string_view group = key.written;
  if (!TakePrefix(group, "lr-") && !TakePrefix(group, "lr/")) return false;
  Name(key, "train_learning_rate", "1");
  key.labels.emplace_back("group", group);
  return true;
}

// "DeviceStatsMonitor.on_train_batch_end/active.all.peak"
bool TakeAllocatorStatistic(MetricKey& key) {
  std::string_view rest = key.written;
  if (!TakePrefix(rest, "DeviceStatsMonitor.")) return false;
  const size_t slash = rest.find_first_of("/.");
  if (slash == rest.npos) return false;
  Name(key, "gpu_torch_memory_stat", "");
  key.labels.emplace_back("hook", rest.substr(0, slash));
  key.labels.emplace_back("stat", rest.substr(slash + 1));
  return true;
}

// "memory/peak_allocated_mem", in gigabytes if it is memory.
bool TakeComposerMemory(MetricKey& key) {
  std::string_view stat = key.written;
  if (!TakePrefix(stat, "memory/")) return false;
  Name(key, "gpu_torch_memory_stat", stat.ends_with("_mem") ? "GB" : "");
  key.labels.emplace_back("stat", stat);
  return true;
}

// "lm loss vs samples" is "lm loss" on another axis.
bool TakeOverSamples(std::span<const MetricSource> sources, MetricKey& key) {
  constexpr std::string_view kOverSamples = " vs samples";
  const std::string_view written = key.written;
  if (!written.ends_with(kOverSamples)) return false;
  MetricKey over_steps =
      DescribeMetric(sources, written.substr(0, written.size() - kOverSamples.size()));
  over_steps.written = std::move(key.written);
  over_steps.labels.emplace_back("axis", "samples");
  key = std::move(over_steps);
  return true;
}

// Loggers write "train/x" and "eval/x", standard output has "x" and "eval_x".
bool TakeHuggingFace(MetricKey& key) {
  MetricKey printed = key;
  std::string_view rest = key.written;
  if (TakePrefix(rest, "train/")) {
    printed.written = rest;
  } else if (TakePrefix(rest, "eval/")) {
    printed.written = absl::StrFormat("eval_%s", rest);
  }
  if (TakeRow(MetricSource::kHuggingFace, printed)) {
    printed.written = std::move(key.written);
    key = std::move(printed);
    return true;
  }
  rest = printed.written;
  if (!TakePrefix(rest, "eval_")) return false;
  key.name = CleanMetricName(absl::StrFormat("validation_%s", rest));
  return true;
}

// "system.disk./scratch.usageGB", "system.disk.nvme0n1.in"
bool TakeWandbDisk(MetricKey& key) {
  std::string_view rest = key.written;
  if (!TakePrefix(rest, "system.disk.")) return false;
  const size_t dot = rest.rfind('.');
  const std::string_view which = dot == rest.npos ? "" : rest.substr(0, dot);
  const std::string_view what = dot == rest.npos ? rest : rest.substr(dot + 1);
  const bool is_file_system = what == "usagePercent" || what == "usageGB";
  if (what == "usagePercent") {
    Name(key, "node_filesystem_used_percent", "percent");
  } else if (what == "usageGB") {
    Name(key, "node_filesystem_used_bytes", "bytes");
    SetScale(key, 1e9);
  } else if (what == "in" || what == "out") {
    Name(key, what == "in" ? "node_disk_read_bytes_total" : "node_disk_written_bytes_total",
         "bytes");
    SetScale(key, 1 << 20);
  } else {
    return false;
  }
  if (!which.empty()) key.labels.emplace_back(is_file_system ? "mountpoint" : "device", which);
  return true;
}

bool TakeWandbEvents(MetricKey& key) {
  // Repeats the device's values while the process uses it.
  if (key.written.starts_with("system.gpu.process.")) {
    key.role = KeyRole::kNothing;
    return true;
  }
  return TakeRow(MetricSource::kWandbEvents, key) || TakeWandbDisk(key);
}

// "forward-compute", "forward-compute (max)"
bool TakeMegatronTimer(MetricKey& key) {
  std::string_view phase = key.written;
  std::string_view aggregate;
  for (const std::string_view name : {"min", "max"}) {
    if (!phase.ends_with(absl::StrFormat(" (%s)", name))) continue;
    aggregate = name;
    phase.remove_suffix(aggregate.size() + sizeof(" ()") - 1);
  }
  Name(key, "train_phase_seconds", "s");
  SetScale(key, 1e-3);
  key.labels.emplace_back("phase", phase);
  if (!aggregate.empty()) key.labels.emplace_back("agg", aggregate);
  return true;
}

bool TakeLogged(std::span<const MetricSource> sources, MetricKey& key) {
  return TakeRow(MetricSource::kLogged, key) || TakeLearningRate(key) ||
         TakeAllocatorStatistic(key) || TakeComposerMemory(key) || TakeOverSamples(sources, key);
}

bool TakeFrom(std::span<const MetricSource> sources, MetricSource source, MetricKey& key) {
  switch (source) {
    case MetricSource::kLogged:
      return TakeLogged(sources, key);
    case MetricSource::kMegatronTimers:
      return TakeMegatronTimer(key);
    case MetricSource::kHuggingFace:
      return TakeHuggingFace(key);
    case MetricSource::kWandbEvents:
      return TakeWandbEvents(key);
    default:
      return TakeRow(source, key);
  }
}

}  // namespace

std::optional<KeyMeaning> MeaningOfKey(std::string_view written) {
  TakePrefix(written, "labels.");
  for (const KeyRow& row : kKeyRows) {
    if (row.written == written) return row.meaning;
  }
  return std::nullopt;
}

std::string CleanMetricName(std::string_view written) {
  std::string name;
  for (const char byte : written) {
    const char clean = IsNameByte(byte) ? byte : '_';
    if (clean != '_' || (!name.empty() && name.back() != '_')) name.push_back(clean);
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty() || IsDigit(name.front())) name.insert(0, "metric_");
  return name;
}

MetricKey DescribeMetric(std::span<const MetricSource> sources, std::string_view written) {
  MetricKey key;
  key.written = written;
  for (const MetricSource source : sources) {
    if (TakeFrom(sources, source, key)) break;
  }
  if (key.name.empty()) key.name = CleanMetricName(written);
  if (key.name == "train_samples_total") key.axis = Axis::kSamples;
  if (key.name == "train_tokens_total") key.axis = Axis::kTokens;
  return key;
}

}  // namespace lockstep::logs
