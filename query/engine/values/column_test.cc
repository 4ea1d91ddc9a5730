#include "query/engine/values/column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<size_t> PresentSteps(const Column& column) {
  std::vector<size_t> steps;
  column.ForEachPresent([&](size_t step) { steps.push_back(step); });
  return steps;
}

HistogramPtr SomeHistogram() { return std::make_shared<const Histogram>(); }

TEST(Column, RemembersWhichStepsArePresentBeyondOneWord) {
  Column column(200);
  EXPECT_TRUE(column.empty());
  for (const size_t step : {0, 63, 64, 130, 199}) column.SetFloat(step, 1);
  EXPECT_THAT(PresentSteps(column), ElementsAre(0, 63, 64, 130, 199));
  column.Erase(64);
  EXPECT_FALSE(column.present(64));
  EXPECT_EQ(column.PresentCount(), 4u);
  std::vector<size_t> in_block;
  column.ForEachPresent(StepBlock{64, 192}, [&](size_t step) { in_block.push_back(step); });
  EXPECT_THAT(in_block, ElementsAre(130));
}

TEST(Column, RunsAreThePresentStepsInOrder) {
  Column column(400);
  std::vector<size_t> steps;
  const auto add = [&](size_t begin, size_t end) {
    for (size_t step = begin; step < end; ++step) {
      column.SetFloat(step, static_cast<double>(step));
      steps.push_back(step);
    }
  };
  // Full words, single steps, a run across a border of words, and one up to the end.
  add(64, 192);
  add(193, 194);
  add(250, 320);
  add(321, 384);
  add(390, 400);
  for (const size_t begin : {0, 64, 128, 256, 384}) {
    std::vector<size_t> visited;
    column.ForEachRun(StepBlock{begin, 400}, [&](size_t step, std::span<const double> values) {
      EXPECT_FALSE(values.empty());
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i], static_cast<double>(step + i));
        visited.push_back(step + i);
      }
    });
    std::vector<size_t> expected;
    std::ranges::copy_if(steps, std::back_inserter(expected),
                         [begin](size_t step) { return step >= begin; });
    EXPECT_EQ(visited, expected) << begin;
  }
  size_t count = 0;
  column.ForEachRun(StepBlock{64, 256}, [&](size_t, auto values) { count += values.size(); });
  EXPECT_EQ(count, 135u);
}

TEST(Column, HasMemoryForTheStepsThatItCovers) {
  Column column(100'000);
  EXPECT_EQ(column.BudgetSize(), 0);
  column.SetFloat(50'010, 1);
  column.SetFloat(50'020, 2);
  EXPECT_LT(column.BudgetSize(), 100);
  EXPECT_FALSE(column.present(0));
  EXPECT_FALSE(column.present(99'999));
  column.Erase(3);
  // Growing at the front keeps existing values.
  column.SetHistogram(49'000, SomeHistogram());
  EXPECT_THAT(PresentSteps(column), ElementsAre(49'000, 50'010, 50'020));
  EXPECT_EQ(column.value(50'020), 2);
  EXPECT_EQ(column.histogram(50'020), nullptr);
  EXPECT_NE(column.histogram(49'000), nullptr);
  EXPECT_LE(column.span().begin, 49'000u);
  EXPECT_EQ(column.span().end, 50'021u);
}

TEST(Column, KeepWhereComparesStepsNotPlaces) {
  Column early(1000);
  Column late(1000);
  for (const size_t step : {10, 500, 700}) early.SetFloat(step, 1);
  for (const size_t step : {500, 900}) late.SetFloat(step, 1);
  Column kept = late;
  kept.KeepWhere(early);
  EXPECT_THAT(PresentSteps(kept), ElementsAre(500));
  early.KeepWhere(late);
  EXPECT_THAT(PresentSteps(early), ElementsAre(500));
}

TEST(Column, AStepHoldsAFloatOrAHistogram) {
  Column column(3);
  column.SetFloat(0, 1);
  column.SetHistogram(1, SomeHistogram());
  column.SetHistogram(2, SomeHistogram());
  column.SetFloat(2, 5);
  EXPECT_EQ(column.histogram(0), nullptr);
  EXPECT_NE(column.histogram(1), nullptr);
  EXPECT_TRUE(column.has_float(2));
  EXPECT_GT(column.BudgetSize(), 3);
  column.DropHistograms();
  EXPECT_THAT(PresentSteps(column), ElementsAre(0, 2));
  EXPECT_FALSE(column.has_histograms());
}

TEST(Column, NothingIsLeftOfAnErasedStep) {
  Column column(2);
  column.SetHistogram(0, SomeHistogram());
  column.SetFloat(1, 1);
  EXPECT_GT(column.BudgetSize(), 2);
  column.Erase(0);
  EXPECT_FALSE(column.present(0));
  EXPECT_EQ(column.histogram(0), nullptr);
  EXPECT_EQ(column.BudgetSize(), 2);
  column.Erase(1);
  EXPECT_FALSE(column.has_float(1));
  EXPECT_TRUE(column.empty());
}

TEST(Column, KeepWhereIntersects) {
  Column column(70);
  Column other(70);
  column.SetFloat(1, 1);
  column.SetHistogram(69, SomeHistogram());
  other.SetFloat(69, 0);
  column.KeepWhere(other);
  EXPECT_THAT(PresentSteps(column), ElementsAre(69));
  column.KeepWhere(Column(70));
  EXPECT_THAT(PresentSteps(column), IsEmpty());
  EXPECT_EQ(column.histogram(69), nullptr);
}

TEST(Column, MapFloatsKnowsTheStepIfAsked) {
  Column column(3);
  for (size_t step = 0; step < 3; ++step) column.SetFloat(step, 10);
  column.MapFloats([](size_t step, double value) { return value + static_cast<double>(step); });
  column.MapFloats([](double value) { return value * 2; });
  EXPECT_EQ(column.value(2), 24);
}

TEST(Column, TakesABlockOfFloatsAtOnce) {
  const auto is_there = [](size_t step) { return step % 3 == 0 && step < 130; };
  for (const StepBlock block : {StepBlock{70, 150}, StepBlock{0, 64}, StepBlock{128, 200}}) {
    Column column(200);
    column.SetFloats(block, [&](size_t step, double& value) {
      value = static_cast<double>(step);
      return is_there(step);
    });
    Column one_by_one(200);
    for (size_t step = block.begin; step < block.end; ++step) {
      if (is_there(step)) one_by_one.SetFloat(step, static_cast<double>(step));
    }
    EXPECT_EQ(column.PresentCount(), one_by_one.PresentCount());
    EXPECT_EQ(column.span().begin, one_by_one.span().begin);
    EXPECT_EQ(column.span().end, one_by_one.span().end);
    for (size_t step = 0; step < 200; ++step) {
      ASSERT_EQ(column.present(step), one_by_one.present(step)) << step;
      if (!column.present(step)) continue;
      EXPECT_EQ(column.value(step), one_by_one.value(step)) << step;
    }
  }
}

}  // namespace
}  // namespace lockstep::engine
