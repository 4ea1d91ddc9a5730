#include "training/attempts.h"

#include <algorithm>
#include <numeric>

namespace lockstep::training {
namespace {

// A rank's entries in order of time, and where its attempts begin in that order.
struct RankHistory {
  std::vector<size_t> order;
  std::vector<int64_t> begins_ms;  // of attempts after the first
};

RankHistory HistoryOf(const RankSteps& rank) {
  RankHistory history;
  history.order.resize(rank.step.size());
  std::iota(history.order.begin(), history.order.end(), size_t{0});
  std::stable_sort(history.order.begin(), history.order.end(),
                   [&rank](size_t a, size_t b) { return rank.end_ms[a] < rank.end_ms[b]; });
  for (size_t i = 1; i < history.order.size(); ++i) {
    const size_t entry = history.order[i];
    if (rank.step[entry] < rank.step[history.order[i - 1]]) {
      history.begins_ms.push_back(rank.end_ms[entry]);
    }
  }
  return history;
}

// Ranks restart together: what matters is the earliest report after each restart. Ranks that report a
// restart a little later belong to the same one, as long as none of them restarts twice in between.
std::vector<int64_t> RestartsOf(const std::vector<RankHistory>& histories) {
  size_t most = 0;
  for (const RankHistory& history : histories) most = std::max(most, history.begins_ms.size());
  std::vector<int64_t> restarts;
  for (size_t i = 0; i < most; ++i) {
    int64_t earliest = 0;
    for (const RankHistory& history : histories) {
      if (history.begins_ms.size() != most) continue;
      earliest = earliest == 0 ? history.begins_ms[i] : std::min(earliest, history.begins_ms[i]);
    }
    restarts.push_back(earliest);
  }
  return restarts;
}

void Append(const std::vector<double>& from, size_t entry, std::vector<double>& to) {
  if (!from.empty()) to.push_back(from[entry]);
}

void AppendEntry(const RankSteps& from, size_t entry, RankSteps& to) {
  to.step.push_back(from.step[entry]);
  to.end_ms.push_back(from.end_ms[entry]);
  if (to.phases.empty()) {
    for (const NamedColumn& phase : from.phases) to.phases.push_back({phase.name, {}});
  }
  for (size_t i = 0; i < from.phases.size(); ++i) {
    Append(from.phases[i].values, entry, to.phases[i].values);
  }
  for (auto column : {&RankSteps::step_seconds, &RankSteps::own_seconds, &RankSteps::loss,
                      &RankSteps::gradient_norm, &RankSteps::memory_allocated_bytes,
                      &RankSteps::model_flops, &RankSteps::tokens}) {
    Append(from.*column, entry, to.*column);
  }
}

}  // namespace

std::vector<std::vector<RankSteps>> SplitAttempts(std::span<const RankSteps> ranks) {
  std::vector<RankHistory> histories;
  for (const RankSteps& rank : ranks) histories.push_back(HistoryOf(rank));
  const std::vector<int64_t> restarts = RestartsOf(histories);
  std::vector<std::vector<RankSteps>> attempts(restarts.size() + 1,
                                               std::vector<RankSteps>(ranks.size()));
  for (size_t row = 0; row < ranks.size(); ++row) {
    for (const size_t entry : histories[row].order) {
      const auto attempt =
          std::upper_bound(restarts.begin(), restarts.end(), ranks[row].end_ms[entry]);
      AppendEntry(ranks[row], entry,
                  attempts[static_cast<size_t>(attempt - restarts.begin())][row]);
    }
  }
  return attempts;
}

}  // namespace lockstep::training
