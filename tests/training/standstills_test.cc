// Recorded jobs with an added standstill, as from a stalled loader, an unlogged checkpoint or a
// hanging rank. Causes that cannot be told apart are reported as unknown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/training/recording.h"
#include "training/bottlenecks/bottlenecks.h"
#include "training/events/events.h"
#include "training/job_verdict.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {
namespace {

RecordedJob RecordedAs(std::vector<RecordedJob> jobs, std::string_view what) {
  for (RecordedJob& job : jobs) {
    if (job.condition == what || job.job.name == what) return std::move(job);
  }
  ADD_FAILURE() << "no job " << what;
  return {};
}

// The counters of an idle H200, recorded while a job stood still.
double AtRest(Role role, double before) {
  switch (role) {
    case Role::kGpuGrEngineActiveRatio:
      return 6.3e-5;
    case Role::kGpuPowerWatts:
      return 124;
    case Role::kGpuPcieTxBytesPerSecond:
      return 4e5;
    case Role::kGpuPcieRxBytesPerSecond:
      return 1.4e5;
    case Role::kGpuSmActiveRatio:
    case Role::kGpuSmOccupancyRatio:
    case Role::kGpuTensorActiveRatio:
    case Role::kGpuDramActiveRatio:
    case Role::kGpuFp64ActiveRatio:
    case Role::kGpuFp32ActiveRatio:
    case Role::kGpuFp16ActiveRatio:
    case Role::kGpuNvlinkRxBytesPerSecond:
    case Role::kGpuNvlinkTxBytesPerSecond:
      return 0;
    default:
      return before;
  }
}

void Rest(int64_t from_ms, int64_t length_ms, Role role, CounterSeries& series) {
  CounterSeries longer;
  bool has_rested = false;
  for (size_t i = 0; i < series.value.size(); ++i) {
    const bool is_after = series.timestamp_ms[i] >= from_ms;
    for (int64_t at_ms = 1000; is_after && !has_rested && at_ms <= length_ms; at_ms += 1000) {
      longer.timestamp_ms.push_back(from_ms + at_ms);
      longer.value.push_back(AtRest(role, series.value[i]));
    }
    has_rested = has_rested || is_after;
    longer.timestamp_ms.push_back(series.timestamp_ms[i] + (is_after ? length_ms : 0));
    longer.value.push_back(series.value[i]);
  }
  series = std::move(longer);
}

enum class Where { kInStep, kBetweenSteps };

// Makes all devices idle for some seconds in step `column` or before it.
RecordedJob StandingStill(RecordedJob job, size_t column, double seconds, Where where) {
  const int64_t length_ms = std::llround(1000 * seconds);
  const int64_t from_ms = job.steps.end_ms[column - 1];
  for (size_t n = column; n < job.steps.size(); ++n) job.steps.end_ms[n] += length_ms;
  for (size_t row = 0; row < job.steps.step_seconds.rows() && where == Where::kInStep; ++row) {
    job.steps.step_seconds(row, column) += seconds;
  }
  for (GpuCounters& device : job.devices) {
    for (const Role role : kDeviceRoles) Rest(from_ms, length_ms, role, device[role]);
  }
  job.end_ms += length_ms;
  return job;
}

void AddToPhase(PhaseKind kind, size_t column, double seconds, RecordedJob& job) {
  for (PhaseColumn& phase : job.steps.phases) {
    if (phase.kind != kind) continue;
    for (size_t row = 0; row < phase.seconds.rows(); ++row) phase.seconds(row, column) += seconds;
    return;
  }
  ADD_FAILURE() << "no such phase";
}

std::vector<Event> FoundIn(const RecordedJob& job) {
  return FindEvents({job.job, job.steps, job.devices, {}});
}

// The events that are standstills: "stall 60 "...
std::string Standstills(const RecordedJob& job) {
  std::string words;
  for (const Event& event : FoundIn(job)) {
    switch (event.kind) {
      case EventKind::kHang:
      case EventKind::kStall:
      case EventKind::kCheckpoint:
      case EventKind::kEvaluation:
      case EventKind::kInputStall:
      case EventKind::kPause:
      case EventKind::kSawToothPower:
        words +=
            std::string(Name(event.kind)) + " " + std::to_string(event.step.value_or(-1)) + " ";
        for (const size_t row : event.rows) words += "[" + std::to_string(row) + "] ";
        break;
      default:
        break;
    }
  }
  return words;
}

std::string_view VerdictAfter(const RecordedJob& job) {
  const StragglerAnswer stragglers = FindStragglers({job.job, job.steps, job.devices});
  const BottleneckAnswer bottlenecks = FindBottlenecks({job.job, job.steps, job.devices});
  return Name(VerdictOf({.job = job.job,
                         .steps = job.steps,
                         .state = JobState::kEnded,
                         .stragglers = &stragglers,
                         .bottlenecks = &bottlenecks,
                         .events = FoundIn(job)})
                  .verdict);
}

TEST(Standstills, OneThatNobodyLogsIsOfUnknownCause) {
  const RecordedJob job = RecordedAs(LoadWorkloads(), "dense-bf16");
  for (const double seconds : {8.0, 14.0, 20.0}) {
    for (const Where where : {Where::kInStep, Where::kBetweenSteps}) {
      const RecordedJob stood = StandingStill(job, 60, seconds, where);
      EXPECT_EQ(Standstills(stood), "stall 60 ") << seconds;
      for (const Event& event : FoundIn(stood)) {
        if (event.kind != EventKind::kStall) continue;
        EXPECT_EQ(event.words.substr(0, 8), "unknown:");
        EXPECT_NEAR(static_cast<double>(event.time.max_ms - event.time.min_ms) / 1000, seconds,
                    0.5);
      }
      EXPECT_EQ(VerdictAfter(stood), "healthy") << seconds;
    }
  }
}

TEST(Standstills, ThePhaseThatStoodStillTells) {
  const RecordedJob job = RecordedAs(LoadWorkloads(), "checkpoints");
  RecordedJob stood = StandingStill(job, 90, 12, Where::kInStep);
  AddToPhase(PhaseKind::kForward, 90, 12, stood);
  EXPECT_NE(Standstills(stood).find("hang 90 "), std::string::npos) << Standstills(stood);
  stood = StandingStill(job, 90, 12, Where::kInStep);
  AddToPhase(PhaseKind::kData, 90, 12, stood);
  EXPECT_NE(Standstills(stood).find("input_stall 90 "), std::string::npos) << Standstills(stood);
  stood = StandingStill(job, 90, 12, Where::kInStep);
  EXPECT_NE(Standstills(stood).find("stall 90 "), std::string::npos) << Standstills(stood);
}

TEST(Standstills, WhereAllDevicesRestNobodyIsBlamed) {
  const RecordedJob job = RecordedAs(LoadRecording("h200"), "pretrain-bf16");
  ASSERT_EQ(job.devices.size(), 4u);
  EXPECT_EQ(Standstills(job), "");
  for (const Where where : {Where::kInStep, Where::kBetweenSteps}) {
    EXPECT_EQ(Standstills(StandingStill(job, 100, 12, where)), "stall 100 ");
  }
}

TEST(Standstills, ARankThatTheOthersWaitForHangs) {
  RecordedJob job =
      StandingStill(RecordedAs(LoadRecording("h200"), "pretrain-bf16"), 100, 12, Where::kInStep);
  AddToPhase(PhaseKind::kCommunication, 100, 12, job);
  for (PhaseColumn& phase : job.steps.phases) {
    if (phase.kind == PhaseKind::kCommunication) phase.seconds(2, 100) -= 12;
  }
  EXPECT_EQ(Standstills(job), "hang 100 [2] ");
}

// Has a checkpoint every 18 s, for so long that power swings often.
TEST(Standstills, PowerThatFallsInCheckpointsIsNoSawTooth) {
  const RecordedJob recorded = RecordedAs(LoadWorkloads(), "checkpoints");
  RecordedJob job = Repeated(recorded, recorded.steps.end_ms[20], 3);
  const auto has_swings = [](const RecordedJob& of) {
    return Standstills(of).find("saw_tooth") != std::string::npos;
  };
  EXPECT_FALSE(has_swings(job));
  // Unlogged checkpoints are recognized by copies to the host.
  job.steps.phases.clear();
  EXPECT_FALSE(has_swings(job));
  EXPECT_NE(Standstills(job).find("checkpoint "), std::string::npos);
  // Without counters of copies, the repetition explains the pauses.
  for (GpuCounters& device : job.devices) device[Role::kGpuPcieTxBytesPerSecond] = {};
  EXPECT_FALSE(has_swings(job));
  EXPECT_NE(Standstills(job).find("pause "), std::string::npos);
  // Without steps nothing explains them.
  job.steps = {};
  EXPECT_TRUE(has_swings(job));
}

}  // namespace
}  // namespace lockstep::training
