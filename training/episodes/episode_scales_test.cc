#include "training/episodes/episode_scales.h"

#include <gtest/gtest.h>

#include <array>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {
namespace {

TEST(EpisodeScales, LastAsLongInShortSteps) {
  const struct {
    double step_seconds;
    size_t window;
    size_t shortest;
  } rows[] = {{kUnknown, 11, 8}, {0, 11, 8},      {30, 11, 8},      {0.2, 11, 8},
              {0.1, 22, 16},     {0.025, 88, 64}, {1e-6, 1100, 800}};
  for (const auto& row : rows) {
    const std::array scales = {EpisodeScale{.window = 11, .level = 0.05, .change = 0.03}};
    const EpisodeScale scale = ScalesForSteps(scales, row.step_seconds).at(0);
    EXPECT_EQ(scale.window, row.window) << row.step_seconds;
    EXPECT_EQ(scale.shortest, row.shortest) << row.step_seconds;
    EXPECT_EQ(scale.level, 0.05);
  }
}

}  // namespace
}  // namespace lockstep::training
