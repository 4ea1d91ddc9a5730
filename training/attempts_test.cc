#include "training/attempts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::training {
namespace {

RankSteps Logged(const std::vector<std::pair<int64_t, int64_t>>& step_and_ms) {
  RankSteps rank;
  for (const auto& [step, ms] : step_and_ms) {
    rank.step.push_back(step);
    rank.end_ms.push_back(ms);
    rank.loss.push_back(static_cast<double>(ms));
  }
  return rank;
}

// "0 1 2 | 1 2 " for each rank, a line each.
std::string Divided(const std::vector<RankSteps>& ranks) {
  const auto attempts = SplitAttempts(ranks);
  std::string text;
  for (size_t row = 0; row < ranks.size(); ++row) {
    for (size_t attempt = 0; attempt < attempts.size(); ++attempt) {
      if (attempt > 0) text += "| ";
      const RankSteps& part = attempts[attempt][row];
      EXPECT_EQ(part.loss.size(), part.step.size());
      for (const int64_t step : part.step) text += std::to_string(step) + " ";
    }
    text += "\n";
  }
  return text;
}

TEST(Attempts, BeginWhereStepsGoBack) {
  EXPECT_EQ(Divided({Logged({{0, 10}, {1, 20}, {2, 30}})}), "0 1 2 \n");
  EXPECT_EQ(Divided({Logged({{0, 10}, {1, 20}, {2, 30}, {1, 90}, {2, 95}})}), "0 1 2 | 1 2 \n");
  // Lines that came late are put in order of their time.
  EXPECT_EQ(Divided({Logged({{1, 20}, {0, 10}, {1, 20}})}), "0 1 1 \n");
}

TEST(Attempts, AreTheSameForAllRanks) {
  EXPECT_EQ(Divided({Logged({{0, 10}, {1, 20}, {0, 90}, {1, 99}}),
                     Logged({{0, 11}, {1, 21}, {0, 91}, {1, 99}}), Logged({{0, 10}, {1, 20}})}),
            "0 1 | 0 1 \n0 1 | 0 1 \n0 1 | \n");
}

}  // namespace
}  // namespace lockstep::training
