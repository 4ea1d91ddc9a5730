#include "answers/load/job_life.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr const char* kExit = "lockstep_exit_code";
constexpr const char* kInfo = "lockstep_rank_info";
constexpr const char* kAlive = "lockstep_rank_alive";

// What was stored of job "a", and what it says of the job's life.
class Lives {
 public:
  void Add(const char* name, const char* rank, int64_t at, double value, const char* attempt = "") {
    storage_.Append(
        LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", rank}, {"attempt", attempt}}), at,
        value);
  }
  void AddEvent(const char* event, int64_t at, const char* job = "a", double value = 1) {
    storage_.Append(LabelSet::Of({{kMetricName, "lockstep_event"}, {"job", job}, {"event", event}}),
                    at, value);
  }

  JobLife Read(int64_t until = 1'000'000) {
    const auto querier = storage_.NewQuerier();
    LOCKSTEP_CHECK(querier.ok());
    TaskPool pool(0);
    QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
    const auto life = ReadJobLife("a", {900, until}, {**querier, pool, budget});
    LOCKSTEP_CHECK(life.ok());
    return *life;
  }

  // "exit 5 failed, begin 1, alive 2, rank 3 left 4"
  std::string Said(int64_t until = 1'000'000) {
    const JobLife life = Read(until);
    std::string text;
    const auto add = [&text](const std::string& words) {
      text += (text.empty() ? "" : ", ") + words;
    };
    const auto exit = [](const ProcessExit& one) {
      return absl::StrFormat("%d%s", one.time_ms, one.has_failed ? " failed" : "");
    };
    if (life.exit.has_value()) add("exit " + exit(*life.exit));
    if (life.begin_ms.has_value()) add(absl::StrFormat("begin %d", *life.begin_ms));
    if (life.alive_ms.has_value()) add(absl::StrFormat("alive %d", *life.alive_ms));
    for (const auto& [rank, one] : life.rank_exits) {
      add(absl::StrFormat("rank %d left %s", rank, exit(one)));
    }
    return text;
  }

 private:
  MemoryStorage storage_;
};

TEST(JobLife, OfAJobWithoutRecordsIsUnknown) {
  Lives lives;
  EXPECT_EQ(lives.Said(), "");
  lives.Add("train_step", "0", 5, 1);
  lives.AddEvent("checkpoint_saved", 5);
  lives.AddEvent("crash", 5, "b");
  EXPECT_EQ(lives.Said(), "");
}

TEST(JobLife, AStartAndASignOfLifeAreTheLatest) {
  Lives lives;
  lives.Add(kInfo, "0", 10, 1);
  lives.Add(kInfo, "1", 30, 1);
  lives.Add(kInfo, "2", 20, 1);
  lives.Add(kAlive, "0", 40, 1);
  lives.Add(kAlive, "1", 60, 0);
  lives.Add(kAlive, "2", 50, 1);
  EXPECT_EQ(lives.Said(), "begin 30, alive 60");
}

TEST(JobLife, ARegistrationThatEndsIsARankThatLeft) {
  Lives lives;
  lives.Add(kInfo, "3", 10, 1);
  lives.Add(kInfo, "3", 20, 0);
  EXPECT_EQ(lives.Said(), "rank 3 left 20");
}

TEST(JobLife, ExitsAreOfTheJobOrOfARank) {
  Lives lives;
  lives.Add(kExit, "", 10, 0);
  lives.Add(kExit, "1", 20, 0);
  lives.Add(kExit, "2", 30, 137);
  EXPECT_EQ(lives.Said(), "exit 10, rank 1 left 20, rank 2 left 30 failed");
  lives.Add(kExit, "", 40, 1);
  EXPECT_EQ(lives.Said(), "exit 40 failed, rank 1 left 20, rank 2 left 30 failed");
  lives.Add(kExit, "", 50, std::nan(""));
  EXPECT_EQ(lives.Said(), "rank 1 left 20, rank 2 left 30 failed");
}

TEST(JobLife, OfSeveralExitsTheLatestCounts) {
  for (const int64_t second : {5, 15}) {
    Lives lives;
    lives.Add(kExit, "1", 10, 0, "0");
    lives.Add(kExit, "1", second, 2, "1");
    lives.Add(kExit, "", 10, 0, "0");
    lives.Add(kExit, "", second, 2, "1");
    EXPECT_EQ(lives.Said(),
              second == 5 ? "exit 10, rank 1 left 10" : "exit 15 failed, rank 1 left 15 failed");
  }
}

// The end of its registration comes with the exit, without the code.
TEST(JobLife, ARankThatFailedAndLeftAtOnceFailed) {
  Lives lives;
  lives.Add(kExit, "1", 10, 2);
  lives.Add(kInfo, "1", 10, 0);
  EXPECT_EQ(lives.Said(), "rank 1 left 10 failed");
  lives.Add(kInfo, "1", 11, 0);
  EXPECT_EQ(lives.Said(), "rank 1 left 11");
}

TEST(JobLife, TrainersSayThatTheyEndOrFail) {
  Lives lives;
  lives.AddEvent("training_end", 10);
  EXPECT_EQ(lives.Said(), "exit 10");
  lives.AddEvent("crash", 20, "a", 0);
  EXPECT_EQ(lives.Said(), "exit 20 failed");
  lives.AddEvent("training_end", 30);
  EXPECT_EQ(lives.Said(), "exit 30");
}

TEST(JobLife, IsThatAtTheEndOfTheTime) {
  Lives lives;
  lives.Add(kInfo, "1", 10, 1);
  lives.Add(kExit, "", 1000, 1);
  lives.Add(kAlive, "1", 1001, 1);
  EXPECT_EQ(lives.Said(999), "begin 10");
  EXPECT_EQ(lives.Said(1000), "exit 1000 failed, begin 10");
  EXPECT_EQ(lives.Said(1001), "exit 1000 failed, begin 10, alive 1001");
}

TEST(JobLife, AProcessEndsWithItsRankOrWithTheJob) {
  JobLife life;
  EXPECT_EQ(life.ExitMs(1), std::nullopt);
  life.rank_exits[1] = {.time_ms = 20};
  EXPECT_EQ(life.ExitMs(1), 20);
  EXPECT_EQ(life.ExitMs(2), std::nullopt);
  life.exit = ProcessExit{.time_ms = 10};
  EXPECT_EQ(life.ExitMs(1), 20);
  EXPECT_EQ(life.ExitMs(2), 10);
  life.exit->time_ms = 30;
  EXPECT_EQ(life.ExitMs(1), 30);
}

// "exit 5 failed" of a job whose last step ended at 10 s and whose ranks 0 and 1 report.
std::string SignsOf(const JobLife& life, std::optional<int64_t> last_step_end_ms = 10'000,
                    const std::vector<int64_t>& reporting = {0, 1}) {
  training::JobSigns signs{.last_step_end_ms = last_step_end_ms};
  SetSigns(life, reporting, signs);
  EXPECT_EQ(signs.begin_ms, life.begin_ms);
  EXPECT_EQ(signs.alive_ms, life.alive_ms);
  if (!signs.exit_ms.has_value()) return "none";
  return absl::StrFormat("exit %d%s", *signs.exit_ms, signs.has_failed ? " failed" : "");
}

TEST(JobSigns, AnExitOfTheJobEndsIt) {
  EXPECT_EQ(SignsOf({}), "none");
  EXPECT_EQ(SignsOf({.exit = ProcessExit{11'000, true}, .begin_ms = 3, .alive_ms = 4}),
            "exit 11000 failed");
  EXPECT_EQ(SignsOf({.exit = ProcessExit{9'500, false}}), "exit 9500");
  EXPECT_EQ(SignsOf({.exit = ProcessExit{9'499, false}}), "none");  // of an earlier attempt
  EXPECT_EQ(SignsOf({.exit = ProcessExit{9'499, false}}, std::nullopt), "exit 9499");
}

TEST(JobSigns, ExitsOfAllItsRanksEndIt) {
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {12'000, false}}}}), "none");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {12'000, false}}, {1, {11'000, false}}}}), "exit 12000");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {11'000, false}}, {1, {12'000, false}}}}), "exit 12000");
  // Another rank, which reports no steps, is not waited for and says nothing.
  EXPECT_EQ(SignsOf({.rank_exits = {{2, {12'000, true}}}}), "none");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {12'000, true}}}}, 10'000, {}), "none");
}

TEST(JobSigns, AFailureOfOneRankEndsIt) {
  EXPECT_EQ(SignsOf({.rank_exits = {{1, {12'000, true}}}}), "exit 12000 failed");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {12'000, true}}, {1, {13'000, false}}}}),
            "exit 13000 failed");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {13'000, false}}, {1, {12'000, true}}}}),
            "exit 13000 failed");
}

// Once it is started again, a rank that failed has an exit from before the last step.
TEST(JobSigns, AFailureBeforeTheLastStepIsOfAnEarlierAttempt) {
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {5'000, true}}}}), "none");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {5'000, true}}, {1, {12'000, false}}}}), "exit 12000");
  EXPECT_EQ(SignsOf({.rank_exits = {{0, {12'000, false}}, {1, {5'000, true}}}}), "exit 12000");
}

TEST(JobSigns, AnExitOfTheJobSaysMoreThanThoseOfItsRanks) {
  EXPECT_EQ(SignsOf({.exit = ProcessExit{11'000, false}, .rank_exits = {{0, {12'000, true}}}}),
            "exit 11000");
  EXPECT_EQ(SignsOf({.exit = ProcessExit{5'000, false}, .rank_exits = {{0, {12'000, true}}}}),
            "exit 12000 failed");
}

}  // namespace
}  // namespace lockstep::answers
