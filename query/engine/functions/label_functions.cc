#include "query/engine/functions/function_eval.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/text/label_text.h"

namespace lockstep::engine {
namespace {

absl::Status CheckLabelName(std::string_view name, std::string_view role,
                            std::string_view function) {
  if (!name.empty() && IsValidUtf8(name)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("invalid %s label name in %s(): %s", role, function, name));
}

// Charged first, because a query may make long strings from short ones.
absl::Status SetLabel(std::string_view name, std::string_view value, EvaluatedSeries& series,
                      SampleCharge& charge) {
  LOCKSTEP_RETURN_IF_ERROR(charge.AddText(name.size() + value.size()));
  series.labels = series.labels.With({name, value});
  // Keep a name that is set explicitly.
  if (name == kMetricName) series.drop_name = false;
  return absl::OkStatus();
}

absl::StatusOr<EvaluatedValue> Merged(VectorValue vector) {
  LOCKSTEP_RETURN_IF_ERROR(MergeEqualLabels(vector));
  return EvaluatedValue(std::move(vector));
}

}  // namespace

const std::string& StringArgument(const promql::Call& call, size_t index) {
  return promql::As<promql::StringLiteral>(WithoutParens(*call.args[index])).value;
}

absl::StatusOr<EvaluatedValue> LabelReplace(const promql::Call& call, Evaluator& evaluator) {
  const std::string& destination = StringArgument(call, 1);
  const std::string& source = StringArgument(call, 3);
  const std::string& regex = StringArgument(call, 4);
  const auto replacement = LabelReplacement::Make(regex, StringArgument(call, 2));
  if (absl::IsResourceExhausted(replacement.status()) ||
      absl::IsUnavailable(replacement.status())) {
    return replacement.status();
  }
  if (!replacement.ok()) {
    return absl::FailedPreconditionError("invalid regular expression in label_replace(): " + regex);
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckLabelName(destination, "destination", "label_replace"));
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  for (EvaluatedSeries& series : vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                              replacement->Apply(series.labels.Get(source)));
    if (!value.has_value()) continue;
    LOCKSTEP_RETURN_IF_ERROR(SetLabel(destination, *value, series, vector.charge));
  }
  return Merged(std::move(vector));
}

absl::StatusOr<EvaluatedValue> LabelJoin(const promql::Call& call, Evaluator& evaluator) {
  const std::string& destination = StringArgument(call, 1);
  const std::string& separator = StringArgument(call, 2);
  for (size_t i = 3; i < call.args.size(); ++i) {
    LOCKSTEP_RETURN_IF_ERROR(CheckLabelName(StringArgument(call, i), "source", "label_join"));
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckLabelName(destination, "destination", "label_join"));
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  for (EvaluatedSeries& series : vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    size_t size = separator.size() * (call.args.size() > 3 ? call.args.size() - 4 : 0);
    for (size_t i = 3; i < call.args.size(); ++i) {
      size += series.labels.Get(StringArgument(call, i)).size();
    }
    LOCKSTEP_RETURN_IF_ERROR(CheckMadeLabel(size, "label_join"));
    std::string joined;
    joined.reserve(size);
    for (size_t i = 3; i < call.args.size(); ++i) {
      if (i > 3) joined += separator;
      joined += series.labels.Get(StringArgument(call, i));
    }
    LOCKSTEP_RETURN_IF_ERROR(SetLabel(destination, joined, series, vector.charge));
  }
  return Merged(std::move(vector));
}

}  // namespace lockstep::engine
