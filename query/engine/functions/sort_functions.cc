
#include <algorithm>
#include <cmath>
#include <utility>

#include "query/engine/functions/function_eval.h"
#include "query/engine/kernels/text/label_text.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

bool IsByLabel(FunctionId id) {
  return id == FunctionId::kSortByLabel || id == FunctionId::kSortByLabelDesc;
}

// NaN comes last in either direction.
void SortByValue(VectorValue& vector, bool descending) {
  const auto before = [descending](const EvaluatedSeries& a, const EvaluatedSeries& b) {
    const double x = a.column.value(0);
    const double y = b.column.value(0);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return descending ? x > y : x < y;
  };
  std::stable_sort(vector.series.begin(), vector.series.end(), before);
}

void SortByLabel(VectorValue& vector, const std::vector<std::string>& names, bool descending) {
  const auto ascending = [&names](const EvaluatedSeries& a, const EvaluatedSeries& b) {
    for (const std::string& name : names) {
      const std::string_view x = a.labels.Get(name);
      const std::string_view y = b.labels.Get(name);
      if (x != y) return NaturalLess(x, y);
    }
    return a.labels < b.labels;
  };
  std::stable_sort(vector.series.begin(), vector.series.end(),
                   [&](const EvaluatedSeries& a, const EvaluatedSeries& b) {
                     return descending ? ascending(b, a) : ascending(a, b);
                   });
}

void DropHistograms(VectorValue& vector) {
  for (EvaluatedSeries& series : vector.series) series.column.DropHistograms();
  std::erase_if(vector.series, [](const EvaluatedSeries& series) { return series.column.empty(); });
}

}  // namespace

absl::StatusOr<EvaluatedValue> Sort(const promql::Call& call, Evaluator& evaluator) {
  const FunctionId id = call.function->id;
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  if (!IsByLabel(id)) DropHistograms(vector);
  if (evaluator.grid().is_range) {
    Annotation annotation;
    annotation.kind = AnnotationKind::kSortInRangeQuery;
    evaluator.context().annotations.Add(std::move(annotation), call.position);
    return EvaluatedValue(std::move(vector));
  }
  const bool descending = id == FunctionId::kSortDesc || id == FunctionId::kSortByLabelDesc;
  if (!IsByLabel(id)) {
    SortByValue(vector, descending);
  } else {
    std::vector<std::string> names;
    for (size_t i = 1; i < call.args.size(); ++i) names.push_back(StringArgument(call, i));
    SortByLabel(vector, names, descending);
  }
  return EvaluatedValue(std::move(vector));
}

}  // namespace lockstep::engine
