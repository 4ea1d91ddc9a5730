#include "training/parallelism/pipeline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

// When each stage of a schedule ends its last pass, by the rules of the schedule alone: stage s
// runs chunk c of a micro-batch after its turn before, and after the stage before it ran the same
// chunk. Forward passes only: a backward pass is the same with the stages the other way round.
double ScheduleSeconds(int64_t stages, int64_t micro_batches, int64_t chunks,
                       const std::vector<double>& seconds) {
  std::vector<double> free_at(static_cast<size_t>(stages), 0.0);
  double end = 0;
  // Micro-batches go through the chunks in groups of as many as there are stages.
  for (int64_t group = 0; group < micro_batches; group += stages) {
    std::vector<double> ready(static_cast<size_t>(std::min(stages, micro_batches - group)), 0.0);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      for (double& batch : ready) {
        for (size_t stage = 0; stage < free_at.size(); ++stage) {
          batch = std::max(batch, free_at[stage]) + seconds[stage] / static_cast<double>(chunks);
          free_at[stage] = batch;
        }
        end = std::max(end, batch);
      }
    }
  }
  return end;
}

struct MadePipeline {
  Job job;
  StepTable steps;
  Parallelism parallelism;
};

// Two ranks per stage; a micro-batch takes a stage so many seconds.
MadePipeline PipelineJob(int64_t micro_batches, int64_t chunks,
                         const std::vector<double>& seconds) {
  const auto stages = static_cast<int64_t>(seconds.size());
  const double step = ScheduleSeconds(stages, micro_batches, chunks, seconds);
  MadePipeline made;
  made.steps = EvenSteps(2 * seconds.size(), 40, step);
  PhaseColumn compute{"compute", PhaseKind::kCompute, RankMatrix(2 * seconds.size(), 40, 0)};
  PhaseColumn wait{"recv", PhaseKind::kWait, RankMatrix(2 * seconds.size(), 40, 0)};
  for (size_t row = 0; row < 2 * seconds.size(); ++row) {
    const size_t stage = row / 2;
    const double own = static_cast<double>(micro_batches) * seconds[stage];
    for (double& each : compute.seconds.Row(row)) each = own;
    for (double& each : wait.seconds.Row(row)) each = step - own;
    made.job.ranks.push_back({.rank = static_cast<int64_t>(row),
                              .host = "host-" + std::to_string(row / 4),
                              .stage = static_cast<int64_t>(stage)});
  }
  made.steps.phases = {compute, wait};
  made.parallelism = {
      .data = 2, .pipeline = stages, .micro_batch = 1, .global_batch = 2 * micro_batches};
  return made;
}

TEST(PipelineTest, TheBubbleOfMadeSchedulesIsThatOfTheory) {
  for (const int64_t stages : {2, 4, 8}) {
    for (const int64_t micro_batches : {8, 32}) {
      for (const int64_t chunks : {1, 2, 4}) {
        const MadePipeline made = PipelineJob(
            micro_batches, chunks, std::vector<double>(static_cast<size_t>(stages), 0.1));
        const PipelineBubble bubble =
            FindGroupTimes(made.job, made.steps, made.parallelism, chunks).bubble;
        EXPECT_EQ(bubble.stages, stages);
        EXPECT_DOUBLE_EQ(bubble.micro_batches, static_cast<double>(micro_batches));
        EXPECT_NEAR(bubble.ratio, bubble.theory_ratio, 0.01)
            << stages << " " << micro_batches << " " << chunks;
      }
    }
  }
}

TEST(PipelineTest, ASlowStageIsNamedWithWhatAStepWouldTakeWithoutIt) {
  const MadePipeline made = PipelineJob(16, 1, {0.1, 0.1, 0.13, 0.1});
  const ParallelismAnswer answer = FindGroupTimes(made.job, made.steps, made.parallelism, 1);
  ASSERT_EQ(answer.stages.size(), 4u);
  EXPECT_EQ(answer.stages[2].name, "2");
  EXPECT_NEAR(answer.stages[2].own_seconds, 16 * 0.13, 1e-9);
  EXPECT_NEAR(answer.stage_imbalance_ratio, 0.3, 1e-9);
  const double without = ScheduleSeconds(4, 16, 1, {0.1, 0.1, 0.1, 0.1});
  EXPECT_NEAR(answer.stages[2].step_seconds_without / without, 1, 0.05);
  EXPECT_NEAR(answer.stages[0].step_seconds_without, answer.step_seconds, 1e-9);
  EXPECT_GT(answer.bubble.ratio, answer.bubble.theory_ratio + 0.05);
}

TEST(PipelineTest, HostsAndExpertsAreGroupsToo) {
  MadePipeline made = PipelineJob(16, 1, {0.1, 0.1});
  for (size_t row = 0; row < 4; ++row) {
    made.job.ranks[row].stage = 0;
    made.job.ranks[row].expert_group = static_cast<int64_t>(row % 2);
    made.job.ranks[row].host = row == 3 ? "b" : "a";
    if (row == 3) {
      for (double& each : made.steps.phases[0].seconds.Row(row)) each = 1.65;
      for (double& each : made.steps.phases[1].seconds.Row(row)) each = 0.05;
    }
  }
  const ParallelismAnswer answer = FindGroupTimes(made.job, made.steps, made.parallelism, 1);
  EXPECT_TRUE(answer.stages.empty());
  EXPECT_TRUE(std::isnan(answer.bubble.ratio));
  ASSERT_EQ(answer.experts.size(), 2u);
  EXPECT_NEAR(answer.experts[1].own_seconds, 1.65, 1e-9);
  ASSERT_EQ(answer.hosts.size(), 2u);
  EXPECT_EQ(answer.hosts[1].name, "b");
  EXPECT_NEAR(answer.hosts[1].step_seconds_without, answer.step_seconds - 0.05, 1e-9);
}

TEST(PipelineTest, WithoutOwnTimesSaysWhatIsMissing) {
  const ParallelismAnswer answer = FindGroupTimes({}, {}, {}, 1);
  EXPECT_FALSE(answer.missing.empty());
  EXPECT_TRUE(answer.stages.empty());
}

TEST(PipelineTest, UnknownMicroBatchesLeaveTheTheoryUnknown) {
  MadePipeline made = PipelineJob(16, 1, {0.1, 0.1});
  made.parallelism = {};
  const PipelineBubble bubble = FindGroupTimes(made.job, made.steps, made.parallelism, 1).bubble;
  EXPECT_TRUE(std::isnan(bubble.theory_ratio));
  EXPECT_FALSE(std::isnan(bubble.ratio));
}

}  // namespace
}  // namespace lockstep::training
