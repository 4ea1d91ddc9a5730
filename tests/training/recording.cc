#include "tests/training/recording.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "tests/training/gzip_text.h"
#include "training/step_alignment.h"

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

constexpr std::string_view kPhaseFields[] = {
    "data_time_s",      "h2d_time_s",       "forward_time_s",   "backward_time_s",
    "allreduce_time_s", "optimizer_time_s", "checkpoint_time_s"};

void AddStep(const object& record, RankSteps& rank) {
  if (rank.phases.empty()) {
    for (const std::string_view field : kPhaseFields)
      rank.phases.push_back({std::string(field), {}});
  }
  rank.step.push_back(Integer(record, "step"));
  rank.end_ms.push_back(Integer(record, "ts_ms"));
  rank.step_seconds.push_back(Number(record, "train_step_timing in s"));
  for (NamedColumn& phase : rank.phases) phase.values.push_back(Number(record, phase.name));
  rank.loss.push_back(Number(record, "reduced_train_loss"));
  rank.gradient_norm.push_back(Number(record, "grad_norm"));
  rank.memory_allocated_bytes.push_back(Number(record, "memory_allocated"));
  rank.model_flops.push_back(Number(record, "model_flops_per_step_per_gpu"));
  rank.tokens.push_back(Number(record, "tokens_per_step"));
}

// Trainers that log no phases have no columns of them.
void DropUnknownPhases(std::vector<RankSteps>& ranks) {
  const auto is_known = [&ranks](std::string_view name) {
    return std::any_of(ranks.begin(), ranks.end(), [name](const RankSteps& rank) {
      return std::any_of(rank.phases.begin(), rank.phases.end(), [name](const NamedColumn& phase) {
        return phase.name == name && std::any_of(phase.values.begin(), phase.values.end(),
                                                 [](double value) { return !std::isnan(value); });
      });
    });
  };
  for (const std::string_view field : kPhaseFields) {
    if (is_known(field)) continue;
    for (RankSteps& rank : ranks) {
      std::erase_if(rank.phases, [field](const NamedColumn& phase) { return phase.name == field; });
    }
  }
}

using StepsOfJobs = std::map<std::string, std::vector<RankSteps>>;

StepsOfJobs LoadSteps(const std::string& folder) {
  StepsOfJobs jobs;
  const std::string text = ReadGzip(folder + "/steps.jsonl.gz");
  simdjson::dom::parser parser;
  for (const std::string_view line : Lines(text)) {
    const simdjson::padded_string padded(line);
    object record;
    LOCKSTEP_CHECK(parser.parse(padded).get(record) == simdjson::SUCCESS);
    std::vector<RankSteps>& ranks = jobs[Text(record, "job")];
    const auto rank = static_cast<size_t>(Integer(record, "rank"));
    if (ranks.size() <= rank) ranks.resize(rank + 1);
    AddStep(record, ranks[rank]);
  }
  for (auto& [job, ranks] : jobs) DropUnknownPhases(ranks);
  return jobs;
}

void AddSample(const object& record, GpuCounters& device) {
  const int64_t timestamp_ms = Integer(record, "ts_ms");
  device.model = Text(record, "modelName");
  object values;
  LOCKSTEP_CHECK(record["values"].get(values) == simdjson::SUCCESS);
  for (const auto field : values) {
    const std::optional<DeviceCounter> counter = DeviceCounterOf(field.key);
    double value = 0;
    if (!counter.has_value() || field.value.get(value) != simdjson::SUCCESS) continue;
    device[*counter].timestamp_ms.push_back(timestamp_ms);
    device[*counter].value.push_back(value);
  }
}

std::vector<GpuCounters> LoadDevices(const std::string& folder) {
  std::vector<GpuCounters> devices;
  const std::string text = ReadGzip(folder + "/telemetry.jsonl.gz");
  simdjson::dom::parser parser;
  for (const std::string_view line : Lines(text)) {
    const simdjson::padded_string padded(line);
    object record;
    LOCKSTEP_CHECK(parser.parse(padded).get(record) == simdjson::SUCCESS);
    int64_t gpu = 0;
    if (record["gpu"].get(gpu) != simdjson::SUCCESS) continue;
    if (devices.size() <= static_cast<size_t>(gpu)) devices.resize(static_cast<size_t>(gpu) + 1);
    AddSample(record, devices[static_cast<size_t>(gpu)]);
  }
  return devices;
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
    for (size_t i = 0; i < kDeviceCounterCount; ++i) {
      parts[row].series[i] = Between(devices[row].series[i], from_ms, to_ms);
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
  const StepsOfJobs steps = LoadSteps(folder);
  const std::vector<GpuCounters> devices = LoadDevices(folder);
  const simdjson::padded_string text(ReadGzip(folder + "/truth.json.gz"));
  simdjson::dom::parser parser;
  simdjson::dom::array records;
  LOCKSTEP_CHECK(parser.parse(text)["jobs"].get(records) == simdjson::SUCCESS);
  std::vector<RecordedJob> jobs;
  for (const element item : records) {
    const object record = item.get_object();
    RecordedJob job;
    job.job.name = Text(record, "job");
    job.job.begin_ms = Integer(record, "begin_ms");
    job.end_ms = Integer(record, "end_ms");
    job.is_training = Text(record, "kind") == "train";
    job.steps = AlignSteps(steps.at(job.job.name));
    job.devices = DevicesBetween(devices, job.job.begin_ms, job.end_ms);
    for (int64_t rank = 0; rank < Integer(record, "world_size"); ++rank) {
      job.job.ranks.push_back({.rank = rank, .host = "h200-node-0", .gpu = std::to_string(rank)});
    }
    job.truth = TruthOf(record);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<RecordedJob> LoadWorkloads() {
  const std::string folder("workloads");
  const StepsOfJobs steps = LoadSteps(folder);
  const std::string samples = ReadGzip(folder + "/telemetry.jsonl.gz");
  simdjson::dom::parser parser;
  std::map<std::string, GpuCounters> devices;
  std::map<std::string, RankPlace> places;
  for (const std::string_view line : Lines(samples)) {
    const simdjson::padded_string padded(line);
    object record;
    LOCKSTEP_CHECK(parser.parse(padded).get(record) == simdjson::SUCCESS);
    const std::string job = Text(record, "job");
    AddSample(record, devices[job]);
    places[job] = {.host = Text(record, "Hostname"), .gpu = "0", .gpu_uuid = Text(record, "UUID")};
  }
  const simdjson::padded_string text(ReadGzip(folder + "/truth.json.gz"));
  simdjson::dom::array records;
  LOCKSTEP_CHECK(parser.parse(text)["jobs"].get(records) == simdjson::SUCCESS);
  std::vector<RecordedJob> jobs;
  for (const element item : records) {
    const object record = item.get_object();
    RecordedJob job;
    job.job.name = Text(record, "job");
    job.condition = Text(record, "condition");
    job.job.begin_ms = Integer(record, "begin_ms");
    job.end_ms = Integer(record, "end_ms");
    job.is_training = Text(record, "kind") == "train";
    if (steps.contains(job.job.name)) job.steps = AlignSteps(steps.at(job.job.name));
    for (int64_t rank = 0; rank < Integer(record, "world_size"); ++rank) {
      job.job.ranks.push_back(places.at(job.job.name));
      job.job.ranks.back().rank = rank;
      job.devices.push_back(devices.at(job.job.name));
    }
    job.truth = TruthOf(record);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

RecordedJob Thinned(const RecordedJob& job, int64_t period_ms) {
  RecordedJob thin = job;
  for (GpuCounters& device : thin.devices) {
    for (size_t i = 0; i < kDeviceCounterCount; ++i) {
      const bool is_mean = i <= static_cast<size_t>(DeviceCounter::kNvlinkSentBytesPerS);
      const CounterSeries all = std::move(device.series[i]);
      CounterSeries& kept = device.series[i] = {};
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
      for (size_t i = 0; i < kDeviceCounterCount; ++i) {
        const CounterSeries& from = job.devices[row].series[i];
        CounterSeries& to = longer.devices[row].series[i];
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
