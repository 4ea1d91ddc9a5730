#include "training/parallelism/pipeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "training/matrix/statistics.h"
#include "training/stragglers/own_time.h"

namespace lockstep::training {
namespace {

// Rows by the group's number or name.
template <typename Key>
using Groups = std::map<Key, std::vector<size_t>>;

template <typename Key, typename KeyOfRank>
Groups<Key> GroupsOf(const Job& job, KeyOfRank key_of_rank) {
  Groups<Key> groups;
  for (size_t row = 0; row < job.ranks.size(); ++row) {
    groups[key_of_rank(job.ranks[row])].push_back(row);
  }
  return groups;
}

std::string NameOfGroup(int64_t number) { return std::to_string(number); }
std::string NameOfGroup(const std::string& name) { return name; }

// By step: the own time of the slowest of these ranks; unknown if one is unknown.
std::vector<double> SlowestOf(const RankMatrix& own, const std::vector<size_t>& rows) {
  std::vector<double> slowest(own.columns(), 0.0);
  for (const size_t row : rows) {
    for (size_t n = 0; n < slowest.size(); ++n) {
      const double seconds = own(row, n);
      if (std::isnan(seconds) || seconds > slowest[n]) slowest[n] = seconds;
    }
  }
  return slowest;
}

// The two slowest groups of a step; unknown if one is unknown.
struct TwoSlowest {
  size_t group = 0;
  double first = 0;
  double second = 0;

  void Add(size_t of, double seconds) {
    if (std::isnan(seconds)) first = second = seconds;
    if (seconds > first) {
      second = std::exchange(first, seconds);
      group = of;
    } else if (seconds > second) {
      second = seconds;
    }
  }
  // How much longer the step takes because of this group.
  double GainWithout(size_t of) const { return of == group ? first - second : 0 * first; }
};

// `passes`: how many times in a row the slowest group's work for a micro-batch is in a step, for
// each time that it is in its own time: a pipeline waits for it while it fills and drains, too.
template <typename Key>
std::vector<GroupTime> TimesOf(const Groups<Key>& groups, const OwnTime& own, double step_seconds,
                               double passes) {
  std::vector<GroupTime> found;
  if (groups.size() < 2) return found;
  std::vector<TwoSlowest> slowest(own.seconds.columns());
  for (const auto& [key, rows] : groups) {
    const std::vector<double> seconds = SlowestOf(own.seconds, rows);
    for (size_t n = 0; n < seconds.size(); ++n) slowest[n].Add(found.size(), seconds[n]);
    found.push_back(
        {.name = NameOfGroup(key), .ranks = rows.size(), .own_seconds = Median(seconds)});
  }
  std::vector<double> gain(slowest.size());
  for (size_t group = 0; group < found.size(); ++group) {
    for (size_t n = 0; n < gain.size(); ++n) gain[n] = passes * slowest[n].GainWithout(group);
    found[group].step_seconds_without = step_seconds - Median(gain);
  }
  return found;
}

double ImbalanceOf(const std::vector<GroupTime>& groups) {
  if (groups.empty()) return kUnknown;
  std::vector<double> seconds;
  for (const GroupTime& group : groups) seconds.push_back(group.own_seconds);
  return *std::ranges::max_element(seconds) / Median(seconds) - 1;
}

double MicroBatchesOf(const Parallelism& parallelism) {
  const double at_once =
      static_cast<double>(parallelism.micro_batch) * static_cast<double>(parallelism.data);
  if (!(at_once > 0) || parallelism.global_batch <= 0) return kUnknown;
  return static_cast<double>(parallelism.global_batch) / at_once;
}

// The mean over ranks of the median share of a step that is not own time.
double IdleRatio(const OwnTime& own) {
  double sum = 0;
  for (size_t row = 0; row < own.seconds.rows(); ++row) {
    std::vector<double> ratios(own.seconds.columns());
    for (size_t n = 0; n < ratios.size(); ++n) {
      ratios[n] = 1 - own.seconds(row, n) / own.step_seconds[n];
    }
    sum += Median(ratios);
  }
  return sum / static_cast<double>(own.seconds.rows());
}

void SetBubble(const OwnTime& own, const Parallelism& parallelism, PipelineBubble& bubble) {
  bubble.ratio = IdleRatio(own);
  const auto waits = static_cast<double>(bubble.stages - 1);
  bubble.theory_ratio =
      waits / (static_cast<double>(bubble.interleave) * MicroBatchesOf(parallelism) + waits);
}

}  // namespace

ParallelismAnswer FindGroupTimes(const Job& job, const StepTable& steps,
                                 const Parallelism& parallelism, int64_t interleave,
                                 TaskPool* pool) {
  ParallelismAnswer answer;
  const OwnTime own = StrongestOwnTime(steps, pool);
  if (own.seconds.empty()) {
    answer.missing = own.missing;
    return answer;
  }
  std::vector<double> known_steps = own.step_seconds;
  for (size_t n = 0; n < known_steps.size(); ++n) {
    if (std::isnan(own.seconds(0, n))) known_steps[n] = kUnknown;  // warm-up
  }
  answer.step_seconds = Median(known_steps);
  const auto stages = GroupsOf<int64_t>(job, [](const RankPlace& place) { return place.stage; });
  answer.bubble.stages = static_cast<int64_t>(stages.size());
  answer.bubble.micro_batches = MicroBatchesOf(parallelism);
  answer.bubble.interleave = interleave;
  double passes = 1;
  if (stages.size() > 1) {
    SetBubble(own, parallelism, answer.bubble);
    if (!std::isnan(answer.bubble.theory_ratio)) passes = 1 / (1 - answer.bubble.theory_ratio);
  }
  answer.stages = TimesOf(stages, own, answer.step_seconds, passes);
  answer.experts =
      TimesOf(GroupsOf<int64_t>(job, [](const RankPlace& place) { return place.expert_group; }),
              own, answer.step_seconds, passes);
  auto hosts = GroupsOf<std::string>(job, [](const RankPlace& place) { return place.host; });
  hosts.erase("");
  answer.hosts = TimesOf(hosts, own, answer.step_seconds, passes);
  answer.stage_imbalance_ratio = ImbalanceOf(answer.stages);
  answer.expert_imbalance_ratio = ImbalanceOf(answer.experts);
  return answer;
}

}  // namespace lockstep::training
