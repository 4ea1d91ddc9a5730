#include "training/fleet/lemons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace lockstep::training {
namespace {

constexpr size_t kGpusOfHost = 8;

RankPlace PlaceOf(size_t gpu) {
  return {.host = "host-" + std::to_string(gpu / kGpusOfHost),
          .gpu = std::to_string(gpu % kGpusOfHost),
          .gpu_uuid = "GPU-" + std::to_string(gpu)};
}

// A fleet whose GPUs take slightly different times for the same work, and more in some jobs than in
// others.
class Fleet {
 public:
  Fleet(size_t gpus, uint32_t seed) : random_(seed) {
    for (size_t i = 0; i < gpus; ++i) seconds_.push_back(1 + Normal(0.003));
  }

  void Slow(size_t gpu, double by) { seconds_[gpu] *= 1 + by; }
  void SlowRank(size_t rank, double by) { slow_rank_ = rank, slow_rank_by_ = by; }

  // A job on GPUs drawn at random, or on these, in this order.
  void Run(size_t ranks) {
    std::vector<size_t> gpus(seconds_.size());
    std::iota(gpus.begin(), gpus.end(), size_t{0});
    std::shuffle(gpus.begin(), gpus.end(), random_);
    gpus.resize(ranks);
    RunOn(gpus);
  }
  void RunOn(const std::vector<size_t>& gpus) {
    Job job;
    std::vector<double> seconds;
    for (size_t rank = 0; rank < gpus.size(); ++rank) {
      job.ranks.push_back(PlaceOf(gpus[rank]));
      job.ranks.back().rank = static_cast<int64_t>(rank);
      seconds.push_back(seconds_[gpus[rank]] * (1 + Normal(0.008)));
      if (rank == slow_rank_) seconds.back() *= 1 + slow_rank_by_;
    }
    const auto now_ms = static_cast<int64_t>(history_.size());
    history_.push_back({.job = "j" + std::to_string(history_.size()),
                        .time = {now_ms, now_ms + 1},
                        .ranks = LatenessOfPeers(job, seconds)});
  }
  // On whole hosts drawn at random.
  void RunOnHosts(size_t hosts) {
    std::vector<size_t> all(seconds_.size() / kGpusOfHost);
    std::iota(all.begin(), all.end(), size_t{0});
    std::shuffle(all.begin(), all.end(), random_);
    std::vector<size_t> gpus;
    for (size_t i = 0; i < hosts; ++i) {
      for (size_t gpu = 0; gpu < kGpusOfHost; ++gpu) gpus.push_back(all[i] * kGpusOfHost + gpu);
    }
    RunOn(gpus);
  }

  LemonAnswer Ask() const { return FindLemons(history_); }
  const std::vector<JobLateness>& history() const { return history_; }

 private:
  double Normal(double deviation) { return std::normal_distribution<>(0, deviation)(random_); }

  std::mt19937 random_;
  std::vector<double> seconds_;
  size_t slow_rank_ = SIZE_MAX;
  double slow_rank_by_ = 0;
  std::vector<JobLateness> history_;
};

std::vector<std::string> Names(const std::vector<Lemon>& lemons) {
  std::vector<std::string> names;
  for (const Lemon& lemon : lemons) {
    names.push_back(lemon.kind == Lemon::Kind::kHost ? lemon.host : lemon.gpu_uuid);
  }
  std::ranges::sort(names);
  return names;
}

class LemonFleets : public ::testing::TestWithParam<uint32_t> {};

TEST_P(LemonFleets, FiveLemonsOf512GpusAreFoundAndNothingElse) {
  Fleet fleet(512, GetParam());
  std::vector<std::string> planted;
  for (const size_t gpu : {3, 100, 201, 350, 511}) {
    fleet.Slow(gpu, 0.02);
    planted.push_back("GPU-" + std::to_string(gpu));
  }
  std::ranges::sort(planted);
  for (int i = 0; i < 1000; ++i) fleet.Run(i % 3 == 0 ? 16 : 8);
  const LemonAnswer answer = fleet.Ask();
  EXPECT_EQ(Names(answer.lemons), planted);
  EXPECT_TRUE(answer.undecided.empty());
  EXPECT_GT(answer.gpus_judged, 500u);
  for (const Lemon& lemon : answer.lemons) {
    EXPECT_NEAR(lemon.late_ratio, 0.02, 0.01);
    EXPECT_GT(lemon.slowest_in, lemon.jobs / 4);
    EXPECT_EQ(lemon.evidence.size(), lemon.jobs);
    EXPECT_LT(lemon.by_chance, 0.01);
  }
}

TEST_P(LemonFleets, NoneIsFoundWhereThereIsNone) {
  Fleet fleet(512, GetParam());
  for (int i = 0; i < 1000; ++i) fleet.Run(i % 3 == 0 ? 16 : 8);
  const LemonAnswer answer = fleet.Ask();
  EXPECT_THAT(Names(answer.lemons), ::testing::IsEmpty());
  EXPECT_THAT(Names(answer.undecided), ::testing::IsEmpty());
}

TEST_P(LemonFleets, OneOfThreePercentIsFoundBeforeItsTwentiethJob) {
  Fleet fleet(64, GetParam());
  fleet.Slow(7, 0.03);
  for (int i = 0; i < 140; ++i) fleet.Run(8);
  const LemonAnswer answer = fleet.Ask();
  ASSERT_EQ(Names(answer.lemons), (std::vector<std::string>{"GPU-7"}));
  EXPECT_LE(answer.lemons[0].jobs, 30u);
}

// A rank that logs for all others is late on whatever GPU it runs.
TEST_P(LemonFleets, ALateRankIsNoLemon) {
  Fleet fleet(64, GetParam());
  fleet.SlowRank(0, 0.05);
  for (int i = 0; i < 300; ++i) fleet.Run(8);
  EXPECT_THAT(Names(fleet.Ask().lemons), ::testing::IsEmpty());
}

TEST_P(LemonFleets, AHostIsNamedInsteadOfItsGpus) {
  Fleet fleet(128, GetParam());
  for (size_t gpu = 16; gpu < 24; ++gpu) fleet.Slow(gpu, 0.03);
  for (int i = 0; i < 60; ++i) fleet.RunOnHosts(4);
  EXPECT_EQ(Names(fleet.Ask().lemons), (std::vector<std::string>{"host-2"}));
}

TEST_P(LemonFleets, AGpuIsNamedWhereItsHostIsFine) {
  Fleet fleet(128, GetParam());
  fleet.Slow(17, 0.05);
  for (int i = 0; i < 60; ++i) fleet.RunOnHosts(4);
  EXPECT_EQ(Names(fleet.Ask().lemons), (std::vector<std::string>{"GPU-17"}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, LemonFleets, ::testing::Values(1, 2, 3));

TEST(Lemons, OneThatAlwaysRanTheSameRankIsInDoubt) {
  Fleet fleet(8, 1);
  fleet.Slow(2, 0.05);
  for (int i = 0; i < 20; ++i) fleet.RunOn({0, 1, 2, 3, 4, 5, 6, 7});
  const LemonAnswer answer = fleet.Ask();
  EXPECT_TRUE(answer.lemons.empty());
  ASSERT_EQ(Names(answer.undecided), (std::vector<std::string>{"GPU-2"}));
  EXPECT_EQ(answer.undecided[0].doubt,
            "it ran rank 2 each time, and that rank may be late wherever it runs");
}

TEST(Lemons, FourJobsAreTooFew) {
  Fleet fleet(8, 1);
  fleet.Slow(2, 0.5);
  for (int i = 0; i < 4; ++i) fleet.Run(8);
  EXPECT_EQ(fleet.Ask().gpus_judged, 0u);
  EXPECT_TRUE(fleet.Ask().lemons.empty());
}

// Five jobs are needed; one that started five times is one.
TEST(Lemons, RestartsOfAJobCountOnce) {
  Fleet fleet(8, 1);
  fleet.Slow(2, 0.5);
  for (int i = 0; i < 4; ++i) fleet.Run(8);
  std::vector<JobLateness> history = fleet.history();
  for (size_t attempt = 1; attempt < 5; ++attempt) {
    history.push_back(history.back());
    history.back().attempt = attempt;
  }
  EXPECT_EQ(FindLemons(history).gpus_judged, 0u);
}

TEST(Lemons, EvidenceIsLatestFirst) {
  Fleet fleet(16, 1);
  fleet.Slow(2, 0.2);
  for (int i = 0; i < 60; ++i) fleet.Run(8);
  const LemonAnswer answer = fleet.Ask();
  ASSERT_EQ(answer.lemons.size(), 1u);
  const auto& evidence = answer.lemons[0].evidence;
  EXPECT_TRUE(std::ranges::is_sorted(evidence, std::greater<>(), &LemonEvidence::job));
  EXPECT_EQ(answer.lemons[0].host, "host-0");
}

}  // namespace
}  // namespace lockstep::training
