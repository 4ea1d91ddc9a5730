// Running jobs, queried every second: the slow rank is named within two batches and ten seconds,
// and in every later answer until it recovers; no other rank is ever named. Answers from the state
// kept between queries equal those from loading the whole job.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_format.h"

#include "tests/live/made_job.h"

namespace lockstep::live {
namespace {

constexpr int64_t kQuestionEveryMs = 1000;
// Loading the whole job takes most of the time.
constexpr int kComparedEvery = 4;

int64_t Ms(double seconds) {
  return seconds == kNever ? int64_t{1} << 50 : static_cast<int64_t>(seconds * 1000);
}

// The ranks that currently slow the job down.
std::vector<int64_t> OpenRanks(const Replay::Answer& answer) {
  std::vector<int64_t> ranks;
  for (const training::SlowRankFinding& finding : answer.stragglers.ranks) {
    if (finding.episodes.back().is_open) ranks.push_back(answer.job.job.ranks[finding.row].rank);
  }
  return ranks;
}

training::StragglerCause CauseOf(const MadeJob& job) {
  return job.phase == "forward" ? training::StragglerCause::kGpu
                                : training::StragglerCause::kLoader;
}

class MadeRun {
 public:
  explicit MadeRun(const MadeJob& job) : job_(job), truth_(AddMadeJob(job, replay_)) {}

  // What the checks record: when the rank was named, and what went wrong.
  struct Counts {
    std::optional<int64_t> named_after_ms;
    int missed = 0;
    int wrong = 0;
    int other_cause = 0;
    int not_reporting = 0;  // answers in which only the innocent rank was not reporting
    int wrongly_silent = 0;
  };

  Counts Run() {
    const int64_t end_ms = truth_.begin_ms + Ms(job_.seconds);
    for (int64_t now = truth_.begin_ms + 1000; now < end_ms; now += kQuestionEveryMs) Ask(now);
    return counts_;
  }

 private:
  int64_t SettleMs() const { return Ms(2 * job_.batch_s + 10); }

  void Ask(int64_t now_ms) {
    replay_.AdvanceTo(now_ms);
    const Replay::Answer live = replay_.AskLive(job_.name, now_ms);
    // Late steps before the frontier are only reread from time to time.
    const bool is_late = job_.back_at_s != kNever || job_.joins_at_s != 0;
    if (!is_late && ++question_ % kComparedEvery == 0) {
      EXPECT_EQ(live.text, replay_.AskWhole(job_.name, now_ms).text);
    }
    CheckRanks(now_ms, live);
    for (const training::NotReportingRank& silent : live.job.not_reporting) {
      const bool is_innocent = live.job.job.ranks[silent.row].rank == truth_.innocent_rank;
      const bool is_dead = now_ms > truth_.begin_ms + Ms(job_.dead_at_s);
      ++(is_innocent && is_dead ? counts_.not_reporting : counts_.wrongly_silent);
    }
  }

  void CheckRanks(int64_t now_ms, const Replay::Answer& live) {
    const std::vector<int64_t> ranks = OpenRanks(live);
    const bool is_named = ranks == std::vector<int64_t>{truth_.slow_rank};
    const int64_t until_ms = truth_.begin_ms + Ms(job_.until_s);
    const bool is_slow = truth_.onset_ms > 0 && now_ms >= truth_.onset_ms;
    if (!ranks.empty() && (!is_named || !is_slow || now_ms > until_ms + SettleMs()))
      ++counts_.wrong;
    if (!is_slow || now_ms >= until_ms) return;
    if (is_named && !counts_.named_after_ms.has_value()) {
      counts_.named_after_ms = now_ms - truth_.onset_ms;
    } else if (counts_.named_after_ms.has_value() && !is_named && !IsForgiven(now_ms)) {
      ++counts_.missed;
    }
    if (is_named && live.stragglers.ranks.front().cause != CauseOf(job_)) ++counts_.other_cause;
  }

  // While an attempt restarts, no rank can be named.
  bool IsForgiven(int64_t now_ms) const {
    const int64_t restart_ms = truth_.begin_ms + Ms(job_.restart_at_s);
    return now_ms >= restart_ms && now_ms < restart_ms + Ms(5) + SettleMs();
  }

  const MadeJob& job_;
  Replay replay_;
  MadeTruth truth_;
  int question_ = 0;
  Counts counts_;
};

void Check(const MadeJob& job) {
  const MadeRun::Counts counts = MadeRun(job).Run();
  ASSERT_TRUE(counts.named_after_ms.has_value());
  EXPECT_LE(*counts.named_after_ms, Ms(2 * job.batch_s + 10));
  EXPECT_EQ(counts.missed, 0);
  EXPECT_EQ(counts.wrong, 0);
  EXPECT_EQ(counts.other_cause, 0);
  EXPECT_EQ(counts.wrongly_silent, 0);
  EXPECT_EQ(counts.not_reporting > 0, job.dead_at_s != kNever);
}

TEST(MadeJobs, SendersAtTheirOwnMoments) {
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    for (const double batch_s : {1.0, 5.0, 15.0}) {
      SCOPED_TRACE(absl::StrFormat("seed %d, batches of %g s", seed, batch_s));
      Check({.seconds = 90, .batch_s = batch_s, .seed = seed});
    }
  }
}

TEST(MadeJobs, FewRanksAndSmallDelays) {
  Check({.ranks = 8, .late = 0.1, .seed = 5});
  Check({.ranks = 3, .late = 0.1, .seed = 6});
  Check({.ranks = 64, .seconds = 45, .late = 0.1, .phase = "forward", .batch_s = 5, .seed = 7});
}

TEST(MadeJobs, TheCauseIsThatOfTheSlowPhase) {
  Check({.phase = "forward", .seed = 8});
  Check({.phase = "data_load", .batch_s = 5, .seed = 9});
}

TEST(MadeJobs, ASenderThatIsLateNeitherBlindsNorIsBlamed) {
  Check({.slow_sender_s = 4, .seed = 10});
  Check({.seconds = 90, .batch_s = 15, .slow_sender_s = 4, .seed = 11});
}

TEST(MadeJobs, ASenderThatDiesIsNoticed) {
  Check({.seconds = 120, .dead_at_s = 50, .seed = 12});
  Check({.seconds = 150, .batch_s = 15, .dead_at_s = 50, .seed = 13});
}

TEST(MadeJobs, ASenderThatComesBack) {
  Check({.seconds = 150, .batch_s = 1, .dead_at_s = 40, .back_at_s = 100, .seed = 14});
}

TEST(MadeJobs, ARankThatIsHeardOfLate) { Check({.joins_at_s = 15, .seed = 15}); }

TEST(MadeJobs, RecoveryEndsIt) {
  Check({.seconds = 90, .until_s = 50, .seed = 16});
  Check({.seconds = 110, .until_s = 50, .batch_s = 15, .seed = 17});
}

TEST(MadeJobs, PushesThatArriveTwice) { Check({.sends_twice = true, .seed = 18}); }

TEST(MadeJobs, ARankThatReportsEverySoManySteps) { Check({.stride = 10, .seed = 19}); }

TEST(MadeJobs, LongSteps) {
  Check({.step_s = 0.5, .seconds = 120, .onset_s = 40, .batch_s = 5, .seed = 20});
}

// The slow rank is also slow in the next attempt.
TEST(MadeJobs, ARestart) { Check({.seconds = 110, .batch_s = 5, .restart_at_s = 55, .seed = 21}); }

TEST(MadeJobs, HealthyOnes) {
  for (uint32_t seed = 30; seed < 40; ++seed) {
    const MadeJob job{.ranks = 4 + seed % 7,
                      .seconds = 60,
                      .onset_s = kNever,
                      .batch_s = seed % 2 == 0 ? 1.0 : 5.0,
                      .seed = seed};
    const MadeRun::Counts counts = MadeRun(job).Run();
    EXPECT_EQ(counts.wrong, 0) << seed;
    EXPECT_EQ(counts.wrongly_silent, 0) << seed;
  }
}

}  // namespace
}  // namespace lockstep::live
