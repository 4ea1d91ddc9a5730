#include "api/prometheus/series_handlers.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/query/result_json.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::api {
namespace {

using MatcherSets = std::vector<std::vector<Matcher>>;

// The number of series between two checks of the budget.
constexpr size_t kSeriesPerCheck = 1024;

// The parameters common to the three endpoints.
struct ListParams {
  MatcherSets matcher_sets;
  TimeRange range;
  size_t limit = kNoLimit;
};

// An error is the complete message for the client. Prometheus names the parameter of an invalid
// matcher for only one of the endpoints: `matcher_error_context` ("" for none) precedes the error.
absl::StatusOr<ListParams> ParamsOf(const Form& form, std::string_view matcher_error_context,
                                    const QueryBudget& budget) {
  ListParams params;
  const auto limit = ParseLimit(form.Get("limit"));
  if (!limit.ok()) return Annotate(limit.status(), "invalid parameter \"limit\"");
  params.limit = *limit;
  LOCKSTEP_ASSIGN_OR_RETURN(params.range, ParseTimeRange(form.Get("start"), form.Get("end")));
  auto matcher_sets = ParseMatcherSets(form.GetAll("match[]"), &budget);
  if (!matcher_sets.ok()) {
    return matcher_error_context.empty() ? matcher_sets.status()
                                         : Annotate(matcher_sets.status(), matcher_error_context);
  }
  params.matcher_sets = *std::move(matcher_sets);
  return params;
}

template <typename T>
void SortAndDeduplicate(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Truncates `list` to the limit; returns the warning if anything was removed.
template <typename T>
engine::Annotations CutToLimit(std::vector<T>& list, size_t limit) {
  engine::Annotations annotations;
  if (list.size() > limit) {
    list.resize(limit);
    annotations.warnings.emplace_back("results truncated due to limit");
  }
  return annotations;
}

using ReadNames =
    absl::FunctionRef<absl::StatusOr<std::vector<std::string>>(const Querier&, const Selection&)>;

// The union over the matcher sets, sorted. Without sets, covers all series.
absl::StatusOr<std::vector<std::string>> CollectNames(const Storage& storage,
                                                      const ListParams& params, QueryBudget& budget,
                                                      ReadNames read) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, storage.NewQuerier());
  if (params.matcher_sets.empty()) {
    return read(*querier, {.matchers = {}, .range = params.range, .budget = &budget});
  }
  std::vector<std::string> all;
  for (const auto& matchers : params.matcher_sets) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        auto names,
        read(*querier, {.matchers = matchers, .range = params.range, .budget = &budget}));
    std::move(names.begin(), names.end(), std::back_inserter(all));
  }
  SortAndDeduplicate(all);
  return all;
}

Response ListNames(const Call& call, const Storage& storage, QueryBudget& budget, ReadNames read) {
  const auto params = ParamsOf(call.form, "", budget);
  if (!params.ok()) return FailureReply(params.status());
  auto names = CollectNames(storage, *params, budget, read);
  if (!names.ok()) return FailureReply(names.status());
  const engine::Annotations annotations = CutToLimit(*names, params->limit);
  return ListReply(
      Brackets::kArray, names->size(),
      [&](JsonWriter& json, size_t i) { json.String((*names)[i]); }, budget, annotations);
}

absl::Status CollectSeries(const Querier& querier, const Selection& selection, size_t limit,
                           std::vector<LabelSet>& all) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto series, querier.Select(selection));
  // Reading one more than the limit shows whether there are more. Each selection is sorted, so the
  // first elements of the union are among the first ones of each.
  for (size_t count = 0; count <= limit && series->Next(); ++count) {
    if (count % kSeriesPerCheck == 0) LOCKSTEP_RETURN_IF_ERROR(selection.budget->Check());
    // The list doubles its capacity as it grows.
    const size_t bytes = 2 * sizeof(LabelSet) + series->labels().bytes().size();
    LOCKSTEP_RETURN_IF_ERROR(selection.budget->ChargeAnswer(static_cast<int64_t>(bytes)));
    all.push_back(series->labels());
  }
  return series->status();
}

absl::StatusOr<std::vector<LabelSet>> CollectAllSeries(const Storage& storage,
                                                       const ListParams& params,
                                                       QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, storage.NewQuerier());
  std::vector<LabelSet> all;
  for (const auto& matchers : params.matcher_sets) {
    const Selection selection{.matchers = matchers, .range = params.range, .budget = &budget};
    LOCKSTEP_RETURN_IF_ERROR(CollectSeries(*querier, selection, params.limit, all));
  }
  SortAndDeduplicate(all);
  return all;
}

}  // namespace

Response HandleSeries(const Call& call, const Storage& storage, QueryBudget& budget) {
  if (call.form.GetAll("match[]").empty()) {
    return ErrorReply(ErrorType::kBadData, "no match[] parameter provided");
  }
  const auto params = ParamsOf(call.form, "invalid parameter \"match[]\"", budget);
  if (!params.ok()) return FailureReply(params.status());
  auto series = CollectAllSeries(storage, *params, budget);
  if (!series.ok()) return FailureReply(series.status());
  const engine::Annotations annotations = CutToLimit(*series, params->limit);
  return ListReply(
      Brackets::kArray, series->size(),
      [&](JsonWriter& json, size_t i) { WriteLabels(json, (*series)[i]); }, budget, annotations);
}

Response HandleLabels(const Call& call, const Storage& storage, QueryBudget& budget) {
  return ListNames(call, storage, budget, [](const Querier& querier, const Selection& selection) {
    return querier.LabelNames(selection);
  });
}

Response HandleLabelValues(const Call& call, const Storage& storage, QueryBudget& budget) {
  const std::string name = UnescapeLabelName(call.path_parameter);
  if (!IsValidUtf8(name)) {
    return ErrorReply(ErrorType::kBadData,
                      absl::StrFormat("invalid label name: %s", promql::Quote(name)));
  }
  return ListNames(call, storage, budget, [&](const Querier& querier, const Selection& selection) {
    return querier.LabelValues(name, selection);
  });
}

}  // namespace lockstep::api
