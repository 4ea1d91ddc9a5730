#include "import/traces/kineto_records.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::traces {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
// 1971 in nanoseconds: a trace without a base time counts from 1970, or from the machine's start.
constexpr int64_t kFirstTimeNs = 31'536'000'000'000'000;

std::optional<int64_t> TimeMs(const KinetoHeader& header, int64_t time_ns) {
  if (header.base_time_ns.has_value()) return *header.base_time_ns / kNsPerMs + time_ns / kNsPerMs;
  if (time_ns >= kFirstTimeNs) return time_ns / kNsPerMs;
  return std::nullopt;
}

// Adds records that share rank, step, time and labels.
class StepRecords {
 public:
  StepRecords(const KinetoTrace& trace, std::optional<int64_t> step, Interval window,
              std::vector<TraceRecord>& records)
      : records_(records) {
    common_.rank = trace.header.rank;
    common_.step = step;
    common_.time_ms = TimeMs(trace.header, window.end_ns);
  }

  void AddCommonLabel(std::string_view name, std::string value) {
    common_.labels.push_back({std::string(name), std::move(value)});
  }
  void Add(std::string_view metric, std::string_view unit, double value,
           std::vector<TraceLabel> labels = {}) {
    TraceRecord record = common_;
    record.metric = metric;
    record.unit = unit;
    record.value = value;
    record.labels.insert(record.labels.end(), labels.begin(), labels.end());
    records_.push_back(std::move(record));
  }
  void AddCount(std::string_view metric, uint64_t count, std::vector<TraceLabel> labels = {}) {
    Add(metric, "count", static_cast<double>(count), std::move(labels));
  }
  void AddSeconds(std::string_view metric, double seconds, std::vector<TraceLabel> labels = {}) {
    Add(metric, "s", seconds, std::move(labels));
  }

 private:
  TraceRecord common_;
  std::vector<TraceRecord>& records_;
};

void AddPhases(const std::vector<PhaseTime>& phases, std::string_view side, StepRecords& out) {
  for (const PhaseTime& phase : phases) {
    if (phase.phase == "data" && side == "host") {
      out.AddSeconds("train_data_seconds", phase.seconds);
    } else {
      out.AddSeconds("train_phase_seconds", phase.seconds,
                     {{"phase", std::string(phase.phase)}, {"side", std::string(side)}});
    }
  }
}

void AddHostStep(const HostStep& step, StepRecords& out) {
  if (step.step.has_value()) {
    out.AddSeconds("train_step_time_seconds", SecondsOf(step.window.length_ns()));
  }
  AddPhases(step.phases, "host", out);
  if (step.loads.count > 0) {
    out.AddSeconds("train_data_longest_seconds", step.loads.longest_seconds);
    out.AddSeconds("train_data_slow_seconds", step.loads.slow_seconds);
    out.AddCount("train_data_slow_loads", step.loads.slow);
  }
  out.AddSeconds("train_launch_seconds", step.launch_seconds);
  out.AddCount("train_launches", step.launches);
}

std::vector<TraceLabel> LabelsOf(const CollectiveKind& kind) {
  std::vector<TraceLabel> labels = {{"collective", std::string(kind.name)}};
  if (!kind.group.empty()) labels.push_back({"group", kind.group});
  return labels;
}

void AddCollectives(const KinetoTrace& trace, const DeviceStep& step, StepRecords& out) {
  for (const CollectiveTime& time : step.collectives) {
    const std::vector<TraceLabel> labels = LabelsOf(trace.collective_kinds[time.kind]);
    out.AddSeconds("train_collective_seconds", time.seconds, labels);
    out.AddSeconds("train_collective_shortest_seconds", time.shortest_seconds, labels);
    out.AddCount("train_collectives", time.count, labels);
    if (time.bytes > 0) out.Add("train_collective_bytes", "bytes", time.bytes, labels);
  }
}

void AddCollectiveOverlaps(const KinetoTrace& trace, const DeviceStep& step, StepRecords& out) {
  for (const CollectiveTime& time : step.collectives) {
    const auto add = [&](std::string_view with, double seconds) {
      std::vector<TraceLabel> labels = LabelsOf(trace.collective_kinds[time.kind]);
      labels.push_back({"with", std::string(with)});
      out.AddSeconds("train_collective_overlap_seconds", seconds, std::move(labels));
    };
    add("compute", time.under_compute_seconds);
    add("communication", time.under_collectives_seconds);
  }
}

void AddCopyCalls(const DeviceStep& step, StepRecords& out) {
  for (const CopyTime& time : step.copies) {
    std::vector<TraceLabel> labels = {{"direction", std::string(time.kind.direction)},
                                      {"call", std::string(time.call)}};
    if (!time.kind.memory.empty()) labels.push_back({"memory", std::string(time.kind.memory)});
    out.AddSeconds("train_copy_call_seconds", time.seconds, labels);
    out.AddCount("train_copy_calls", time.count, labels);
    if (time.bytes > 0) out.Add("train_copy_bytes", "bytes", time.bytes, labels);
  }
}

void AddKernels(const KinetoTrace& trace, const DeviceStep& step, StepRecords& out) {
  for (const KernelTime& time : step.kernels) {
    const std::vector<TraceLabel> labels = {{"kernel", trace.kernel_names[time.kernel]},
                                            {"class", std::string(NameOf(time.kernel_class))}};
    out.AddSeconds("train_top_kernel_seconds", time.seconds, labels);
    out.AddCount("train_top_kernels", time.count, labels);
  }
}

void AddIdleTime(const DeviceStep& step, StepRecords& out) {
  out.AddSeconds("train_gpu_idle_seconds", step.idle_seconds);
  out.AddSeconds("train_gpu_idle_longest_seconds", step.longest_idle_seconds);
  out.AddSeconds("train_gpu_idle_unlaunched_seconds", step.unlaunched_seconds);
  out.AddCount("train_gpu_idle_gaps", step.gaps);
  for (size_t i = 0; i < kLongGapsNs.size(); ++i) {
    const std::string at_least = absl::StrFormat("%g", SecondsOf(kLongGapsNs[i]));
    out.AddCount("train_gpu_long_gaps", step.long_gaps[i].count, {{"at_least", at_least}});
    out.AddSeconds("train_gpu_long_gap_seconds", step.long_gaps[i].seconds,
                   {{"at_least", at_least}});
  }
  for (const PhaseTime& time : step.idle_host) {
    out.AddSeconds("train_gpu_idle_host_seconds", time.seconds,
                   {{"host", std::string(time.phase)}});
  }
}

void AddDeviceLabel(const KinetoTrace& trace, uint16_t device, StepRecords& out) {
  if (trace.devices.size() < 2) return;
  out.AddCommonLabel("device", std::to_string(trace.devices[device]));
}

void AddDeviceStep(const KinetoTrace& trace, const DeviceStep& step, StepRecords& out) {
  AddDeviceLabel(trace, step.device, out);
  out.AddSeconds("train_gpu_window_seconds", SecondsOf(step.window.length_ns()));
  out.AddSeconds("train_gpu_busy_seconds", step.busy_seconds);
  out.Add("train_gpu_busy_ratio", "ratio", step.busy_seconds / SecondsOf(step.window.length_ns()));
  AddIdleTime(step, out);
  const double hidden_seconds = step.communication_seconds - step.exposed_communication_seconds;
  out.AddSeconds("train_compute_seconds", step.compute_seconds);
  out.AddSeconds("train_compute_only_seconds", step.compute_seconds - hidden_seconds);
  out.AddSeconds("train_comm_hidden_seconds", hidden_seconds);
  out.AddSeconds("train_comm_seconds", step.communication_seconds);
  out.AddSeconds("train_comm_exposed_seconds", step.exposed_communication_seconds);
  out.AddSeconds("train_copy_seconds", step.copy_seconds);
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    const ClassTime& time = step.classes[i];
    if (time.count == 0 && time.seconds == 0) continue;
    const std::string name(NameOf(static_cast<KernelClass>(i)));
    out.AddSeconds("train_kernel_seconds", time.seconds, {{"class", name}});
    out.AddCount("train_kernels", time.count, {{"class", name}});
  }
  AddKernels(trace, step, out);
  AddCollectives(trace, step, out);
  AddCollectiveOverlaps(trace, step, out);
  AddCopyCalls(step, out);
  AddPhases(step.phases, "device", out);
}

// Records with individual times, and without a step.
void AddOverview(const KinetoTrace& trace, const DeviceOverview& overview,
                 std::vector<TraceRecord>& records) {
  for (const UtilizationBin& bin : overview.utilization) {
    StepRecords out(trace, std::nullopt, bin.time, records);
    AddDeviceLabel(trace, overview.device, out);
    out.Add("train_gpu_utilization_ratio", "ratio", bin.busy_ratio);
  }
  for (const IdleGap& gap : overview.gaps) {
    StepRecords out(trace, std::nullopt, gap.time, records);
    AddDeviceLabel(trace, overview.device, out);
    out.AddSeconds("train_gpu_gap_length_seconds", SecondsOf(gap.time.length_ns()),
                   {{"host", std::string(gap.host)}, {"before", std::string(NameOf(gap.next))}});
  }
}

}  // namespace

void AppendRecords(const KinetoTrace& trace, const TraceProfile& profile,
                   std::vector<TraceRecord>& records) {
  for (const HostStep& step : profile.host_steps) {
    StepRecords out(trace, step.step, step.window, records);
    AddHostStep(step, out);
  }
  for (const DeviceStep& step : profile.device_steps) {
    StepRecords out(trace, step.step, step.window, records);
    AddDeviceStep(trace, step, out);
  }
  for (const DeviceOverview& overview : profile.devices) AddOverview(trace, overview, records);
}

}  // namespace lockstep::traces
