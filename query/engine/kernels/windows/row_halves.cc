// Row functions over windows that overlap. The last multiple of the window's length inside a window
// divides it: what is before is the tail of a stretch between two multiples, what is after is the
// head of the next. Each stretch is folded twice, in both directions, and several side by side. The
// order of folding depends only on the window, not on the step or on other windows.
//
//            border          border          border
//   stretch ---|---- k - 1 -----|------ k -------|---
//   window            (............]
//                      tail of     head of
//                      k - 1       k
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "query/engine/kernels/windows/fold_questions.h"
#include "query/engine/kernels/windows/row_families.h"
#include "query/engine/kernels/windows/time_cursor.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

// The fold of both halves of a window.
SumFold<double> Join(const SumFold<double>& older, SumFold<double> newer) {
  newer.sum.Add(older.sum.sum);
  newer.sum.compensation += older.sum.compensation;
  return newer;
}
template <Extreme kExtreme>
ExtremeFold<double, kExtreme> Join(const ExtremeFold<double, kExtreme>& older,
                                   const ExtremeFold<double, kExtreme>& newer) {
  return {Better<kExtreme>(older.best, newer.best)};
}

// Adds a value that is earlier than those added before.
template <typename Number>
void AddEarlier(SumFold<Number>& fold, Number value) {
  fold.sum.Add(value);
}
template <typename Number, Extreme kExtreme>
void AddEarlier(ExtremeFold<Number, kExtreme>& fold, Number value) {
  fold.best = BetterOrEqual<kExtreme>(fold.best, value);
}

// Where a row's windows are divided.
struct Stretches {
  // Stretch k has the samples [bounds[k], bounds[k + 1]), which are after border k - 1, if there is
  // one, and up to border k. The first window ends behind border 0.
  std::vector<size_t> bounds;
  int64_t first_border_ms = 0;
  size_t max_count = 0;  // of the samples of a stretch

  // The first sample of a stretch. Stretches behind the last are empty.
  size_t BeginOf(size_t stretch) const { return bounds[std::min(stretch, bounds.size() - 1)]; }
};

// Precondition: the row is not empty.
Stretches StretchesOf(const WindowRow& row) {
  Stretches stretches;
  const int64_t rest_ms = row.first_end_ms % row.range_ms;
  stretches.first_border_ms = row.first_end_ms - (rest_ms < 0 ? rest_ms + row.range_ms : rest_ms);
  const int64_t last_end_ms = row.EndOf(row.size() - 1);
  std::vector<size_t>& bounds = stretches.bounds;
  bounds.push_back(row.firsts[0]);
  TimeCursor cursor(row.timestamps_ms);
  for (int64_t ms = stretches.first_border_ms; ms <= last_end_ms; ms += row.range_ms) {
    bounds.push_back(cursor.CountUpTo(ms));
  }
  bounds.push_back(row.ends[row.size() - 1]);
  for (size_t i = 1; i < bounds.size(); ++i) {
    stretches.max_count = std::max(stretches.max_count, bounds[i] - bounds[i - 1]);
  }
  return stretches;
}

// How many pairs of stretches to fold side by side: fewer if they are long, to keep less.
size_t PairsFor(const Stretches& stretches) {
  constexpr size_t kLong = 8192;
  return stretches.max_count < kLong ? kPairs : 1;
}

// The folds of the first values of several stretches, one in each lane, or of their last.
template <template <typename> class Fold>
class LaneFolds {
 public:
  using Lanes = std::array<const double*, kLanes>;

  // Folds values[lane][0] to values[lane][count - 1] of each lane.
  void FoldForward(const Lanes& values, size_t pairs, size_t count) {
    FoldAll(
        pairs, count, [](Fold<Pair>& fold, Pair value) { fold.Add(value, 0); },
        [&values](size_t lane, size_t i) { return values[lane][i]; });
  }
  // Folds ends[lane][-1] to ends[lane][-count] of each lane.
  void FoldBackward(const Lanes& ends, size_t pairs, size_t count) {
    FoldAll(
        pairs, count, [](Fold<Pair>& fold, Pair value) { AddEarlier(fold, value); },
        [&ends](size_t lane, size_t i) { return *(ends[lane] - i - 1); });
  }
  // The folds of a lane, by the number of values.
  class LaneView {
   public:
    Fold<double> operator[](size_t count) const { return first_[count * pairs_].Lane(lane_); }

   private:
    friend class LaneFolds;
    LaneView(const Fold<Pair>* first, size_t pairs, size_t lane)
        : first_(first), pairs_(pairs), lane_(lane) {}

    const Fold<Pair>* first_;
    size_t pairs_;
    size_t lane_;  // of the pair
  };
  LaneView Of(size_t lane) const { return LaneView(folds_.data() + lane / 2, pairs_, lane % 2); }

 private:
  template <typename Add, typename ValueAt>
  void FoldAll(size_t pairs, size_t count, Add add, ValueAt value_at) {
    pairs_ = pairs;
    if (folds_.size() < (count + 1) * pairs) folds_.resize((count + 1) * pairs);
    if (pairs == 1) return FoldPairs(count, add, value_at, std::make_index_sequence<1>());
    FoldPairs(count, add, value_at, std::make_index_sequence<kPairs>());
  }
  template <typename Add, typename ValueAt, size_t... kPair>
  void FoldPairs(size_t count, Add add, ValueAt value_at, std::index_sequence<kPair...>) {
    std::array<Fold<Pair>, sizeof...(kPair)> folds;
    Fold<Pair>* next = folds_.data();
    ((*next++ = folds[kPair]), ...);
    for (size_t i = 0; i < count; ++i) {
      (add(folds[kPair], Pair{value_at(2 * kPair, i), value_at(2 * kPair + 1, i)}), ...);
      ((*next++ = folds[kPair]), ...);
    }
  }

  size_t pairs_ = kPairs;
  std::vector<Fold<Pair>> folds_;
};

// Finds where values are so large that whether a partial sum overflows depends on the order of
// addition.
class LargeValues {
 public:
  void Find(std::span<const double> values) {
    places_.clear();
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::fabs(values[i]) > kLarge && std::isfinite(values[i])) places_.push_back(i);
    }
  }
  bool IsAnyIn(size_t begin, size_t end) const {
    if (places_.empty()) return false;
    const auto first = std::ranges::lower_bound(places_, begin);
    return first != places_.end() && *first < end;
  }

 private:
  static constexpr double kLarge = 1e290;

  std::vector<size_t> places_;
};

template <typename Question>
class HalvesFold : public RowFunction {
 public:
  void Evaluate(const WindowRow& row, std::span<double> results) override {
    if (row.size() == 0) return;
    if constexpr (kSums) large_values_.Find(row.values);
    stretches_ = StretchesOf(row);
    pairs_ = PairsFor(stretches_);
    size_t window = 0;
    for (size_t stretch = 0; window < row.size(); stretch += lanes()) {
      std::swap(tails_before_, tails_);
      FoldStretches(row.values, stretch);
      window = JoinUpTo(stretch + lanes(), row, window, results);
    }
  }

  // Heads, tails, and tails of the stretches before, and the first and last stretch padded.
  uint64_t scratch_bytes(const WindowRow& row) const override {
    if (row.size() == 0) return 0;
    const Stretches stretches = StretchesOf(row);
    const size_t folds_bytes = PairsFor(stretches) * sizeof(Fold<Pair>);
    return (stretches.max_count + 1) * (3 * folds_bytes + 4 * sizeof(double));
  }

 private:
  template <typename Number>
  using Fold = typename Question::template Fold<Number>;
  static constexpr bool kSums = std::is_same_v<Fold<double>, SumFold<double>>;

  size_t lanes() const { return 2 * pairs_; }

  // Folds the stretches from `first` on, one in each lane. All lanes fold as many values as the
  // longest; what the others fold beyond their stretch is not used.
  void FoldStretches(std::span<const double> values, size_t first) {
    size_t count = 0;
    for (size_t lane = 0; lane < lanes(); ++lane) {
      count =
          std::max(count, stretches_.BeginOf(first + lane + 1) - stretches_.BeginOf(first + lane));
    }
    std::array<const double*, kLanes> begins{};
    std::array<const double*, kLanes> ends{};
    for (size_t lane = 0; lane < lanes(); ++lane) {
      const size_t begin = stretches_.BeginOf(first + lane);
      const size_t end = stretches_.BeginOf(first + lane + 1);
      begins[lane] = values.data() + begin;
      ends[lane] = values.data() + end;
      if (begin == end) {
        begins[lane] = values.data();
        ends[lane] = values.data() + values.size();
      } else if (begin + count > values.size() || end < count) {
        // The series is too short to fold beyond the stretch.
        std::vector<double>& padded = paddings_[lane];
        padded.assign(2 * count, 0);
        std::copy(begins[lane], ends[lane], padded.begin());
        std::copy_backward(begins[lane], ends[lane], padded.end());
        begins[lane] = padded.data();
        ends[lane] = padded.data() + padded.size();
      }
    }
    heads_.FoldForward(begins, pairs_, count);
    tails_.FoldBackward(ends, pairs_, count);
  }

  // Computes the windows from `window` on whose newer half is in a stretch before `stretch_end`;
  // returns the first of the others.
  size_t JoinUpTo(size_t stretch_end, const WindowRow& row, size_t window,
                  std::span<double> results) const {
    while (window < row.size()) {
      const int64_t ahead_ms = row.EndOf(window) - stretches_.first_border_ms;
      const auto older = static_cast<size_t>(ahead_ms / row.range_ms);
      if (older + 1 >= stretch_end) return window;
      const auto& tails = older + lanes() < stretch_end ? tails_before_ : tails_;
      const auto tails_of = tails.Of(older % lanes());
      const auto heads_of = heads_.Of((older + 1) % lanes());
      const size_t split = stretches_.bounds[older + 1];
      const int64_t border_ms = row.EndOf(window) - ahead_ms % row.range_ms + row.range_ms;
      for (; window < row.size() && row.EndOf(window) < border_ms; ++window) {
        results[window] =
            Finish(row, window,
                   Join(tails_of[split - row.firsts[window]], heads_of[row.ends[window] - split]));
      }
    }
    return window;
  }

  double Finish(const WindowRow& row, size_t window, const Fold<double>& fold) const {
    const size_t first = row.firsts[window];
    const size_t end = row.ends[window];
    if (fold.IsConclusive() && !(kSums && large_values_.IsAnyIn(first, end))) {
      return Question::Finish(fold, static_cast<double>(end - first));
    }
    return first == end ? 0 : Question::Plain(row.ValuesOf(window));
  }

  Stretches stretches_;
  size_t pairs_ = kPairs;
  LaneFolds<Fold> heads_;
  LaneFolds<Fold> tails_;
  LaneFolds<Fold> tails_before_;  // of the stretches before those
  std::array<std::vector<double>, kLanes> paddings_;
  LargeValues large_values_;
};

}  // namespace

std::unique_ptr<RowFunction> MakeHalvesFold(FunctionId id) {
  switch (id) {
    case FunctionId::kSumOverTime:
      return std::make_unique<HalvesFold<SumQuestion>>();
    case FunctionId::kAvgOverTime:
      return std::make_unique<HalvesFold<MeanQuestion>>();
    case FunctionId::kMinOverTime:
      return std::make_unique<HalvesFold<ExtremeQuestion<Extreme::kMin>>>();
    case FunctionId::kMaxOverTime:
      return std::make_unique<HalvesFold<ExtremeQuestion<Extreme::kMax>>>();
    default:
      return nullptr;
  }
}

}  // namespace lockstep::engine
