// Row functions that fold each window from its first value to its last, several windows side by
// side: one alone would wait for the result of every addition.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "query/engine/kernels/windows/fold_questions.h"
#include "query/engine/kernels/windows/row_families.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

// Windows to fold side by side.
struct Batch {
  std::array<uint32_t, kLanes> windows;  // their indices in the row
  std::array<const double*, kLanes> values;
  size_t size = 0;
  size_t least_count = 0;  // of the values of a window
};

template <typename Question>
class WindowFold : public RowFunction {
 public:
  void Evaluate(const WindowRow& row, std::span<double> results) override {
    Batch batch;
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t count = row.ends[i] - row.firsts[i];
      if (count == 0) continue;
      batch.least_count = batch.size == 0 ? count : std::min(batch.least_count, count);
      batch.windows[batch.size] = static_cast<uint32_t>(i);
      batch.values[batch.size++] = row.values.data() + row.firsts[i];
      if (batch.size < kLanes) continue;
      FoldBatch(row, batch, results);
      batch.size = 0;
    }
    if (batch.size > 0) FoldBatch(row, batch, results);
  }
  bool visits_each_window() const override { return true; }

 private:
  template <typename Number>
  using Fold = typename Question::template Fold<Number>;

  static void FoldBatch(const WindowRow& row, Batch& batch, std::span<double> results) {
    // A window alone is folded faster as such.
    const size_t common = batch.size == 1 ? 0 : batch.least_count;
    std::fill(batch.values.begin() + batch.size, batch.values.end(), batch.values[0]);
    const auto folds = FoldSideBySide(batch.values, common, std::make_index_sequence<kPairs>());
    for (size_t lane = 0; lane < batch.size; ++lane) {
      const size_t window = batch.windows[lane];
      results[window] = FoldRest(folds[lane / 2].Lane(lane % 2), common, row.ValuesOf(window));
    }
  }

  // Folds the first `count` values of each lane.
  template <size_t... kPair>
  static std::array<Fold<Pair>, kPairs> FoldSideBySide(
      const std::array<const double*, kLanes>& values, size_t count,
      std::index_sequence<kPair...>) {
    std::array<Fold<Pair>, kPairs> folds;
    double ordinal = 0;
    for (size_t i = 0; i < count; ++i) {
      ++ordinal;
      (folds[kPair].Add(Pair{values[2 * kPair][i], values[2 * kPair + 1][i]}, ordinal), ...);
    }
    return folds;
  }

  // Folds the values from `begin` on, and finishes.
  static double FoldRest(Fold<double> fold, size_t begin, std::span<const double> values) {
    for (size_t i = begin; i < values.size(); ++i) {
      fold.Add(values[i], static_cast<double>(i + 1));
    }
    return fold.IsConclusive() ? Question::Finish(fold, static_cast<double>(values.size()))
                               : Question::Plain(values);
  }
};

}  // namespace

std::unique_ptr<RowFunction> MakeWindowFold(FunctionId id) {
  switch (id) {
    case FunctionId::kSumOverTime:
      return std::make_unique<WindowFold<SumQuestion>>();
    case FunctionId::kAvgOverTime:
      return std::make_unique<WindowFold<MeanQuestion>>();
    case FunctionId::kMinOverTime:
      return std::make_unique<WindowFold<ExtremeQuestion<Extreme::kMin>>>();
    case FunctionId::kMaxOverTime:
      return std::make_unique<WindowFold<ExtremeQuestion<Extreme::kMax>>>();
    case FunctionId::kStdvarOverTime:
      return std::make_unique<WindowFold<VarianceQuestion>>();
    case FunctionId::kStddevOverTime:
      return std::make_unique<WindowFold<DeviationQuestion>>();
    default:
      return nullptr;
  }
}

}  // namespace lockstep::engine
