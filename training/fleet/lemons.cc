#include "training/fleet/lemons.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/fleet/normal.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr size_t kFewestJobs = 5;
constexpr double kLeastLateness = 0.01;
constexpr double kMostByChance = 0.01;
// Healthy devices differ, too: a lemon stands out from them as one in four thousand would.
constexpr double kDeviations = 3.5;
constexpr size_t kFewestForDeviation = 20;
// Observations of a rank on other devices that tell whether the rank itself is late.
constexpr size_t kFewestOfRank = 10;
constexpr size_t kFewestHosts = 4;
constexpr size_t kFewestRanksOfHost = 2;

// What one job tells of one device.
struct Observation {
  LemonEvidence evidence;
  double score = 0;
};

// By host, index and UUID; index and UUID are empty for a host.
using DeviceKey = std::tuple<std::string, std::string, std::string>;
using Observations = std::map<DeviceKey, std::vector<Observation>>;

// A UUID is enough: a GPU may move to another host or slot.
DeviceKey KeyOf(const RankPlace& place) {
  if (!place.gpu_uuid.empty()) return {"", "", place.gpu_uuid};
  return {place.host, place.gpu, ""};
}

bool IsKnown(const RankPlace& place) {
  return !place.gpu_uuid.empty() || (!place.host.empty() && !place.gpu.empty());
}

// Restarts of a job repeat its data and its placement, so they say nothing new of a device.
bool IsOfSameJob(std::span<const JobLateness> history, const std::vector<Observation>& of_device,
                 size_t job) {
  return !of_device.empty() && history[of_device.back().evidence.job].job == history[job].job;
}

Observations ObserveGpus(std::span<const JobLateness> history) {
  Observations found;
  for (size_t job = 0; job < history.size(); ++job) {
    for (const RankLateness& rank : history[job].ranks) {
      if (!IsKnown(rank.place)) continue;
      std::vector<Observation>& of_device = found[KeyOf(rank.place)];
      // If ranks share a GPU, the first one counts.
      if (IsOfSameJob(history, of_device, job)) continue;
      of_device.push_back({{job, rank.place, rank.late_ratio, rank.is_slowest}, rank.score});
    }
  }
  return found;
}

// Hosts of one job, each as late as its ranks are on average.
void ObserveHostsOf(std::span<const JobLateness> history, size_t job, Observations& found) {
  std::map<std::string, std::vector<const RankLateness*>> by_host;
  for (const RankLateness& rank : history[job].ranks) {
    if (!rank.place.host.empty()) by_host[rank.place.host].push_back(&rank);
  }
  std::erase_if(by_host, [](const auto& host) { return host.second.size() < kFewestRanksOfHost; });
  if (by_host.size() < kFewestHosts) return;
  Job hosts;
  std::vector<double> late;
  for (const auto& [name, ranks] : by_host) {
    hosts.ranks.push_back({.rank = ranks.front()->place.rank, .host = name});
    double sum = 0;
    for (const RankLateness* rank : ranks) sum += rank->late_ratio;
    late.push_back(1 + sum / static_cast<double>(ranks.size()));
  }
  for (const RankLateness& host : LatenessOfPeers(hosts, late)) {
    std::vector<Observation>& of_host = found[{host.place.host, "", ""}];
    if (IsOfSameJob(history, of_host, job)) continue;
    of_host.push_back({{job, host.place, host.late_ratio, host.is_slowest}, host.score});
  }
}

Observations ObserveHosts(std::span<const JobLateness> history) {
  Observations found;
  for (size_t job = 0; job < history.size(); ++job) ObserveHostsOf(history, job, found);
  return found;
}

// How late the holders of one rank are, in sum.
struct RankSum {
  double score = 0;
  double late_ratio = 0;
  size_t count = 0;

  void Add(const Observation& of) {
    score += of.score;
    late_ratio += of.evidence.late_ratio;
    ++count;
  }
};

class RankHabits {
 public:
  explicit RankHabits(const Observations& all) {
    for (const auto& [device, observations] : all) {
      for (const Observation& of : observations) sums_[of.evidence.place.rank].Add(of);
    }
  }

  // What the rank of each observation was late by on other devices is taken off. Returns whether
  // other devices say enough about one of the ranks at least.
  bool TakeOff(std::vector<Observation>& observations) const {
    std::map<int64_t, RankSum> own;
    for (const Observation& of : observations) own[of.evidence.place.rank].Add(of);
    bool is_known = false;
    for (Observation& of : observations) {
      const int64_t rank = of.evidence.place.rank;
      const RankSum& all = sums_.at(rank);
      const size_t count = all.count - own[rank].count;
      if (count < kFewestOfRank) continue;
      is_known = true;
      const auto others = static_cast<double>(count);
      const double score = (all.score - own[rank].score) / others;
      // Three standard errors; less is chance.
      if (std::abs(score) * std::sqrt(others) < 3) continue;
      of.score -= score;
      of.evidence.late_ratio -= (all.late_ratio - own[rank].late_ratio) / others;
    }
    return is_known;
  }

 private:
  std::map<int64_t, RankSum> sums_;
};

bool IsAlwaysTheSameRank(std::span<const Observation> observations) {
  return std::ranges::all_of(observations, [&](const Observation& of) {
    return of.evidence.place.rank == observations.front().evidence.place.rank;
  });
}

Lemon Judge(const DeviceKey& device, std::vector<Observation> observations,
            const RankHabits& habits, std::span<const JobLateness> history) {
  const bool is_rank_known = habits.TakeOff(observations);
  Lemon found{.kind = std::get<1>(device).empty() && std::get<2>(device).empty()
                          ? Lemon::Kind::kHost
                          : Lemon::Kind::kGpu,
              .jobs = observations.size()};
  std::ranges::sort(observations, [&](const Observation& a, const Observation& b) {
    return history[a.evidence.job].time.max_ms > history[b.evidence.job].time.max_ms;
  });
  const RankPlace& place = observations.front().evidence.place;  // the latest
  found.host = place.host;
  found.gpu = place.gpu;
  found.gpu_uuid = place.gpu_uuid;
  std::vector<double> late;
  for (const Observation& of : observations) {
    found.score += of.score / std::sqrt(static_cast<double>(observations.size()));
    if (of.evidence.is_slowest) ++found.slowest_in;
    late.push_back(of.evidence.late_ratio);
    found.evidence.push_back(of.evidence);
  }
  found.late_ratio = Median(late);
  if (!is_rank_known && IsAlwaysTheSameRank(observations)) {
    found.doubt = absl::StrFormat(
        "it ran rank %d each time, and that rank may be late wherever it runs", place.rank);
  }
  return found;
}

// Judges all that were in enough jobs, and returns those that stand out.
std::vector<Lemon> StandOut(const Observations& all, std::span<const JobLateness> history,
                            size_t& judged_count) {
  const RankHabits habits(all);
  std::vector<Lemon> judged;
  std::vector<double> late;
  for (const auto& [device, observations] : all) {
    if (observations.size() < kFewestJobs) continue;
    judged.push_back(Judge(device, observations, habits, history));
    late.push_back(judged.back().late_ratio);
  }
  judged_count = judged.size();
  double least = kLeastLateness;
  if (late.size() >= kFewestForDeviation) {
    least = std::max(least, Median(late) + kDeviations * RobustDeviation(late));
  }
  std::erase_if(judged, [&](Lemon& each) {
    each.by_chance = NormalTail(each.score) * static_cast<double>(late.size());
    return each.late_ratio < least || each.by_chance >= kMostByChance;
  });
  return judged;
}

// A host is named instead of its GPUs if several of them stand out, or none does: then each is too
// little late to tell. If it is one, the host is late because of it.
void ChooseBetween(std::vector<Lemon>& gpus, std::vector<Lemon>& hosts) {
  std::map<std::string, size_t> count_on;
  for (const Lemon& gpu : gpus) ++count_on[gpu.host];
  std::erase_if(hosts, [&](const Lemon& host) { return count_on[host.host] == 1; });
  std::set<std::string> named;
  for (const Lemon& host : hosts) named.insert(host.host);
  std::erase_if(gpus, [&](const Lemon& gpu) { return named.contains(gpu.host); });
}

}  // namespace

LemonAnswer FindLemons(std::span<const JobLateness> history) {
  LemonAnswer answer;
  std::vector<Lemon> all = StandOut(ObserveGpus(history), history, answer.gpus_judged);
  std::vector<Lemon> hosts = StandOut(ObserveHosts(history), history, answer.hosts_judged);
  ChooseBetween(all, hosts);
  std::ranges::move(hosts, std::back_inserter(all));
  std::ranges::stable_sort(all, std::greater<>(), &Lemon::score);
  for (Lemon& each : all) {
    (each.doubt.empty() ? answer.lemons : answer.undecided).push_back(std::move(each));
  }
  return answer;
}

}  // namespace lockstep::training
