#include "training/presets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

std::string Firing(const std::vector<PresetAnswer>& answers) {
  std::string text;
  for (const PresetAnswer& answer : answers) {
    EXPECT_FALSE(Sees(answer.preset).empty());
    if (!answer.fires) continue;
    text += std::string(Name(answer.preset)) + " " + std::to_string(answer.row.value_or(99)) + " ";
  }
  return text;
}

TEST(Presets, TheSpreadOfStepTimesNeedsRanksThatDoNotWait) {
  Job job;
  job.ranks.resize(4);
  StepTable steps = EvenSteps(4, 120, 1.0);
  EXPECT_EQ(Firing(AskPresets(job, steps, {}, {})), "");
  for (double& seconds : steps.step_seconds.Row(2)) seconds = 1.5;
  EXPECT_EQ(Firing(AskPresets(job, steps, {}, {})), "step_time_spread 2 ");
}

TEST(Presets, DevicesAreTakenAsMeans) {
  Job job;
  job.ranks.resize(2);
  std::vector<GpuCounters> devices(2);
  const auto put = [&devices](size_t row, Role role, double even, double odd) {
    for (int64_t at = 1; at <= 60; ++at) {
      devices[row][role].timestamp_ms.push_back(at * 1000);
      devices[row][role].value.push_back(at % 2 == 0 ? even : odd);
    }
  };
  for (size_t row = 0; row < 2; ++row) {
    put(row, Role::kGpuTemperatureCelsius, row == 0 ? 40 : 60, row == 0 ? 40 : 60);
    put(row, Role::kGpuSmActiveRatio, 0.2, row == 0 ? 0.2 : 0.8);
    put(row, Role::kGpuDramActiveRatio, 0.9, 0.9);
    put(row, Role::kGpuTensorActiveRatio, 0.5, 0.5);
    put(row, Role::kGpuSmOccupancyRatio, row == 0 ? 0.1 : 0.3, row == 0 ? 0.1 : 0.3);
  }
  EXPECT_EQ(Firing(AskPresets(job, StepTable{}, devices, {0, 60'000})),
            "cool_gpu 0 sm_active_spread 1 memory_bound_by_dram 0 low_occupancy 0 ");
}

}  // namespace
}  // namespace lockstep::training
