
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/regex/regex.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/functions/function_eval.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

// The string arguments after the first argument.
std::vector<std::string> Texts(const Call& call) {
  std::vector<std::string> texts;
  for (size_t i = 1; i < call.args.size(); ++i) texts.push_back(StringArgument(call, i));
  return texts;
}

absl::Status CheckLabelName(std::string_view name, std::string_view function) {
  if (!name.empty() && IsValidUtf8(name)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("invalid label name in %s(): %s", function, name));
}

// `values` holds a name, its value, another name, and so on. An empty value deletes the label.
void SetLabels(const std::vector<std::string>& values, EvaluatedSeries& series) {
  LabelSetBuilder builder(series.labels);
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    builder.Set(values[i], values[i + 1]);
    // Keep a name that is set explicitly.
    if (values[i] == kMetricName) series.drop_name = false;
  }
  series.labels = builder.Build();
}

void DeleteLabels(const std::vector<std::string>& names, EvaluatedSeries& series) {
  LabelSetBuilder builder(series.labels);
  for (const std::string& name : names) builder.Delete(name);
  series.labels = builder.Build();
}

// Applies `change` to every series. Charges what it may add to the labels first.
template <typename Change>
absl::StatusOr<EvaluatedValue> ChangeAll(const Call& call, size_t added_bytes, Evaluator& evaluator,
                                         Change&& change) {
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  for (EvaluatedSeries& series : vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    LOCKSTEP_RETURN_IF_ERROR(vector.charge.AddText(added_bytes));
    change(series);
  }
  LOCKSTEP_RETURN_IF_ERROR(MergeEqualLabels(vector));
  return EvaluatedValue(std::move(vector));
}

size_t TotalSize(const std::vector<std::string>& texts) {
  size_t size = 0;
  for (const std::string& text : texts) size += text.size();
  return size;
}

absl::StatusOr<EvaluatedValue> SetAll(const Call& call, const std::vector<std::string>& values,
                                      Evaluator& evaluator) {
  if (values.size() % 2 != 0) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s() needs a value for every label", call.function->name));
  }
  for (size_t i = 0; i < values.size(); i += 2) {
    LOCKSTEP_RETURN_IF_ERROR(CheckLabelName(values[i], call.function->name));
  }
  return ChangeAll(call, TotalSize(values), evaluator,
                   [&](EvaluatedSeries& series) { SetLabels(values, series); });
}

absl::StatusOr<EvaluatedValue> KeepMatching(const Call& call, bool keeps_matching,
                                            Evaluator& evaluator) {
  const std::string& label = StringArgument(call, 1);
  const absl::StatusOr<Regex> regex = Regex::Compile(
      StringArgument(call, 2), Regex::Dot::kMatchesNewline, Regex::kMaxBytesOfRequest);
  if (absl::IsInvalidArgument(regex.status())) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "invalid regular expression in %s(): %s", call.function->name, StringArgument(call, 2)));
  }
  LOCKSTEP_RETURN_IF_ERROR(regex.status());
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  std::erase_if(vector.series, [&](const EvaluatedSeries& series) {
    return regex->FullMatch(series.labels.Get(label)) != keeps_matching;
  });
  return EvaluatedValue(std::move(vector));
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateMetricsqlLabels(const Call& call, Evaluator& evaluator) {
  const std::vector<std::string> texts = Texts(call);
  switch (call.function->id) {
    case FunctionId::kAlias:
      return SetAll(call, {std::string(kMetricName), texts[0]}, evaluator);
    case FunctionId::kLabelSet:
      return SetAll(call, texts, evaluator);
    case FunctionId::kLabelDel:
      return ChangeAll(call, 0, evaluator,
                       [&](EvaluatedSeries& series) { DeleteLabels(texts, series); });
    case FunctionId::kLabelKeep:
      return ChangeAll(call, 0, evaluator,
                       [&](EvaluatedSeries& series) { series.labels = series.labels.Keep(texts); });
    default:
      return KeepMatching(call, call.function->id == FunctionId::kLabelMatch, evaluator);
  }
}

}  // namespace lockstep::engine
