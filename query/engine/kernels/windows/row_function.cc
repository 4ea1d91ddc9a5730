#include "query/engine/kernels/windows/row_function.h"

#include "query/engine/kernels/windows/row_families.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

// Functions of the first or last sample, or of the number of samples.
template <typename Choose>
class RowChoice : public RowFunction {
 public:
  explicit RowChoice(Choose choose) : choose_(choose) {}

  void Evaluate(const WindowRow& row, std::span<double> results) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (row.firsts[i] < row.ends[i]) results[i] = choose_(row, i);
    }
  }

 private:
  const Choose choose_;
};

template <typename Choose>
std::unique_ptr<RowFunction> MakeRowChoice(Choose choose) {
  return std::make_unique<RowChoice<Choose>>(choose);
}

double TimeInSeconds(int64_t time_ms) { return static_cast<double>(time_ms) / 1000; }

std::unique_ptr<RowFunction> MakeChoice(FunctionId id) {
  using Row = WindowRow;
  switch (id) {
    case FunctionId::kCountOverTime:
      return MakeRowChoice(
          [](const Row& row, size_t i) { return static_cast<double>(row.SampleCount(i)); });
    case FunctionId::kPresentOverTime:
      return MakeRowChoice([](const Row&, size_t) { return 1.0; });
    case FunctionId::kFirstOverTime:
      return MakeRowChoice([](const Row& row, size_t i) { return row.values[row.firsts[i]]; });
    case FunctionId::kLastOverTime:
      return MakeRowChoice([](const Row& row, size_t i) { return row.values[row.ends[i] - 1]; });
    case FunctionId::kTsOfFirstOverTime:
      return MakeRowChoice(
          [](const Row& row, size_t i) { return TimeInSeconds(row.timestamps_ms[row.firsts[i]]); });
    case FunctionId::kTsOfLastOverTime:
      return MakeRowChoice([](const Row& row, size_t i) {
        return TimeInSeconds(row.timestamps_ms[row.ends[i] - 1]);
      });
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<RowFunction> MakeRowFunction(FunctionId id, Overlap overlap) {
  std::unique_ptr<RowFunction> function;
  if (overlap == Overlap::kYes) function = MakeHalvesFold(id);
  if (function == nullptr) function = MakeWindowFold(id);
  if (function == nullptr) function = MakeRowRate(id);
  if (function == nullptr) function = MakeChoice(id);
  return function;
}

bool NeedsStartTimes(FunctionId id) {
  return id == FunctionId::kRate || id == FunctionId::kIncrease || id == FunctionId::kDelta ||
         id == FunctionId::kIrate || id == FunctionId::kResets;
}

}  // namespace lockstep::engine
