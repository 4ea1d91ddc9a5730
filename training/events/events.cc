#include "training/events/events.h"

#include <algorithm>

#include "training/events/event_finders.h"

namespace lockstep::training {
namespace {

// A hang found both by steps and by devices is one event; the one from steps is closer to the
// cause.
void DropRepeatedHangs(std::vector<Event>& events) {
  const auto is_repeated = [&events](const Event& event) {
    if (event.kind != EventKind::kHang || event.step.has_value()) return false;
    return std::any_of(events.begin(), events.end(), [&event](const Event& other) {
      return other.kind == EventKind::kHang && other.step.has_value() &&
             other.time.min_ms <= event.time.max_ms && event.time.min_ms <= other.time.max_ms;
    });
  };
  std::vector<Event> kept;
  for (const Event& event : events) {
    if (!is_repeated(event)) kept.push_back(event);
  }
  events = std::move(kept);
}

}  // namespace

std::string_view Name(EventKind kind) {
  switch (kind) {
    case EventKind::kLossSpike:
      return "loss_spike";
    case EventKind::kGradientSpike:
      return "grad_spike";
    case EventKind::kNan:
      return "nan";
    case EventKind::kHang:
      return "hang";
    case EventKind::kMemoryLeak:
      return "memory_leak";
    case EventKind::kThrottled:
      return "throttled";
    case EventKind::kPowerBraked:
      return "power_braked";
    case EventKind::kEcc:
      return "ecc";
    case EventKind::kRowRemap:
      return "row_remap";
    case EventKind::kXid:
      return "xid";
    case EventKind::kSawToothPower:
      return "saw_tooth_power";
    case EventKind::kCheckpoint:
      return "checkpoint";
    case EventKind::kEvaluation:
      return "evaluation";
    case EventKind::kInputStall:
      return "input_stall";
    case EventKind::kPause:
      return "pause";
    case EventKind::kStall:
      break;
  }
  return "stall";
}

Confidence ConfidenceOfEvents(const EventInput& input) {
  Confidence confidence{.steps = input.steps.size()};
  for (const GpuCounters& device : input.devices) {
    confidence.samples = std::max(confidence.samples, device[Role::kGpuPowerWatts].value.size());
  }
  const auto miss_if = [&confidence](bool is_missing, const char* what) {
    if (is_missing) confidence.missing.emplace_back(what);
  };
  miss_if(input.steps.step_seconds.empty(), "step times: hangs, checkpoints");
  miss_if(input.steps.loss.empty(), "loss: spikes, NaN");
  miss_if(input.steps.memory_allocated_bytes.empty(), "memory allocated by the trainer: leaks");
  miss_if(confidence.samples == 0, "device counters: throttling, errors, power swings");
  return confidence;
}

std::vector<Event> FindEvents(const EventInput& input) {
  std::vector<Event> events;
  FindSpikes(input, events);
  FindNans(input, events);
  FindLongStepEvents(input, events);
  FindHangsInDevices(input, events);
  FindStall(input, events);
  FindLeaks(input, events);
  FindDeviceTroubles(input, events);
  FindSawTooth(input, events);
  DropRepeatedHangs(events);
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time.min_ms < b.time.min_ms; });
  return events;
}

}  // namespace lockstep::training
