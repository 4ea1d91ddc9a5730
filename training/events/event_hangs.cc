// Steps that do not end or took far too long, and the responsible ranks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/bottlenecks/long_steps.h"
#include "training/events/event_finders.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr double kShortestHangSeconds = 2.0;

// While a rank hangs, the others spin in a collective: the engine is busy, the SMs are nearly idle,
// and no data is exchanged.
constexpr double kSpinningEngine = 0.9;
constexpr double kSpinningSm = 0.3;
constexpr double kQuietLinkBytesPerS = 1e9;
constexpr size_t kFewestIdleSamples = 2;

// The rows that the others waited for during most of the excess step time: those that waited least.
std::vector<size_t> LateRows(const StepTable& table, const LongStep& step) {
  const size_t n = step.column;
  RankMatrix waits = SumOfPhases(table, {PhaseKind::kWait});
  if (waits.empty()) waits = SumOfPhases(table, {PhaseKind::kCommunication});
  if (waits.empty()) return {};
  double longest = 0;
  for (const double wait : waits.Column(n))
    longest = std::max(longest, std::isnan(wait) ? 0 : wait);
  if (!(longest >= (step.seconds - step.usual_seconds) / 2)) return {};
  std::vector<size_t> late;
  for (size_t row = 0; row < waits.rows(); ++row) {
    if (waits(row, n) < longest / 2) late.push_back(row);
  }
  return late;
}

double SampleNear(const CounterSeries& series, int64_t time_ms, int64_t within_ms) {
  const auto at =
      std::lower_bound(series.timestamp_ms.begin(), series.timestamp_ms.end(), time_ms - within_ms);
  if (at == series.timestamp_ms.end() || *at > time_ms + within_ms) return kUnknown;
  return series.value[static_cast<size_t>(at - series.timestamp_ms.begin())];
}

bool Spins(const GpuCounters& device, int64_t time_ms, int64_t within_ms) {
  const double engine = SampleNear(device[Role::kGpuGrEngineActiveRatio], time_ms, within_ms);
  const double sm = SampleNear(device[Role::kGpuSmActiveRatio], time_ms, within_ms);
  const double link = SampleNear(device[Role::kGpuNvlinkRxBytesPerSecond], time_ms, within_ms);
  return engine > kSpinningEngine && sm < kSpinningSm && !(link >= kQuietLinkBytesPerS);
}

// Whether all devices except `row`'s spin.
bool OthersSpin(std::span<const GpuCounters> devices, size_t row, int64_t time_ms,
                int64_t within_ms) {
  for (size_t other = 0; other < devices.size(); ++other) {
    if (other != row && !Spins(devices[other], time_ms, within_ms)) return false;
  }
  return devices.size() > 1;
}

void FindIdlePhases(const EventInput& input, size_t row, std::vector<Event>& events) {
  const CounterSeries& engine = input.devices[row][Role::kGpuGrEngineActiveRatio];
  const int64_t within_ms = SamplePeriodMs(engine) / 2 + 1;
  size_t running = 0;
  for (size_t i = 0; i < engine.value.size(); ++i) {
    const bool hangs = engine.value[i] < kIdleEngineRatio &&
                       OthersSpin(input.devices, row, engine.timestamp_ms[i], within_ms);
    running = hangs ? running + 1 : 0;
    if (running > kFewestIdleSamples) events.back().time.max_ms = engine.timestamp_ms[i];
    if (running != kFewestIdleSamples) continue;
    const size_t first = i + 1 - kFewestIdleSamples;
    Event event{.kind = EventKind::kHang,
                .time = {first > 0 ? engine.timestamp_ms[first - 1] : engine.timestamp_ms[first],
                         engine.timestamp_ms[i]},
                .rows = {row},
                .words = "its device is idle while all others spin in a collective"};
    event.evidence.push_back({.signal = "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
                              .value = engine.value[i],
                              .reference = kIdleEngineRatio,
                              .unit = "ratio",
                              .words = "on the rank that hangs"});
    events.push_back(std::move(event));
  }
}

EventKind KindOf(const LongStep& step) {
  switch (step.reason) {
    case LongStepReason::kCheckpoint:
      return EventKind::kCheckpoint;
    case LongStepReason::kEvaluation:
      return EventKind::kEvaluation;
    case LongStepReason::kInput:
      return EventKind::kInputStall;
    case LongStepReason::kOtherPhase:
    case LongStepReason::kRecurring:
    case LongStepReason::kStartUp:
      return EventKind::kPause;
    case LongStepReason::kUnexplained:
      break;
  }
  return step.is_hang ? EventKind::kHang : EventKind::kStall;
}

std::string WordsOf(const LongStep& step, bool has_late) {
  if (!step.phase.empty()) return absl::StrFormat("the trainer logs it as %s", step.phase);
  switch (step.reason) {
    case LongStepReason::kCheckpoint:
      return "the device idles and sends its memory to the host";
    case LongStepReason::kEvaluation:
      return "the device works throughout: an evaluation, or another long computation";
    case LongStepReason::kInput:
      return "the device idles and receives data from the host";
    case LongStepReason::kRecurring:
      return "pauses of this length recur at regular intervals";
    default:
      break;
  }
  if (!step.is_hang) {
    return "unknown: no rank kept the others waiting, no device worked, and then the job went on; "
           "a hang that ended looks the same as a wait that is not logged (input, a checkpoint, "
           "the host)";
  }
  return has_late ? "these ranks waited least; the others waited for them"
                  : "the work itself stopped";
}

}  // namespace

void FindLongStepEvents(const EventInput& input, std::vector<Event>& events) {
  const StepTable& table = input.steps;
  for (const LongStep& step : FindLongSteps(table, input.devices)) {
    if (step.reason == LongStepReason::kStartUp) continue;
    std::vector<size_t> late;
    if (step.is_hang) late = LateRows(table, step);
    const bool has_late = !late.empty();
    Event event{.kind = KindOf(step),
                .time = step.time,
                .step = table.step[step.column],
                .rows = std::move(late),
                .words = WordsOf(step, has_late)};
    event.evidence.push_back({.signal = "step_seconds",
                              .value = step.seconds,
                              .reference = step.usual_seconds,
                              .unit = "seconds",
                              .words = "for this step, against the median of similar steps"});
    events.push_back(std::move(event));
  }
}

void FindHangsInDevices(const EventInput& input, std::vector<Event>& events) {
  for (size_t row = 0; row < input.devices.size(); ++row) FindIdlePhases(input, row, events);
}

void FindStall(const EventInput& input, std::vector<Event>& events) {
  const StepTable& table = input.steps;
  if (!input.now_ms.has_value() || table.end_ms.empty()) return;
  const double usual = Median(JobStepSeconds(table));
  const double since = static_cast<double>(*input.now_ms - table.end_ms.back()) / 1000.0;
  if (!(since > kHangFactor * usual && since > kShortestHangSeconds)) return;
  Event event{.kind = EventKind::kStall,
              .time = {table.end_ms.back(), *input.now_ms},
              .step = table.step.back(),
              .words = "no step has ended since this one"};
  event.evidence.push_back({.signal = "seconds_since_last_step",
                            .value = since,
                            .reference = kHangFactor * usual,
                            .unit = "seconds",
                            .words = "against ten times the median step time"});
  events.push_back(std::move(event));
}

}  // namespace lockstep::training
