#include "training/presets.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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

// Two devices, of which the second holds such values for a minute.
PresetAnswer OfPreset(Preset preset, const std::vector<std::pair<Role, double>>& second) {
  Job job;
  job.ranks.resize(2);
  std::vector<GpuCounters> devices(2);
  for (size_t row = 0; row < 2; ++row) {
    std::vector<std::pair<Role, double>> all = {{Role::kGpuTemperatureCelsius, 60},
                                                {Role::kGpuSmActiveRatio, 0.75},
                                                {Role::kGpuDramActiveRatio, 0.5},
                                                {Role::kGpuTensorActiveRatio, 0.5},
                                                {Role::kGpuSmOccupancyRatio, 0.5}};
    if (row == 1) all.insert(all.end(), second.begin(), second.end());
    for (const auto& [role, value] : all) {
      devices[row][role] = {{0, 30'000, 60'000}, {value, value, value}};
    }
  }
  for (const PresetAnswer& answer : AskPresets(job, StepTable{}, devices, {0, 60'000})) {
    if (answer.preset == preset) return answer;
  }
  return {};
}

TEST(Presets, FireBeyondTheirThresholds) {
  const struct {
    Preset preset;
    std::vector<std::pair<Role, double>> second;
    double value;
    double threshold;
    bool fires;
  } rows[] = {
      {Preset::kCoolGpu, {{Role::kGpuTemperatureCelsius, 48}}, 6, 5, true},
      {Preset::kCoolGpu, {{Role::kGpuTemperatureCelsius, 50}}, 5, 5, false},
      {Preset::kMemoryBoundByDram,
       {{Role::kGpuDramActiveRatio, 0.875}, {Role::kGpuSmActiveRatio, 0.25}},
       0.875,
       0.8,
       true},
      {Preset::kMemoryBoundByDram,
       {{Role::kGpuDramActiveRatio, 0.75}, {Role::kGpuSmActiveRatio, 0.25}},
       0.75,
       0.8,
       false},
      {Preset::kMemoryBoundByDram,
       {{Role::kGpuDramActiveRatio, 0.875}, {Role::kGpuSmActiveRatio, 0.5}},
       0.875,
       0.8,
       false},
      {Preset::kLowTensor, {{Role::kGpuTensorActiveRatio, 0.0625}}, 0.0625, 0.1, true},
      {Preset::kLowTensor, {{Role::kGpuTensorActiveRatio, 0.125}}, 0.125, 0.1, false},
      {Preset::kLowOccupancy, {{Role::kGpuSmOccupancyRatio, 0.1875}}, 0.1875, 0.2, true},
      {Preset::kLowOccupancy, {{Role::kGpuSmOccupancyRatio, 0.25}}, 0.25, 0.2, false},
  };
  for (const auto& row : rows) {
    const PresetAnswer answer = OfPreset(row.preset, row.second);
    EXPECT_EQ(answer.value, row.value) << Name(row.preset);
    EXPECT_EQ(answer.threshold, row.threshold) << Name(row.preset);
    EXPECT_EQ(answer.fires, row.fires) << Name(row.preset) << " " << row.value;
    EXPECT_EQ(answer.row, row.fires ? std::optional<size_t>(1) : std::nullopt) << Name(row.preset);
  }
}

TEST(Presets, TheSpreadOfStepTimesIsThatOfTheLastHundred) {
  Job job;
  job.ranks.resize(2);
  StepTable steps = EvenSteps(2, 101, 1.0);
  steps.step_seconds(1, 0) = 1000;
  EXPECT_EQ(AskPresets(job, steps, {}, {}).at(0).value, 0);
  for (double& seconds : steps.step_seconds.Row(1)) seconds = 1.5;
  // The mean is 1.25, and each is 0.25 away from it.
  PresetAnswer answer = AskPresets(job, steps, {}, {}).at(0);
  EXPECT_DOUBLE_EQ(answer.value, 0.2);
  EXPECT_EQ(answer.threshold, 0.1);
  EXPECT_EQ(answer.row, 1u);
  for (double& seconds : steps.step_seconds.Row(1)) seconds = 1.125;
  answer = AskPresets(job, steps, {}, {}).at(0);
  EXPECT_FALSE(answer.fires);
  EXPECT_EQ(answer.row, std::nullopt);
}

TEST(Presets, OneDevicesChangesAreMeasuredInTheTime) {
  Job job;
  job.ranks.resize(2);
  std::vector<GpuCounters> devices(2);
  devices[0][Role::kGpuSmActiveRatio] = {{10, 20, 30, 40}, {0, 0.5, 0.5, 1}};
  devices[1][Role::kGpuSmActiveRatio] = {{10, 20, 30, 40}, {0.5, 0.25, 0.75, kUnknown}};
  const auto of = [&](const TimeRange& time) {
    return AskPresets(job, StepTable{}, devices, time).at(1);
  };
  EXPECT_EQ(of({20, 30}).value, 0.25);
  EXPECT_EQ(of({20, 30}).row, 1u);
  EXPECT_EQ(of({10, 20}).value, 0.25);
  EXPECT_EQ(of({10, 20}).row, 0u);
  EXPECT_EQ(of({20, 20}).value, 0);
  EXPECT_FALSE(of({20, 20}).fires);
}

TEST(Presets, NeedADevicePerRank) {
  Job job;
  job.ranks.resize(2);
  EXPECT_TRUE(AskPresets(job, StepTable{}, {}, {}).empty());
  EXPECT_TRUE(AskPresets(job, StepTable{}, std::vector<GpuCounters>(1), {}).empty());
  EXPECT_EQ(AskPresets(job, StepTable{}, std::vector<GpuCounters>(2), {}).size(), 5u);
  std::set<std::string_view> sentences;
  for (size_t i = 0; i < kPresetCount; ++i) {
    const auto preset = static_cast<Preset>(i);
    EXPECT_TRUE(Sees(preset).ends_with('.')) << Name(preset);
    sentences.insert(Sees(preset));
  }
  EXPECT_EQ(sentences.size(), kPresetCount);
}

}  // namespace
}  // namespace lockstep::training
