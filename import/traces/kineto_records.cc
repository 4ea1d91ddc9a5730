#include "import/traces/kineto_records.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "import/traces/device_timeline.h"

namespace lockstep::traces {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
// In 1971, in nanoseconds: a trace without a base time has times since 1970, or since the machine started.
constexpr int64_t kFirstTimeNs = 31'536'000'000'000'000;

std::optional<int64_t> TimeMs(const KinetoHeader& header, int64_t time_ns) {
  if (header.base_time_ns.has_value()) return *header.base_time_ns / kNsPerMs + time_ns / kNsPerMs;
  if (time_ns >= kFirstTimeNs) return time_ns / kNsPerMs;
  return std::nullopt;
}

// Puts down records that have rank, step, time and labels in common.
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
  out.AddSeconds("train_launch_seconds", step.launch_seconds);
  out.Add("train_launches", "count", static_cast<double>(step.launches));
}

void AddCollectives(const KinetoTrace& trace, const DeviceStep& step, StepRecords& out) {
  for (const CollectiveTime& time : step.collectives) {
    const CollectiveKind& kind = trace.collective_kinds[time.kind];
    std::vector<TraceLabel> labels = {{"collective", std::string(kind.name)}};
    if (!kind.group.empty()) labels.push_back({"group", kind.group});
    out.AddSeconds("train_collective_seconds", time.seconds, labels);
    out.AddSeconds("train_collective_shortest_seconds", time.shortest_seconds, labels);
    out.Add("train_collectives", "count", static_cast<double>(time.count), labels);
    if (time.bytes > 0) out.Add("train_collective_bytes", "bytes", time.bytes, labels);
  }
}

void AddDeviceStep(const KinetoTrace& trace, const DeviceStep& step, StepRecords& out) {
  if (trace.devices.size() > 1) {
    out.AddCommonLabel("device", std::to_string(trace.devices[step.device]));
  }
  out.AddSeconds("train_gpu_window_seconds", SecondsOf(step.window.length_ns()));
  out.AddSeconds("train_gpu_busy_seconds", step.busy_seconds);
  out.AddSeconds("train_gpu_idle_seconds", step.idle_seconds);
  out.AddSeconds("train_gpu_idle_longest_seconds", step.longest_idle_seconds);
  out.AddSeconds("train_gpu_idle_unlaunched_seconds", step.unlaunched_seconds);
  out.Add("train_gpu_idle_gaps", "count", static_cast<double>(step.gaps));
  out.AddSeconds("train_compute_seconds", step.compute_seconds);
  out.AddSeconds("train_comm_seconds", step.communication_seconds);
  out.AddSeconds("train_comm_exposed_seconds", step.exposed_communication_seconds);
  out.AddSeconds("train_copy_seconds", step.copy_seconds);
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    const ClassTime& time = step.classes[i];
    if (time.count == 0 && time.seconds == 0) continue;
    const std::string name(NameOf(static_cast<KernelClass>(i)));
    out.AddSeconds("train_kernel_seconds", time.seconds, {{"class", name}});
    out.Add("train_kernels", "count", static_cast<double>(time.count), {{"class", name}});
  }
  AddCollectives(trace, step, out);
  AddPhases(step.phases, "device", out);
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
}

}  // namespace lockstep::traces
