// Random parts of the recorded jobs: no false alarms without a planted fault, and no misses where
// it is visible.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/training/recording.h"
#include "tests/training/straggler_inputs.h"

namespace lockstep::training {
namespace {

constexpr StragglerMethod kMethods[] = {StragglerMethod::kCollectiveWaits,
                                        StragglerMethod::kPhaseTimes, StragglerMethod::kOwnTime,
                                        StragglerMethod::kDeviceCounters};
constexpr int kPartsPerJob = 60;
constexpr size_t kShortest = 12;

std::vector<RecordedJob> AllJobs() {
  std::vector<RecordedJob> jobs = LoadRecording("h200");
  for (RecordedJob& job : LoadRecording("sweep")) jobs.push_back(std::move(job));
  return jobs;
}

// At least two random rows, in order.
std::vector<size_t> SomeRows(size_t count, std::mt19937& random) {
  std::vector<size_t> rows(count);
  for (size_t row = 0; row < count; ++row) rows[row] = row;
  std::shuffle(rows.begin(), rows.end(), random);
  rows.resize(std::uniform_int_distribution<size_t>(2, count)(random));
  std::sort(rows.begin(), rows.end());
  return rows;
}

RecordedJob SomePart(const RecordedJob& job, size_t until, std::mt19937& random) {
  const size_t length = std::uniform_int_distribution<size_t>(kShortest, until)(random);
  const size_t first = std::uniform_int_distribution<size_t>(0, until - length)(random);
  const RecordedJob part = StepRangeOf(job, first, first + length - 1);
  return RanksOf(part, SomeRows(job.job.ranks.size(), random));
}

TEST(StragglerWindows, NobodyIsNamedWhereNothingIsPlanted) {
  std::mt19937 random(1);
  int asked = 0;
  int named = 0;
  for (const RecordedJob& job : AllJobs()) {
    const bool planted = !job.truth.slow_ranks.empty();
    const size_t until = planted ? static_cast<size_t>(job.truth.from_step) : job.steps.size();
    for (int i = 0; i < kPartsPerJob; ++i) {
      const RecordedJob part = SomePart(job, until, random);
      for (const StragglerMethod method : kMethods) {
        const StragglerAnswer answer = AnswerBy(method, part);
        ++asked;
        if (answer.ranks.empty()) continue;
        ++named;
        ADD_FAILURE() << job.job.name << " steps " << part.steps.step.front() << ".."
                      << part.steps.step.back() << " of " << part.job.ranks.size() << " ranks by "
                      << Name(method) << ": " << Summary(part, answer) << " score "
                      << answer.ranks.front().score;
      }
    }
  }
  RecordProperty("asked", asked);
  RecordProperty("named", named);
}

// Ranks are late by less than 3 % of a step.
bool IsWeak(const RecordedJob& job) {
  return job.job.name == "sweep-mm3" || job.job.name == "sweep-load5";
}

// Whether the fault is visible in the part: 25 steps before the onset and 25 after it, with at
// least three ranks. Weak effects need all ranks: among three, the late rank is compared with the
// later of the two others. Device counters need two of their 5 s windows.
bool Shows(const RecordedJob& job, const RecordedJob& part, StragglerMethod method) {
  const size_t ranks = part.job.ranks.size();
  if (ranks < (IsWeak(job) ? 4 : 3)) return false;
  const int64_t shown_ms = part.steps.end_ms.back() - job.truth.time.min_ms;
  const bool is_all = part.steps.step.back() == job.truth.until_step;
  return method != StragglerMethod::kDeviceCounters || shown_ms >= 10000 || is_all;
}

RecordedJob PartAroundOnset(const RecordedJob& job, std::mt19937& random) {
  const auto onset = static_cast<size_t>(job.truth.from_step);
  const size_t first = std::uniform_int_distribution<size_t>(0, onset - 25)(random);
  const size_t last =
      std::uniform_int_distribution<size_t>(onset + 24, job.steps.size() - 1)(random);
  return RanksOf(StepRangeOf(job, first, last), SomeRows(job.job.ranks.size(), random));
}

bool HasRank(const RecordedJob& part, int64_t rank) {
  return std::any_of(part.job.ranks.begin(), part.job.ranks.end(),
                     [rank](const RankPlace& place) { return place.rank == rank; });
}

TEST(StragglerWindows, PlantedRanksAreNamedInAnyPartThatShowsThem) {
  std::mt19937 random(2);
  int asked = 0;
  for (const RecordedJob& job : AllJobs()) {
    if (job.truth.slow_ranks.empty() || job.job.name == "sweep-mm1") continue;
    const int64_t slow_rank = job.truth.slow_ranks.front();
    const std::string expected = "slow_rank " + std::to_string(slow_rank) + " ";
    for (int i = 0; i < kPartsPerJob; ++i) {
      const RecordedJob part = PartAroundOnset(job, random);
      if (!HasRank(part, slow_rank)) continue;
      for (const StragglerMethod method : kMethods) {
        if (!Shows(job, part, method)) continue;
        const StragglerAnswer answer = AnswerBy(method, part);
        ++asked;
        const std::string summary = Summary(part, answer);
        EXPECT_TRUE(summary.starts_with(expected) && answer.ranks.size() == 1)
            << job.job.name << " steps " << part.steps.step.front() << ".."
            << part.steps.step.back() << " of " << part.job.ranks.size() << " ranks by "
            << Name(method) << ": " << summary;
      }
    }
  }
  RecordProperty("asked", asked);
}

}  // namespace
}  // namespace lockstep::training
