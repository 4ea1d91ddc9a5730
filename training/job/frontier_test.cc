#include "training/job/frontier.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/stragglers/open_episodes.h"

namespace lockstep::training {
namespace {

// Steps 0 to `count` - 1, one second each.
struct Columns {
  explicit Columns(int64_t count) {
    for (int64_t n = 0; n < count; ++n) {
      step.push_back(n);
      end_ms.push_back(1000 * (n + 1));
    }
  }

  std::vector<int64_t> step;
  std::vector<int64_t> end_ms;
};

// "frontier; row since last step, ..."
std::string TextOf(const std::vector<RankProgress>& ranks, const Columns& columns) {
  const Frontier frontier = FrontierOf(ranks, columns.step, columns.end_ms);
  std::string text = frontier.step.has_value() ? absl::StrFormat("%d", *frontier.step) : "none";
  for (const NotReportingRank& silent : frontier.not_reporting) {
    text += absl::StrFormat("; %d since %d", silent.row, silent.since_ms / 1000);
    if (silent.last_step.has_value()) text += absl::StrFormat(" after %d", *silent.last_step);
  }
  return text;
}

TEST(Frontier, EndsWithTheLastStepOfTheSlowestSender) {
  const Columns hundred(100);
  EXPECT_EQ(TextOf({{99}, {99}, {99}}, hundred), "99");
  EXPECT_EQ(TextOf({{99}, {80}, {97}}, hundred), "80");
  EXPECT_EQ(TextOf({}, Columns(0)), "none");
  EXPECT_EQ(TextOf({{}, {}}, Columns(0)), "none");
}

TEST(Frontier, WhoIsSilentForLongIsNotWaitedFor) {
  // Its first missing step, 70, ended 29 s before the newest; one step later it is 30 s, then more.
  EXPECT_EQ(TextOf({{99}, {69}, {99}}, Columns(100)), "69");
  EXPECT_EQ(TextOf({{100}, {69}, {100}}, Columns(101)), "69");
  EXPECT_EQ(TextOf({{101}, {69}, {101}}, Columns(102)), "101; 1 since 71 after 69");
  EXPECT_EQ(TextOf({{101}, {69}}, Columns(102)), "101; 1 since 71 after 69");
}

TEST(Frontier, WhereAllSendSeldomOneMaySendSeldomToo) {
  // Ranks push once per minute, at different times: up to a minute late.
  EXPECT_EQ(TextOf({{199}, {184}, {169}, {154}, {140}}, Columns(200)), "140");
  EXPECT_EQ(TextOf({{199}, {184}, {169}, {154}, {20}}, Columns(200)), "154; 4 since 22 after 20");
}

TEST(Frontier, AJobThatStandsStillHasNoSilentRanks) {
  Columns columns(50);
  // A step of five minutes: a rank that reports it slightly later was not silent for five minutes.
  columns.step.push_back(50);
  columns.end_ms.push_back(columns.end_ms.back() + 300'000);
  EXPECT_EQ(TextOf({{50}, {49}, {50}}, columns), "49");
}

TEST(Frontier, RanksThatReportEverySoManySteps) {
  // Every tenth step: nothing is missing before step 100.
  EXPECT_EQ(TextOf({{.last_step = 99}, {.last_step = 90, .stride = 10}}, Columns(100)), "99");
  EXPECT_EQ(TextOf({{.last_step = 105}, {.last_step = 90, .stride = 10}}, Columns(106)), "99");
  EXPECT_EQ(StrideOf(std::vector<int64_t>{0, 10, 20, 30, 31, 40}), 10);
  EXPECT_EQ(StrideOf(std::vector<int64_t>{7}), 1);
  EXPECT_EQ(StrideOf({}), 1);
}

TEST(Frontier, RanksThatNeverReport) {
  // The first rank logs for all, so the others are not waited for.
  EXPECT_EQ(TextOf({{99}, {}, {}, {}}, Columns(100)), "99");
  // Three of four report, so the fourth should report too.
  EXPECT_EQ(TextOf({{20}, {20}, {20}, {}}, Columns(21)), "20");
  EXPECT_EQ(TextOf({{99}, {99}, {99}, {}}, Columns(100)), "99; 3 since 1");
}

TEST(Frontier, WhoExitedIsNeitherWaitedForNorSilent) {
  EXPECT_EQ(TextOf({{99}, {.last_step = 20, .has_exited = true}, {98}}, Columns(100)), "98");
  EXPECT_EQ(TextOf({{.last_step = 99, .has_exited = true}, {.last_step = 99, .has_exited = true}},
                   Columns(100)),
            "99");
}

std::vector<std::optional<int64_t>> OwedSince(const std::vector<RankProgress>& ranks,
                                              const Columns& columns) {
  return FrontierOf(ranks, columns.step, columns.end_ms).owed_since_ms;
}

TEST(Frontier, KnowsSinceWhenARankOwesAStep) {
  // Rank 1 owes step 81, which the others ended at 82 s.
  EXPECT_EQ(OwedSince({{99}, {80}}, Columns(100)),
            (std::vector<std::optional<int64_t>>{std::nullopt, 82'000}));
  // What is known from before stands, though it is not in the window.
  EXPECT_EQ(OwedSince({{99}, {.last_step = 80, .owed_since_ms = 500}}, Columns(100)),
            (std::vector<std::optional<int64_t>>{std::nullopt, 500}));
  EXPECT_EQ(TextOf({{99}, {.last_step = 80, .owed_since_ms = 5'000}}, Columns(100)),
            "99; 1 since 5 after 80");
  // A time after the newest step is no debt.
  EXPECT_EQ(TextOf({{99}, {.last_step = 80, .owed_since_ms = 200'000}}, Columns(100)), "80");
}

TEST(Frontier, TwoThirdsOfTheRanksMakeTheOthersLate) {
  // Two of three report, then three of five.
  EXPECT_EQ(TextOf({{99}, {99}, {}}, Columns(100)), "99; 2 since 1");
  EXPECT_EQ(TextOf({{99}, {99}, {99}, {}, {}}, Columns(100)), "99");
  EXPECT_EQ(TextOf({{99}, {}}, Columns(100)), "99");
}

TEST(Frontier, ThereIsNoneWhereNobodyWhoIsExpectedHasAStep) {
  EXPECT_EQ(
      TextOf({{.last_step = 99, .has_exited = true}, {.last_step = 99, .has_exited = true}, {}},
             Columns(10)),
      "none");
}

TEST(Frontier, TheStrideIsThatOfTheLatestReports) {
  std::vector<int64_t> steps;
  for (int64_t n = 0; n < 100; ++n) steps.push_back(n);
  for (int64_t n = 1; n <= 32; ++n) steps.push_back(99 + 10 * n);
  EXPECT_EQ(StrideOf(steps), 10);
  // Of 32 distances in the latest 33 reports, 16 are of one step and 16 of ten: the upper median.
  steps.resize(100);
  for (int64_t n = 1; n <= 16; ++n) steps.push_back(99 + 10 * n);
  EXPECT_EQ(StrideOf(steps), 10);
  steps.pop_back();
  EXPECT_EQ(StrideOf(steps), 1);
  // A step that is reported again, or an earlier one, is no distance.
  EXPECT_EQ(StrideOf(std::vector<int64_t>{5, 5, 5, 8, 2}), 3);
}

// An episode of rank 0 over the given steps of 100 one-second steps: "first-last", and "open" if it
// is.
std::string KeptOpen(int64_t first, int64_t last) {
  StepTable steps;
  const Columns columns(100);
  steps.step = columns.step;
  steps.end_ms = columns.end_ms;
  StragglerAnswer answer;
  answer.ranks.push_back(
      {.episodes = {
           {.time = {1000 * first, 1000 * (last + 1)}, .first_step = first, .last_step = last}}});
  KeepEpisodesOpen(steps, answer);
  const StragglerEpisode& episode = answer.ranks[0].episodes[0];
  EXPECT_EQ(episode.time.max_ms, 1000 * (*episode.last_step + 1));
  return absl::StrFormat("%d-%d%s", *episode.first_step, *episode.last_step,
                         episode.is_open ? " open" : "");
}

TEST(OpenEpisodes, AnEndNearTheFrontierIsNoEndYet) {
  EXPECT_EQ(KeptOpen(50, 99), "50-99 open");
  EXPECT_EQ(KeptOpen(50, 95), "50-99 open");
  EXPECT_EQ(KeptOpen(50, 91), "50-99 open");
  EXPECT_EQ(KeptOpen(50, 90), "50-90");
}

}  // namespace
}  // namespace lockstep::training
