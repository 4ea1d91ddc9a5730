#include "query/engine/kernels/step_fold.h"

#include <cmath>
#include <cstring>

#include "query/engine/kernels/numbers/folds.h"

namespace lockstep::engine {
namespace {

using promql::AggregateOp;

template <typename Number>
Number Load(const double* from) {
  Number number;
  std::memcpy(&number, from, sizeof(number));
  return number;
}

template <typename Number>
void Store(const Number& number, double* to) {
  std::memcpy(to, &number, sizeof(number));
}

double WorstFor(AggregateOp op) {
  if (op == AggregateOp::kMin) return kWorst<Extreme::kMin>;
  return op == AggregateOp::kMax ? kWorst<Extreme::kMax> : 0;
}

// Adds one value, or two at neighbouring steps.
struct AddToSum {
  template <typename Number>
  void operator()(Number value, Number /*count*/, double* main, double* other) const {
    CompensatedSum<Number> sum{Load<Number>(main), Load<Number>(other)};
    sum.Add(value);
    Store(sum.sum, main);
    Store(sum.compensation, other);
  }
};

template <Extreme kExtreme>
struct AddToExtreme {
  template <typename Number>
  void operator()(Number value, Number /*count*/, double* main, double* /*other*/) const {
    Store(Better<kExtreme>(Load<Number>(main), value), main);
  }
};

// Welford's algorithm.
struct AddToVariance {
  template <typename Number>
  void operator()(Number value, Number count, double* main, double* other) const {
    const Number delta = value - Load<Number>(main);
    const Number mean = Load<Number>(main) + delta / count;
    Store(mean, main);
    Store(Load<Number>(other) + delta * (value - mean), other);
  }
};

struct AddNothing {
  template <typename Number>
  void operator()(Number, Number, double*, double*) const {}
};

}  // namespace

void StepFold::Reset(AggregateOp op, size_t step_count) {
  op_ = op;
  counts_.assign(step_count, 0);
  main_.assign(step_count, WorstFor(op));
  other_.assign(step_count, 0);
}

void StepFold::Add(size_t first, std::span<const double> values) {
  switch (op_) {
    case AggregateOp::kSum:
    case AggregateOp::kAvg:
      return AddEach(first, values, AddToSum());
    case AggregateOp::kMin:
      return AddEach(first, values, AddToExtreme<Extreme::kMin>());
    case AggregateOp::kMax:
      return AddEach(first, values, AddToExtreme<Extreme::kMax>());
    case AggregateOp::kStddev:
    case AggregateOp::kStdvar:
      return AddEach(first, values, AddToVariance());
    default:
      return AddEach(first, values, AddNothing());
  }
}

template <typename AddAt>
void StepFold::AddEach(size_t first, std::span<const double> values, AddAt add_at) {
  double* const counts = counts_.data() + first;
  double* const main = main_.data() + first;
  double* const other = other_.data() + first;
  size_t i = 0;
  for (; i + 2 <= values.size(); i += 2) {
    const Pair count = Load<Pair>(counts + i) + Pair{1, 1};
    Store(count, counts + i);
    add_at(Load<Pair>(values.data() + i), count, main + i, other + i);
  }
  if (i == values.size()) return;
  ++counts[i];
  add_at(values[i], counts[i], main + i, other + i);
}

StepFold::Result StepFold::At(size_t step) const {
  using Kind = Result::Kind;
  const double count = counts_[step];
  if (count == 0) return {};
  const CompensatedSum<double> sum{main_[step], other_[step]};
  switch (op_) {
    case AggregateOp::kSum:
      // Sums that are not finite are not compensated.
      if (!std::isfinite(sum.sum)) return {Kind::kFloat, sum.sum};
      return {sum.IsConclusive() ? Kind::kFloat : Kind::kUnknown, sum.Total()};
    case AggregateOp::kAvg:
      return {sum.IsConclusive() ? Kind::kFloat : Kind::kUnknown,
              sum.sum / count + sum.compensation / count};
    case AggregateOp::kMin:
    case AggregateOp::kMax:
      // There may be nothing but NaN.
      return {main_[step] != WorstFor(op_) ? Kind::kFloat : Kind::kUnknown, main_[step]};
    case AggregateOp::kStddev:
      return {Kind::kFloat, std::sqrt(other_[step] / count)};
    case AggregateOp::kStdvar:
      return {Kind::kFloat, other_[step] / count};
    case AggregateOp::kCount:
      return {Kind::kFloat, count};
    default:
      return {Kind::kFloat, 1};
  }
}

}  // namespace lockstep::engine
