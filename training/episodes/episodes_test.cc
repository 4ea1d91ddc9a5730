#include "training/episodes/episodes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

struct RowPart {
  size_t length;
  double level;
};

// Stretches of constant levels with noise of `deviation`.
std::vector<double> Row(const std::vector<RowPart>& parts, double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> row;
  for (const RowPart& part : parts) {
    for (size_t i = 0; i < part.length; ++i) row.push_back(part.level + noise(random));
  }
  return row;
}

std::string EpisodesIn(const std::vector<double>& row) {
  std::string text;
  for (const Episode& episode : FindEpisodes(row, kOwnTimeScales)) {
    text += "[" + std::to_string(episode.first) + " " + std::to_string(episode.last) + "]";
  }
  return text;
}

TEST(Episodes, AreFoundWhereARowStaysHigh) {
  struct Case {
    const char* words;
    std::vector<RowPart> parts;
    const char* found;
  };
  const Case cases[] = {
      {"nothing", {{200, 0.0}}, ""},
      {"a chip slower than most, for good", {{200, 0.02}}, ""},
      {"onset", {{100, 0.0}, {100, 0.1}}, "[100 199]"},
      {"onset of a rank that was quick", {{100, -0.012}, {100, 0.024}}, "[100 199]"},
      {"a quick rank that becomes an ordinary one", {{100, -0.03}, {100, 0.005}}, ""},
      {"end", {{100, 0.1}, {100, 0.0}}, "[0 99]"},
      {"always", {{150, 0.1}}, "[0 149]"},
      {"on and off",
       {{40, 0.0}, {20, 0.1}, {20, 0.0}, {20, 0.1}, {20, 0.0}, {20, 0.1}},
       "[40 59][80 99][120 139]"},
      {"strong and weak", {{60, 0.0}, {60, 0.3}, {60, 0.0}, {60, 0.04}}, "[60 119][180 239]"},
      {"a stall", {{100, 0.0}, {3, 5.0}, {100, 0.0}}, ""},
  };
  for (const Case& c : cases) EXPECT_EQ(EpisodesIn(Row(c.parts, 0.002, 1)), c.found) << c.words;
}

TEST(Episodes, NeedMoreThanTheRowsOwnNoise) {
  // The same onset in a row with as much noise as uneven work.
  EXPECT_EQ(EpisodesIn(Row({{100, 0.0}, {100, 0.1}}, 0.3, 2)), "");
}

TEST(Episodes, NoiseAloneMakesNone) {
  // The noise of a rank's own time on recorded healthy jobs is 0.8 % of the step.
  for (unsigned seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(EpisodesIn(Row({{2000, 0.008}}, 0.008, seed)), "") << seed;
  }
}

TEST(Episodes, StepOverUnknownColumns) {
  std::vector<double> row = Row({{50, 0.0}, {50, 0.1}}, 0.002, 3);
  for (size_t n = 0; n < row.size(); n += 3) row[n] = kUnknown;
  const std::vector<Episode> episodes = FindEpisodes(row, kOwnTimeScales);
  ASSERT_EQ(episodes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(episodes[0].first), 50, 1);
  EXPECT_NEAR(episodes[0].level, 0.1, 0.002);
  EXPECT_NEAR(episodes[0].baseline, 0.0, 0.002);
  EXPECT_TRUE(FindEpisodes(std::vector<double>(100, kUnknown), kOwnTimeScales).empty());
  EXPECT_TRUE(FindEpisodes({}, kOwnTimeScales).empty());
}

}  // namespace
}  // namespace lockstep::training
