#include "training/stragglers/stragglers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

Job JobOf(size_t ranks) {
  Job job{.name = "made"};
  for (size_t rank = 0; rank < ranks; ++rank) {
    job.ranks.push_back({.rank = static_cast<int64_t>(rank)});
  }
  return job;
}

struct MadePhase {
  const char* name;
  double seconds;
};

// Steps of one second with a blocking all-reduce at the end: the phases and the wait for the
// slowest rank. `delay(rank, step, phase)` is added to a phase.
StepTable MadeSteps(size_t ranks, size_t steps, const std::vector<MadePhase>& phases,
                    const std::function<double(size_t, size_t, std::string_view)>& delay) {
  std::mt19937 random(9);
  std::normal_distribution<double> noise(1, 0.004);
  StepTable table;
  table.attempt_first_step = -1000;
  RankMatrix own(ranks, steps, 0.0);
  for (const MadePhase& phase : phases) {
    PhaseColumn column{phase.name, PhaseKindOf(phase.name), RankMatrix(ranks, steps)};
    for (size_t row = 0; row < ranks; ++row) {
      for (size_t n = 0; n < steps; ++n) {
        column.seconds(row, n) = phase.seconds * noise(random) + delay(row, n, phase.name);
        own(row, n) += column.seconds(row, n);
      }
    }
    table.phases.push_back(std::move(column));
  }
  PhaseColumn exchange{"allreduce", PhaseKind::kCommunication, RankMatrix(ranks, steps)};
  table.step_seconds = RankMatrix(ranks, steps);
  int64_t now_ms = 1'000'000;
  for (size_t n = 0; n < steps; ++n) {
    const std::vector<double> column = own.Column(n);
    const double longest = *std::max_element(column.begin(), column.end());
    for (size_t row = 0; row < ranks; ++row) {
      exchange.seconds(row, n) = 0.02 + longest - own(row, n);
      table.step_seconds(row, n) = longest + 0.02;
    }
    now_ms += std::llround(1000 * (longest + 0.02));
    table.step.push_back(static_cast<int64_t>(n));
    table.end_ms.push_back(now_ms);
  }
  table.phases.push_back(std::move(exchange));
  return table;
}

const std::vector<MadePhase> kPhases = {
    {"data", 0.01}, {"h2d", 0.01}, {"forward", 0.3}, {"backward", 0.6}, {"optimizer", 0.05}};

std::string Words(const StragglerAnswer& answer) {
  std::string text = std::string(Name(answer.method)) + " " + std::string(Name(answer.verdict));
  for (const SlowRankFinding& finding : answer.ranks) {
    text += " " + std::to_string(finding.row) + " " + std::string(Name(finding.cause));
  }
  return text;
}

TEST(Stragglers, TheCauseIsThePhaseThatGrew) {
  for (const auto& [phase, cause] :
       {std::pair("data", "loader"), std::pair("h2d", "h2d"), std::pair("forward", "gpu"),
        std::pair("backward", "gpu"), std::pair("optimizer", "gpu")}) {
    const StepTable table = MadeSteps(4, 100, kPhases, [phase](size_t row, size_t n, auto name) {
      return row == 2 && n >= 50 && name == phase ? 0.06 : 0.0;
    });
    const StragglerAnswer answer = FindStragglers({JobOf(4), table, {}});
    EXPECT_EQ(Words(answer), std::string("phase_times slow_rank 2 ") + cause);
    EXPECT_EQ(answer.ranks.front().episodes.front().first_step, 50);
    EXPECT_NEAR(answer.lost_seconds, 50 * 0.06, 0.4);
    EXPECT_NEAR(answer.what_if.step_seconds_without, answer.what_if.step_seconds_before, 0.005);
  }
}

TEST(Stragglers, ARankThatIsLateFromItsFirstStepOnHasACause) {
  for (const auto& [phase, cause] :
       {std::pair("data", "loader"), std::pair("h2d", "h2d"), std::pair("forward", "gpu")}) {
    StepTable table = MadeSteps(4, 300, kPhases, [phase](size_t row, size_t, auto name) {
      return row == 2 && name == phase ? 0.3 : 0.0;
    });
    table.attempt_first_step = 0;
    EXPECT_EQ(Words(FindStragglers({JobOf(4), table, {}})),
              std::string("phase_times slow_rank 2 ") + cause);
  }
}

TEST(Stragglers, AllRanksOfAHostAreTheHost) {
  Job job = JobOf(8);
  for (size_t row = 0; row < 8; ++row) job.ranks[row].host = "node-" + std::to_string(row / 2);
  const auto causes = [&job](size_t late_rows) {
    const StepTable table = MadeSteps(8, 100, kPhases, [&](size_t row, size_t n, auto name) {
      return row >= 4 && row < 4 + late_rows && n >= 50 && name == "forward" ? 0.1 : 0.0;
    });
    std::set<std::pair<size_t, std::string_view>> found;
    for (const SlowRankFinding& finding : FindStragglers({job, table, {}}).ranks) {
      found.emplace(finding.row, Name(finding.cause));
    }
    return found;
  };
  using Causes = std::set<std::pair<size_t, std::string_view>>;
  EXPECT_EQ(causes(1), (Causes{{4, "gpu"}}));
  EXPECT_EQ(causes(2), (Causes{{4, "node"}, {5, "node"}}));
  EXPECT_EQ(causes(3), (Causes{{4, "node"}, {5, "node"}, {6, "gpu"}}));
}

TEST(Stragglers, HostStallsAreSeenBelowTheSpreadOfChips) {
  // A chip that is 1 % faster than its peers waits for 2 % of each step.
  const StepTable table = MadeSteps(4, 100, kPhases, [](size_t row, size_t, auto name) {
    if (row != 1) return 0.0;
    return name == "data" ? 0.02 : name == "forward" ? -0.008 : 0.0;
  });
  EXPECT_EQ(Words(FindStragglers({JobOf(4), table, {}})), "phase_times slow_rank 1 loader");
}

TEST(Stragglers, ABackwardPassThatHoldsTheWaitIsNoWork) {
  // Gradients are reduced while the backward pass runs: all ranks end it together.
  StepTable table = MadeSteps(4, 100, kPhases, [](size_t row, size_t n, auto name) {
    return row == 3 && n >= 50 && name == "forward" ? 0.1 : 0.0;
  });
  RankMatrix& backward = table.phases[3].seconds;
  const RankMatrix exchange = table.phases.back().seconds;
  for (size_t row = 0; row < 4; ++row) {
    for (size_t n = 0; n < 100; ++n) backward(row, n) += exchange(row, n);
  }
  table.phases.pop_back();
  EXPECT_EQ(Words(FindStragglers({JobOf(4), table, {}})), "phase_times slow_rank 3 gpu");
}

TEST(Stragglers, OtherVerdicts) {
  struct Case {
    const char* words;
    size_t ranks;
    std::function<double(size_t, size_t, std::string_view)> delay;
  };
  std::mt19937 random(4);
  const Case cases[] = {
      {"phase_times none", 4, [](size_t, size_t, auto) { return 0.0; }},
      {"phase_times job_slow_all", 4,
       [](size_t, size_t n, auto name) { return n >= 60 && name == "forward" ? 0.2 : 0.0; }},
      {"phase_times uneven_work", 8,
       [&random](size_t, size_t, auto name) {
         return name == "forward" ? std::exponential_distribution<double>(8)(random) : 0.0;
       }},
      {"step_time none", 1, [](size_t, size_t, auto) { return 0.0; }},
      {"step_time job_slow_all", 1,
       [](size_t, size_t n, auto name) { return n >= 60 && name == "data" ? 0.03 : 0.0; }},
  };
  for (const Case& c : cases) {
    const StepTable table = MadeSteps(c.ranks, 120, kPhases, c.delay);
    const StragglerAnswer answer = FindStragglers({JobOf(c.ranks), table, {}});
    EXPECT_EQ(Words(answer), c.words);
    if (answer.slow_since.has_value()) {
      EXPECT_NEAR(static_cast<double>(*answer.slow_since->first_step), 60, 2);
      // How far steps became slower, beyond the least that counts.
      if (answer.method == StragglerMethod::kStepTime) {
        EXPECT_NEAR(answer.confidence.margin, 0.03 / kSlowerStepsLong - 1, 0.3);
      }
    }
  }
}

TEST(Stragglers, AHeavierStageIsNoRank) {
  Job job = JobOf(4);
  job.ranks[2].stage = job.ranks[3].stage = 1;
  const StepTable table = MadeSteps(4, 60, kPhases, [](size_t row, size_t, auto name) {
    return row >= 2 && name == "forward" ? 0.3 : 0.0;
  });
  EXPECT_EQ(Words(FindStragglers({job, table, {}})), "phase_times stage_imbalance");
}

TEST(Stragglers, WithoutDataItSaysWhatIsMissing) {
  const StragglerAnswer nothing = FindStragglers({JobOf(4), StepTable{}, {}});
  EXPECT_EQ(nothing.verdict, StragglerVerdict::kNoData);
  EXPECT_GE(nothing.missing.size(), 5u);
  const StepTable few = MadeSteps(4, 9, kPhases, [](size_t, size_t, auto) { return 0.0; });
  EXPECT_EQ(FindStragglers({JobOf(4), few, {}}).verdict, StragglerVerdict::kNoData);
}

// Four devices sampled every `period_ms` for five minutes, with values from `value(rank, seconds)`.
std::vector<GpuCounters> MadeDevices(int64_t period_ms,
                                     const std::function<void(size_t, double, GpuCounters&)>& put) {
  std::vector<GpuCounters> devices(4);
  for (size_t row = 0; row < devices.size(); ++row) {
    for (int64_t at = period_ms; at <= 300'000; at += period_ms) {
      put(row, static_cast<double>(at) / 1000, devices[row]);
    }
  }
  return devices;
}

void PutSample(GpuCounters& device, Role role, double seconds, double value) {
  device[role].timestamp_ms.push_back(std::llround(seconds * 1000));
  device[role].value.push_back(value);
}

TEST(Stragglers, DeviceCountersTellHostFromDevice) {
  struct Case {
    double engine;
    double sm;
    double pcie;
    const char* words;
  };
  const Case cases[] = {{0.95, 0.85, 3e7, "device_counters slow_rank 1 loader"},
                        {0.95, 0.85, 9e9, "device_counters slow_rank 1 h2d"},
                        {0.99, 0.93, 3e7, "device_counters slow_rank 1 gpu"},
                        {0.985, 0.89, 3e7, "device_counters none"}};
  for (const Case& c : cases) {
    const auto devices = MadeDevices(1000, [&c](size_t row, double seconds, GpuCounters& device) {
      const bool slow = row == 1 && seconds > 100 && seconds <= 200;
      PutSample(device, Role::kGpuGrEngineActiveRatio, seconds, slow ? c.engine : 0.99);
      PutSample(device, Role::kGpuSmActiveRatio, seconds, slow ? c.sm : 0.88);
      PutSample(device, Role::kGpuPcieRxBytesPerSecond, seconds, slow ? c.pcie : 3e7);
    });
    const StragglerAnswer answer = FindStragglers({JobOf(4), StepTable{}, devices});
    EXPECT_EQ(Words(answer), c.words);
    if (answer.ranks.empty()) continue;
    const TimeRange time = answer.ranks.front().episodes.front().time;
    EXPECT_NEAR(static_cast<double>(time.min_ms), 100'000, 1000);
    EXPECT_NEAR(static_cast<double>(time.max_ms), 200'000, 1000);
  }
}

TEST(Stragglers, SparseSamplesThatShowNothingAreSaidToBeSparse) {
  const auto devices = MadeDevices(30'000, [](size_t, double seconds, GpuCounters& device) {
    PutSample(device, Role::kGpuGrEngineActiveRatio, seconds, 0.99);
    PutSample(device, Role::kGpuSmActiveRatio, seconds, 0.88);
  });
  const StragglerAnswer answer = FindStragglers({JobOf(4), StepTable{}, devices});
  EXPECT_EQ(answer.verdict, StragglerVerdict::kUndersampled);
}

TEST(Stragglers, TheReasonOfALateGpuIsWhatItsCountersSay) {
  struct Case {
    Role role;
    double slow;
    double other;
    GpuReason reason;
  };
  const Case cases[] = {
      {Role::kGpuThrottleReasons, 0x24, 0x4, GpuReason::kThrottled},
      {Role::kGpuThrottleReasons, 0x84, 0x4, GpuReason::kPowerCapped},
      {Role::kGpuPowerLimitWatts, 500, 700, GpuReason::kPowerCapped},
      {Role::kGpuMemoryTemperatureCelsius, 99, 70, GpuReason::kMemoryTemperature},
      {Role::kGpuTensorActiveRatio, 0.6, 0.5, GpuReason::kMoreWork},
      {Role::kGpuRowRemapFailure, 1, 0, GpuReason::kUnhealthy},
      {Role::kGpuSmClockHertz, 1.3e9, 1.7e9, GpuReason::kClocks},
  };
  const StepTable table = MadeSteps(4, 200, kPhases, [](size_t row, size_t n, auto name) {
    return row == 1 && n >= 50 && name == "forward" ? 0.1 : 0.0;
  });
  for (const Case& c : cases) {
    std::vector<GpuCounters> devices(4);
    for (size_t row = 0; row < 4; ++row) {
      const bool has_low_power = c.reason == GpuReason::kClocks && row == 1;
      for (double at = 1000; at < 1250; at += 1) {
        PutSample(devices[row], c.role, at, row == 1 ? c.slow : c.other);
        PutSample(devices[row], Role::kGpuPowerWatts, at, has_low_power ? 500 : 690);
      }
    }
    const StragglerAnswer answer = FindStragglers({JobOf(4), table, devices});
    ASSERT_EQ(answer.ranks.size(), 1u);
    EXPECT_EQ(Name(answer.ranks.front().gpu_reason), Name(c.reason))
        << catalogue::InfoOf(c.role).name;
  }
}

}  // namespace
}  // namespace lockstep::training
