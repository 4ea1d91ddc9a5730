#include "training/fleet/job_lateness.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "training/fleet/normal.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/own_time.h"

namespace lockstep::training {
namespace {

constexpr size_t kFewestPeers = 4;
constexpr size_t kFewestComparedSteps = 20;

double TypicalSeconds(std::span<const double> seconds) {
  const auto known = static_cast<size_t>(
      std::count_if(seconds.begin(), seconds.end(), [](double each) { return !std::isnan(each); }));
  return known < kFewestComparedSteps ? kUnknown : Median(seconds);
}

// Quantiles of the normal distribution for places 0 to `count` - 1, with a variance of one.
std::vector<double> NormalScores(size_t count) {
  std::vector<double> scores(count);
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    scores[i] = NormalQuantile((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    squares += scores[i] * scores[i];
  }
  const double deviation = std::sqrt(squares / static_cast<double>(count));
  for (double& score : scores) score /= deviation;
  return scores;
}

// Adds the ranks in `rows`, which are peers.
void AddPeers(const Job& job, std::vector<size_t> rows, const std::vector<double>& typical,
              std::vector<RankLateness>& found) {
  if (rows.size() < kFewestPeers) return;
  std::ranges::sort(rows, {}, [&](size_t row) { return typical[row]; });
  std::vector<double> seconds;
  for (const size_t row : rows) seconds.push_back(typical[row]);
  const double middle = Median(seconds);
  if (!(middle > 0)) return;
  const std::vector<double> scores = NormalScores(rows.size());
  for (size_t begin = 0; begin < rows.size();) {
    // Equal times share their places.
    size_t end = begin + 1;
    while (end < rows.size() && seconds[end] == seconds[begin]) ++end;
    const double score = Mean(std::span(scores).subspan(begin, end - begin));
    for (size_t i = begin; i < end; ++i) {
      found.push_back({.place = job.ranks[rows[i]],
                       .late_ratio = seconds[i] / middle - 1,
                       .score = score,
                       .peers = rows.size(),
                       .is_slowest = end == rows.size() && end - begin == 1});
    }
    begin = end;
  }
}

}  // namespace

std::vector<RankLateness> LatenessOf(const Job& job, const StepTable& steps,
                                     const std::vector<std::string>& gpu_models, TaskPool* pool) {
  const OwnTime own = StrongestOwnTime(steps, pool);
  std::vector<RankLateness> found;
  if (own.seconds.empty()) return found;
  std::vector<double> typical;
  for (size_t row = 0; row < own.seconds.rows(); ++row) {
    typical.push_back(TypicalSeconds(own.seconds.Row(row)));
  }
  for (const std::vector<size_t>& group : PeerGroups(job)) {
    std::map<std::string, std::vector<size_t>> by_model;
    for (const size_t row : group) {
      if (!std::isnan(typical[row])) by_model[gpu_models[row]].push_back(row);
    }
    for (const auto& [model, rows] : by_model) AddPeers(job, rows, typical, found);
  }
  return found;
}

std::vector<RankLateness> LatenessOfPeers(const Job& job, const std::vector<double>& seconds) {
  std::vector<size_t> rows(job.ranks.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::vector<RankLateness> found;
  AddPeers(job, std::move(rows), seconds, found);
  return found;
}

}  // namespace lockstep::training
