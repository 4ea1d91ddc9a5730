#include "answers/load/fact_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockstep::answers {
namespace {

using catalogue::Role;

SampleColumns Facts(const std::vector<double>& values) {
  SampleColumns samples;
  for (const double value : values) {
    samples.Append(static_cast<int64_t>(samples.values.size()), value);
  }
  return samples;
}

TEST(FactReader, EachRoleIsAFactOfItsOwn) {
  FactReader reader;
  double value = 1;
  for (const Role role :
       {Role::kTrainWorldSize, Role::kTrainGlobalBatchSize, Role::kTrainMicroBatchSize,
        Role::kTrainDataParallelSize, Role::kTrainTensorParallelSize,
        Role::kTrainPipelineParallelSize, Role::kTrainContextParallelSize,
        Role::kTrainSequenceLength, Role::kTrainSamplesTotal, Role::kTrainTokensTotal,
        Role::kTrainPlannedSteps}) {
    reader.Add(role, Facts({10 * value++}));
  }
  const JobFacts facts = reader.facts();
  EXPECT_EQ(facts.world_size, 10);
  EXPECT_EQ(facts.parallelism.global_batch, 20);
  EXPECT_EQ(facts.parallelism.micro_batch, 30);
  EXPECT_EQ(facts.parallelism.data, 40);
  EXPECT_EQ(facts.parallelism.tensor, 50);
  EXPECT_EQ(facts.parallelism.pipeline, 60);
  EXPECT_EQ(facts.parallelism.context, 70);
  EXPECT_EQ(facts.sequence_length, 80);
  EXPECT_EQ(facts.total_samples, 90);
  EXPECT_EQ(facts.total_tokens, 100);
  EXPECT_EQ(facts.planned_steps, 110);
}

TEST(FactReader, TheLastNumberOfASeriesCountsAndTheGreatestOfSeveral) {
  FactReader reader;
  for (const Role role :
       {Role::kTrainWorldSize, Role::kTrainTokensTotal, Role::kTrainPlannedSteps}) {
    reader.Add(role, Facts({9, 5, NAN}));
    reader.Add(role, Facts({7, 3}));
    reader.Add(role, Facts({NAN, INFINITY}));
    reader.Add(role, Facts({}));
  }
  EXPECT_EQ(reader.facts().world_size, 5);
  EXPECT_EQ(reader.facts().total_tokens, 5);
  EXPECT_EQ(reader.facts().planned_steps, 5);
  for (const Role role :
       {Role::kTrainWorldSize, Role::kTrainTokensTotal, Role::kTrainPlannedSteps}) {
    reader.Add(role, Facts({6}));
  }
  EXPECT_EQ(reader.facts().world_size, 6);
  EXPECT_EQ(reader.facts().total_tokens, 6);
  EXPECT_EQ(reader.facts().planned_steps, 6);
}

TEST(FactReader, WhatNobodyReportsIsUnknown) {
  const JobFacts facts = FactReader().facts();
  EXPECT_EQ(facts.world_size, 0);
  EXPECT_TRUE(std::isnan(facts.sequence_length));
  EXPECT_EQ(facts.planned_steps, std::nullopt);
}

}  // namespace
}  // namespace lockstep::answers
