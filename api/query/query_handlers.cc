#include "api/query/query_handlers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_metrics.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/query/plan_json.h"
#include "api/query/query_stats_json.h"
#include "api/query/reduce_params.h"
#include "api/query/result_body.h"
#include "api/query/result_json.h"
#include "api/query/role_units.h"
#include "api/query/syntax_tree_json.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kTruncated = "results truncated due to limit";

// The parameters common to both kinds of query.
struct CommonParams {
  size_t limit = kNoLimit;
  int64_t lookback_ms = 0;
  bool wants_stats = false;
  bool counts_per_step = false;
  bool in_role_units = false;
};

// An error is the complete message for the client, as in the functions below.
absl::StatusOr<CommonParams> CommonOf(const Form& form) {
  CommonParams params;
  const auto limit = ParseLimit(form.Get("limit"));
  if (!limit.ok()) return Annotate(limit.status(), "invalid parameter \"limit\"");
  params.limit = *limit;
  params.wants_stats = !form.Get("stats").empty();
  params.counts_per_step = form.Get("stats") == "all";
  if (const std::string_view text = form.Get("lookback_delta"); !text.empty()) {
    const auto lookback = ParseDuration(text);
    if (!lookback.ok()) {
      return Annotate(lookback.status(), "error parsing lookback delta duration");
    }
    params.lookback_ms = std::chrono::duration_cast<std::chrono::milliseconds>(*lookback).count();
  }
  const std::string_view units = form.Get("units");
  if (!units.empty() && units != "stored" && units != "role") {
    return absl::InvalidArgumentError("invalid parameter \"units\": must be stored or role");
  }
  params.in_role_units = units == "role";
  return params;
}

absl::StatusOr<int64_t> TimeOf(const Form& form, int64_t now_ms) {
  const std::string_view text = form.Get("time");
  if (text.empty()) return now_ms;
  auto time_ms = ParseTimeMs(text);
  if (time_ms.ok()) return time_ms;
  return Annotate(time_ms.status(), "invalid parameter \"time\": invalid time value for 'time'");
}

template <typename Vector>
bool Truncate(Vector& vector, size_t limit) {
  if (vector.size() <= limit) return false;
  vector.resize(limit);
  return true;
}

void ApplyLimit(engine::QueryResult& result, size_t limit) {
  bool truncated = false;
  if (auto* vector = std::get_if<engine::VectorResult>(&result.value)) {
    truncated = Truncate(*vector, limit);
  } else if (auto* matrix = std::get_if<engine::MatrixResult>(&result.value)) {
    truncated = Truncate(*matrix, limit);
  }
  if (truncated) result.annotations.warnings.emplace_back(kTruncated);
}

// A query of either kind in progress.
struct RequestedQuery {
  std::string_view text;
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;  // 0: an instant query
  CommonParams params;
  int64_t step_ns = 0;    // the exact step; step_ms is its whole milliseconds
  ReduceParams reduce{};  // of a range query
};

engine::QueryOptions OptionsOf(const RequestedQuery& requested, const QueryContext& context) {
  // An instant query of a derived metric may depend on later samples.
  return {.fresh = requested.params.wants_stats || answers::MentionsDerivedMetric(requested.text),
          .counts_per_step = requested.params.counts_per_step,
          .plan = false,
          .progress = context.progress};
}

absl::StatusOr<engine::QueryResult> Execute(const RequestedQuery& requested,
                                            const engine::QueryOptions& options,
                                            const QueryContext& context, QueryBudget& budget) {
  if (requested.step_ms == 0) {
    const engine::InstantQuery query{requested.text, requested.start_ms,
                                     requested.params.lookback_ms, options};
    return context.engine.Execute(query, budget);
  }
  const engine::RangeQuery query{
      requested.text,    requested.start_ms,           requested.end_ms,
      requested.step_ms, requested.params.lookback_ms, options,
      requested.step_ns, requested.reduce.reductions,  requested.reduce.resolution_ms};
  return context.range_cache.Execute(query, budget);
}

// Writes to the query log, if any. Queries that failed to parse never ran.
void LogQuery(const RequestedQuery& requested, const absl::StatusOr<engine::QueryResult>& result,
              const Call& call, const QueryContext& context) {
  if (context.log == nullptr || absl::IsInvalidArgument(result.status())) return;
  LoggedQuery logged;
  logged.text = requested.text;
  logged.start_ms = requested.start_ms;
  logged.end_ms = requested.end_ms;
  logged.step_ms = requested.step_ms;
  logged.now_ms = context.now_ms;
  logged.queued_seconds = context.queued_seconds;
  logged.status = result.status();
  if (result.ok()) logged.stats = result->stats;
  context.log->Add(logged, call.request);
}

// Runs the query, and reports it to the log and the statistics.
absl::StatusOr<engine::QueryResult> RunAndReport(const RequestedQuery& requested,
                                                 const engine::QueryOptions& options,
                                                 const Call& call, const QueryContext& context,
                                                 QueryBudget& budget) {
  absl::StatusOr<engine::QueryResult> result = Execute(requested, options, context, budget);
  LogQuery(requested, result, call, context);
  if (!result.ok()) return result;
  context.samples_total += static_cast<uint64_t>(result->stats.total_samples);
  ApplyLimit(*result, requested.params.limit);
  if (requested.params.in_role_units) ToRoleUnits(result->value);
  return result;
}

Response QueryFailure(const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return InvalidParameter("query", Message(status));
  return FailureReply(status);
}

Response Answer(const RequestedQuery& requested, const Call& call, const QueryContext& context,
                QueryBudget& budget) {
  absl::StatusOr<engine::QueryResult> result =
      RunAndReport(requested, OptionsOf(requested, context), call, context, budget);
  if (!result.ok()) return QueryFailure(result.status());
  const bool is_long = IsLongResult(result->value);
  size_t gap = 0;
  const auto write_data = [&](JsonWriter& json) {
    json.BeginObject();
    json.Field("resultType", ResultTypeName(result->value));
    json.Key("result");
    if (is_long) {
      json.BeginArray();
      gap = json.position();
      json.EndArray();
    } else {
      WriteResult(json, result->value, context.engine.pool());
    }
    if (requested.params.wants_stats) {
      json.Key("stats");
      WriteQueryStats(json, result->stats, {requested.start_ms, requested.step_ms},
                      context.queued_seconds);
    }
    json.EndObject();
  };
  Response response = SuccessReply(write_data, result->annotations);
  if (is_long) FillInParts(response, gap, std::move(result->value), context.engine.pool());
  return response;
}

Response Explain(const RequestedQuery& requested, const Call& call, const QueryContext& context,
                 QueryBudget& budget) {
  engine::QueryOptions options = OptionsOf(requested, context);
  options.plan = true;
  const absl::StatusOr<engine::QueryResult> result =
      RunAndReport(requested, options, call, context, budget);
  if (!result.ok()) return QueryFailure(result.status());
  const auto write_data = [&](JsonWriter& json) {
    json.BeginObject();
    json.Field("resultType", ResultTypeName(result->value));
    json.Field("resultCount", ElementCount(result->value));
    json.Key("plan");
    WritePlan(json, *result->plan);
    json.Field("peakMemoryBytes", result->stats.peak_samples * kBytesPerChargedSample);
    json.Key("stats");
    WriteQueryStats(json, result->stats, {requested.start_ms, requested.step_ms},
                    context.queued_seconds);
    json.EndObject();
  };
  return SuccessReply(write_data, result->annotations);
}

// Parses start, end and step.
absl::StatusOr<RequestedQuery> RangeOf(const Form& form) {
  const auto fail = [](std::string_view name, std::string_view text) {
    return absl::InvalidArgumentError(absl::StrFormat("invalid parameter \"%s\": %s", name, text));
  };
  const auto start_ms = ParseTimeMs(form.Get("start"));
  if (!start_ms.ok()) return fail("start", Message(start_ms.status()));
  const auto end_ms = ParseTimeMs(form.Get("end"));
  if (!end_ms.ok()) return fail("end", Message(end_ms.status()));
  if (*end_ms < *start_ms) return fail("end", "end timestamp must not be before start time");
  const auto step = ParseDuration(form.Get("step"));
  if (!step.ok()) return fail("step", Message(step.status()));
  if (step->count() <= 0) {
    return fail("step",
                "zero or negative query resolution step widths are not accepted. Try a positive "
                "integer");
  }
  // Nanoseconds need more than 64 bits, since a range may span millennia.
  const __int128 range_ns = (static_cast<__int128>(*end_ms) - *start_ms) * 1'000'000;
  if (range_ns / step->count() > kMaxPointsPerSeries) {
    return absl::InvalidArgumentError(
        "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query "
        "resolution (?step=XX)");
  }
  // Steps are whole milliseconds; shorter steps become one millisecond.
  const int64_t step_ms =
      std::max<int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(*step).count(), 1);
  LOCKSTEP_ASSIGN_OR_RETURN(const CommonParams params, CommonOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(ReduceParams reduce,
                            ReduceParamsOf(form, *end_ms - *start_ms, step_ms));
  return RequestedQuery{form.Get("query"), *start_ms,        *end_ms, step_ms, params,
                        step->count(),     std::move(reduce)};
}

absl::StatusOr<RequestedQuery> InstantOf(const Form& form, int64_t now_ms) {
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t time_ms, TimeOf(form, now_ms));
  LOCKSTEP_ASSIGN_OR_RETURN(const CommonParams params, CommonOf(form));
  return RequestedQuery{form.Get("query"), time_ms, time_ms, 0, params};
}

}  // namespace

Response HandleQuery(const Call& call, const QueryContext& context, QueryBudget& budget) {
  const auto requested = InstantOf(call.form, context.now_ms);
  if (!requested.ok()) return FailureReply(requested.status());
  return Answer(*requested, call, context, budget);
}

Response HandleQueryRange(const Call& call, const QueryContext& context, QueryBudget& budget) {
  const auto requested = RangeOf(call.form);
  if (!requested.ok()) return FailureReply(requested.status());
  return Answer(*requested, call, context, budget);
}

Response HandleExplain(const Call& call, const QueryContext& context, QueryBudget& budget) {
  const bool is_range = !call.form.Get("start").empty() || !call.form.Get("end").empty() ||
                        !call.form.Get("step").empty();
  const auto requested = is_range ? RangeOf(call.form) : InstantOf(call.form, context.now_ms);
  if (!requested.ok()) return FailureReply(requested.status());
  return Explain(*requested, call, context, budget);
}

Response HandleFormatQuery(const Call& call, promql::Dialect dialect, const QueryBudget& budget) {
  const auto expr = promql::ParseExpr(call.form.Get("query"), &budget, dialect);
  if (!expr.ok()) return QueryFailure(expr.status());
  return SuccessReply([&](JsonWriter& json) { json.String(promql::PrintPretty(**expr)); });
}

Response HandleParseQuery(const Call& call, promql::Dialect dialect, const QueryBudget& budget) {
  const auto expr = promql::ParseExpr(call.form.Get("query"), &budget, dialect);
  if (!expr.ok()) return QueryFailure(expr.status());
  return SuccessReply([&](JsonWriter& json) { WriteSyntaxTree(json, **expr); });
}

}  // namespace lockstep::api
