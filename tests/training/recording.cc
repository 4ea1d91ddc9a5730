#include "tests/training/recording.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/check.h"
#include "tests/memory_storage.h"
#include "tests/training/gzip_text.h"
#include "tests/training/stored_job.h"

namespace lockstep::training {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

double Number(const object& record, std::string_view key) {
  element value;
  if (record[key].get(value) != simdjson::SUCCESS || value.is_null()) return kUnknown;
  double number = 0;
  return value.get(number) == simdjson::SUCCESS ? number : kUnknown;
}

int64_t Integer(const object& record, std::string_view key) {
  int64_t value = 0;
  LOCKSTEP_CHECK(record[key].get(value) == simdjson::SUCCESS);
  return value;
}

std::string Text(const object& record, std::string_view key) {
  std::string_view value;
  return record[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

std::vector<int64_t> Integers(const element& list) {
  std::vector<int64_t> values;
  simdjson::dom::array array;
  LOCKSTEP_CHECK(list.get(array) == simdjson::SUCCESS);
  for (const element item : array) {
    int64_t value = 0;
    LOCKSTEP_CHECK(item.get(value) == simdjson::SUCCESS);
    values.push_back(value);
  }
  return values;
}

// The metric as which a field of a step is stored.
struct StepField {
  std::string_view field;
  std::string_view metric;
};

constexpr StepField kStepFields[] = {
    {"step", "train_step"},
    {"train_step_timing in s", "train_step_time_seconds"},
    {"data_time_s", "data_time_s"},
    {"h2d_time_s", "h2d_time_s"},
    {"forward_time_s", "forward_time_s"},
    {"backward_time_s", "backward_time_s"},
    {"allreduce_time_s", "allreduce_time_s"},
    {"optimizer_time_s", "optimizer_time_s"},
    {"checkpoint_time_s", "checkpoint_time_s"},
    {"reduced_train_loss", "train_loss"},
    {"grad_norm", "train_grad_norm"},
    {"memory_allocated", "gpu_torch_memory_allocated_bytes"},
    {"model_flops_per_step_per_gpu", "train_model_flops"},
    {"tokens_per_step", "train_tokens"},
};

void StoreStep(const object& record, MemoryStorage& storage) {
  const std::string rank = std::to_string(Integer(record, "rank"));
  for (const StepField& field : kStepFields) {
    const double value = Number(record, field.field);
    if (std::isnan(value)) continue;
    storage.Append(
        LabelSet::Of({{kMetricName, field.metric}, {"job", Text(record, "job")}, {"rank", rank}}),
        Integer(record, "ts_ms"), value);
  }
}

// Samples of "workloads" name their job. Others belong to the job that ran at that time, with one
// rank per GPU.
void StoreSample(const object& record, std::span<const RecordedJob> jobs, MemoryStorage& storage) {
  const int64_t timestamp_ms = Integer(record, "ts_ms");
  if (std::isnan(Number(record, "gpu"))) return;
  const std::string gpu = std::to_string(Integer(record, "gpu"));
  std::string job = Text(record, "job");
  std::string rank =
      std::isnan(Number(record, "rank")) ? "" : std::to_string(Integer(record, "rank"));
  if (job.empty()) {
    const auto ran = std::ranges::find_if(jobs, [timestamp_ms](const RecordedJob& one) {
      return one.job.begin_ms <= timestamp_ms && timestamp_ms <= one.end_ms;
    });
    if (ran == jobs.end()) return;
    job = ran->job.name;
    rank = gpu;
  }
  object values;
  LOCKSTEP_CHECK(record["values"].get(values) == simdjson::SUCCESS);
  for (const auto field : values) {
    double value = 0;
    if (field.value.get(value) != simdjson::SUCCESS) continue;
    storage.Append(LabelSet::Of({{kMetricName, field.key},
                                 {"job", job},
                                 {"rank", rank},
                                 {"gpu", gpu},
                                 {"UUID", Text(record, "UUID")},
                                 {"Hostname", Text(record, "Hostname")},
                                 {"modelName", Text(record, "modelName")}}),
                   timestamp_ms, value);
  }
}

template <typename Store>
void ForEachRecord(const std::string& path, Store store) {
  const std::string text = ReadGzip(path);
  simdjson::dom::parser parser;
  for (const std::string_view line : Lines(text)) {
    const simdjson::padded_string padded(line);
    object record;
    LOCKSTEP_CHECK(parser.parse(padded).get(record) == simdjson::SUCCESS);
    store(record);
  }
}

PlantedEvent EventOf(const object& record) {
  PlantedEvent event{.type = Text(record, "type"), .step = {}, .ranks = {}, .time = {}};
  int64_t step = 0;
  if (record["step"].get(step) == simdjson::SUCCESS) event.step = step;
  element ranks;
  if (record["ranks"].get(ranks) == simdjson::SUCCESS) event.ranks = Integers(ranks);
  if (record["from_ms"].error() == simdjson::SUCCESS) {
    event.time = {Integer(record, "from_ms"), Integer(record, "until_ms")};
  }
  return event;
}

void SetMfu(const object& record, RecordedTruth& truth) {
  object parts;
  if (record["measured"].get(parts) != simdjson::SUCCESS) return;
  for (const auto part : parts) {
    for (const auto field : part.value.get_object()) {
      const double mfu = Number(field.value.get_object(), "mfu_bf16");
      if (!(mfu > 0)) continue;
      truth.mfu_bf16[std::string(part.key)][std::stoll(std::string(field.key))] = mfu;
    }
  }
}

RecordedTruth TruthOf(const object& record) {
  RecordedTruth truth;
  element bound;
  LOCKSTEP_CHECK(record["expected"]["bound"].get(bound) == simdjson::SUCCESS);
  simdjson::dom::array bounds;
  if (bound.get(bounds) == simdjson::SUCCESS) {
    for (const element one : bounds) truth.bounds.emplace_back(one.get_string().value());
  } else if (!bound.is_null()) {
    truth.bounds.emplace_back(bound.get_string().value());
  }
  if (!truth.bounds.empty()) truth.bound = truth.bounds.front();
  object straggler;
  if (record["expected"]["straggler"].get(straggler) == simdjson::SUCCESS) {
    truth.slow_ranks = Integers(straggler["ranks"]);
    truth.cause = Text(straggler, "cause");
  }
  simdjson::dom::array intervals;
  if (record["intervals"].get(intervals) == simdjson::SUCCESS) {
    const object interval = intervals.at(0).get_object();
    truth.from_step = Integer(interval, "from_step");
    truth.until_step = Integer(interval, "until_step");
    truth.time = {Integer(interval, "from_ms"), Integer(interval, "until_ms")};
  }
  simdjson::dom::array events;
  if (record["expected"]["events"].get(events) == simdjson::SUCCESS) {
    for (const element event : events) truth.events.push_back(EventOf(event.get_object()));
  }
  SetMfu(record, truth);
  return truth;
}

std::vector<RecordedJob> TruthsOf(const std::string& folder) {
  const simdjson::padded_string text(ReadGzip(folder + "/truth.json.gz"));
  simdjson::dom::parser parser;
  simdjson::dom::array records;
  LOCKSTEP_CHECK(parser.parse(text)["jobs"].get(records) == simdjson::SUCCESS);
  std::vector<RecordedJob> jobs;
  for (const element item : records) {
    const object record = item.get_object();
    RecordedJob& job = jobs.emplace_back();
    job.job.name = Text(record, "job");
    job.condition = Text(record, "condition");
    job.job.begin_ms = Integer(record, "begin_ms");
    job.end_ms = Integer(record, "end_ms");
    job.is_training = Text(record, "kind") == "train";
    job.truth = TruthOf(record);
  }
  return jobs;
}

CounterSeries Between(const CounterSeries& series, int64_t from_ms, int64_t to_ms) {
  CounterSeries part;
  for (size_t i = 0; i < series.timestamp_ms.size(); ++i) {
    if (series.timestamp_ms[i] < from_ms || series.timestamp_ms[i] > to_ms) continue;
    part.timestamp_ms.push_back(series.timestamp_ms[i]);
    part.value.push_back(series.value[i]);
  }
  return part;
}

std::vector<GpuCounters> DevicesBetween(const std::vector<GpuCounters>& devices, int64_t from_ms,
                                        int64_t to_ms) {
  std::vector<GpuCounters> parts(devices.size());
  for (size_t row = 0; row < devices.size(); ++row) {
    parts[row].model = devices[row].model;
    for (const Role role : kDeviceRoles) {
      parts[row][role] = Between(devices[row][role], from_ms, to_ms);
    }
  }
  return parts;
}

RankMatrix Part(const RankMatrix& matrix, const std::vector<size_t>& rows, size_t first,
                size_t last) {
  if (matrix.empty()) return {};
  RankMatrix part(rows.size(), last - first + 1);
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t n = first; n <= last; ++n) part(row, n - first) = matrix(rows[row], n);
  }
  return part;
}

StepTable Part(const StepTable& table, const std::vector<size_t>& rows, size_t first, size_t last) {
  StepTable part = table;
  part.step.assign(table.step.begin() + static_cast<ptrdiff_t>(first),
                   table.step.begin() + static_cast<ptrdiff_t>(last) + 1);
  part.end_ms.assign(table.end_ms.begin() + static_cast<ptrdiff_t>(first),
                     table.end_ms.begin() + static_cast<ptrdiff_t>(last) + 1);
  for (RankMatrix* matrix : {&part.step_seconds, &part.own_seconds, &part.loss, &part.gradient_norm,
                             &part.memory_allocated_bytes, &part.model_flops, &part.tokens}) {
    *matrix = Part(*matrix, rows, first, last);
  }
  for (PhaseColumn& phase : part.phases) phase.seconds = Part(phase.seconds, rows, first, last);
  return part;
}

std::vector<size_t> AllRows(const RecordedJob& job) {
  std::vector<size_t> rows(job.job.ranks.size());
  for (size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  return rows;
}

}  // namespace

std::vector<RecordedJob> LoadRecording(std::string_view name) {
  const std::string folder(name);
  std::vector<RecordedJob> jobs = TruthsOf(folder);
  MemoryStorage storage;
  ForEachRecord(folder + "/steps.jsonl.gz",
                [&](const object& record) { StoreStep(record, storage); });
  ForEachRecord(folder + "/telemetry.jsonl.gz",
                [&](const object& record) { StoreSample(record, jobs, storage); });
  for (RecordedJob& job : jobs) {
    answers::LoadedJob loaded = LoadStored(storage, job.job.name);
    job.job.ranks = std::move(loaded.job.ranks);
    job.steps = std::move(loaded.steps);
    job.devices = std::move(loaded.devices);
  }
  return jobs;
}

std::vector<RecordedJob> LoadWorkloads() { return LoadRecording("workloads"); }

RecordedJob Thinned(const RecordedJob& job, int64_t period_ms) {
  RecordedJob thin = job;
  for (GpuCounters& device : thin.devices) {
    for (const Role role : kDeviceRoles) {
      const bool is_mean = role <= Role::kGpuNvlinkTxBytesPerSecond;
      const CounterSeries all = std::move(device[role]);
      CounterSeries& kept = device[role] = {};
      double sum = 0;
      size_t count = 0;
      for (size_t n = 0; n < all.value.size(); ++n) {
        sum += all.value[n];
        ++count;
        const bool is_due =
            all.timestamp_ms[n] / period_ms != (n == 0 ? 0 : all.timestamp_ms[n - 1] / period_ms);
        if (!is_due) continue;
        kept.timestamp_ms.push_back(all.timestamp_ms[n]);
        kept.value.push_back(is_mean ? sum / static_cast<double>(count) : all.value[n]);
        sum = 0;
        count = 0;
      }
    }
  }
  return thin;
}

RecordedJob Repeated(const RecordedJob& job, int64_t from_ms, size_t times) {
  const auto first = static_cast<size_t>(
      std::upper_bound(job.steps.end_ms.begin(), job.steps.end_ms.end(), from_ms) -
      job.steps.end_ms.begin());
  const size_t all = job.steps.size();
  const int64_t length_ms = job.end_ms - from_ms;
  const auto length_steps = static_cast<int64_t>(all - first);
  RecordedJob longer = job;
  for (size_t time = 1; time < times; ++time) {
    const auto after = static_cast<int64_t>(time);
    for (size_t n = first; n < all; ++n) {
      longer.steps.step.push_back(job.steps.step[n] + after * length_steps);
      longer.steps.end_ms.push_back(job.steps.end_ms[n] + after * length_ms);
    }
    for (size_t row = 0; row < job.devices.size(); ++row) {
      for (const Role role : kDeviceRoles) {
        const CounterSeries& from = job.devices[row][role];
        CounterSeries& to = longer.devices[row][role];
        for (size_t n = 0; n < from.value.size(); ++n) {
          if (from.timestamp_ms[n] <= from_ms) continue;
          to.timestamp_ms.push_back(from.timestamp_ms[n] + after * length_ms);
          to.value.push_back(from.value[n]);
        }
      }
    }
  }
  const auto repeat = [&](RankMatrix& matrix) {
    if (matrix.empty()) return;
    RankMatrix more(matrix.rows(), longer.steps.size());
    for (size_t row = 0; row < matrix.rows(); ++row) {
      for (size_t n = 0; n < more.columns(); ++n) {
        more(row, n) = matrix(row, n < all ? n : first + (n - first) % (all - first));
      }
    }
    matrix = std::move(more);
  };
  for (RankMatrix* matrix :
       {&longer.steps.step_seconds, &longer.steps.own_seconds, &longer.steps.loss,
        &longer.steps.gradient_norm, &longer.steps.memory_allocated_bytes,
        &longer.steps.model_flops, &longer.steps.tokens}) {
    repeat(*matrix);
  }
  for (PhaseColumn& phase : longer.steps.phases) repeat(phase.seconds);
  longer.end_ms += static_cast<int64_t>(times - 1) * length_ms;
  return longer;
}

RecordedJob StepRangeOf(const RecordedJob& job, size_t first, size_t last) {
  RecordedJob part = job;
  part.steps = Part(job.steps, AllRows(job), first, last);
  const int64_t from_ms = StepBeginMs(job.steps, first);
  part.devices = DevicesBetween(job.devices, from_ms, job.steps.end_ms[last]);
  return part;
}

RecordedJob RanksOf(const RecordedJob& job, const std::vector<size_t>& rows) {
  RecordedJob part = job;
  part.steps = Part(job.steps, rows, 0, job.steps.size() - 1);
  part.job.ranks.clear();
  part.devices.clear();
  for (const size_t row : rows) {
    part.job.ranks.push_back(job.job.ranks[row]);
    part.devices.push_back(job.devices[row]);
  }
  return part;
}

}  // namespace lockstep::training
