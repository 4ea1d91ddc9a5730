#include "training/job/frontier.h"

#include <algorithm>

namespace lockstep::training {
namespace {

constexpr int64_t kPatienceFactor = 3;
// A rank's stride is computed from its latest reports.
constexpr size_t kJudgedReports = 33;

// When the other ranks ended the first step that this rank owes, as far as they have.
struct Debt {
  size_t row = 0;
  int64_t since_ms = 0;
  int64_t late_ms = 0;
  bool is_owed = false;
};

class FrontierFinder {
 public:
  FrontierFinder(std::span<const RankProgress> ranks, std::span<const int64_t> step,
                 std::span<const int64_t> end_ms)
      : ranks_(ranks), step_(step), end_ms_(end_ms) {}

  Frontier Find() {
    if (step_.empty()) return {};
    newest_ms_ = *std::max_element(end_ms_.begin(), end_ms_.end());
    FindDebts();
    const int64_t patience_ms = PatienceMs();
    Frontier frontier{.step = step_.back()};
    frontier.owed_since_ms.resize(ranks_.size());
    bool any = false;
    for (const Debt& debt : debts_) {
      const RankProgress& rank = ranks_[debt.row];
      if (debt.is_owed) frontier.owed_since_ms[debt.row] = debt.since_ms;
      if (debt.late_ms > patience_ms) {
        frontier.not_reporting.push_back({debt.row, debt.since_ms, rank.last_step});
      } else if (rank.last_step.has_value()) {
        any = true;
        frontier.step = std::min(*frontier.step, *rank.last_step + rank.stride - 1);
      }
    }
    if (!any && !debts_.empty()) frontier.step.reset();
    return frontier;
  }

 private:
  void FindDebts() {
    const auto reporting = static_cast<size_t>(
        std::count_if(ranks_.begin(), ranks_.end(),
                      [](const RankProgress& rank) { return rank.last_step.has_value(); }));
    const bool is_everyone_expected = 3 * reporting >= 2 * ranks_.size();
    for (size_t row = 0; row < ranks_.size(); ++row) {
      const RankProgress& rank = ranks_[row];
      if (rank.has_exited || (!rank.last_step.has_value() && !is_everyone_expected)) continue;
      debts_.push_back(DebtOf(row));
    }
  }

  Debt DebtOf(size_t row) const {
    const RankProgress& rank = ranks_[row];
    if (rank.owed_since_ms.has_value()) return DebtSince(row, *rank.owed_since_ms);
    const auto owed = rank.last_step.has_value() ? std::lower_bound(step_.begin(), step_.end(),
                                                                    *rank.last_step + rank.stride)
                                                 : step_.begin();
    if (owed == step_.end()) return {row, newest_ms_, 0, false};
    return DebtSince(row, end_ms_[static_cast<size_t>(owed - step_.begin())]);
  }

  Debt DebtSince(size_t row, int64_t since_ms) const {
    return {row, since_ms, std::max<int64_t>(newest_ms_ - since_ms, 0), true};
  }

  // The lower median: of two ranks, a silent one must not extend its own deadline.
  int64_t PatienceMs() const {
    std::vector<int64_t> late;
    for (const Debt& debt : debts_) {
      if (ranks_[debt.row].last_step.has_value()) late.push_back(debt.late_ms);
    }
    if (late.empty()) return kPatienceMs;
    const auto middle = late.begin() + static_cast<ptrdiff_t>((late.size() - 1) / 2);
    std::nth_element(late.begin(), middle, late.end());
    return kPatienceMs + kPatienceFactor * *middle;
  }

  std::span<const RankProgress> ranks_;
  std::span<const int64_t> step_;
  std::span<const int64_t> end_ms_;
  int64_t newest_ms_ = 0;
  std::vector<Debt> debts_;
};

}  // namespace

Frontier FrontierOf(std::span<const RankProgress> ranks, std::span<const int64_t> step,
                    std::span<const int64_t> end_ms) {
  return FrontierFinder(ranks, step, end_ms).Find();
}

int64_t StrideOf(std::span<const int64_t> step) {
  const std::span<const int64_t> judged = step.last(std::min(step.size(), kJudgedReports));
  std::vector<int64_t> strides;
  for (size_t i = 1; i < judged.size(); ++i) {
    if (judged[i] > judged[i - 1]) strides.push_back(judged[i] - judged[i - 1]);
  }
  if (strides.empty()) return 1;
  const auto middle = strides.begin() + static_cast<ptrdiff_t>(strides.size() / 2);
  std::nth_element(strides.begin(), middle, strides.end());
  return *middle;
}

}  // namespace lockstep::training
