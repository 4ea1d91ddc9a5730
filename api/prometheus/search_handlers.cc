#include "api/prometheus/search_handlers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "api/http/json_writer.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/prometheus/search_match.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::api {
namespace {

constexpr size_t kDefaultNames = 100;
constexpr size_t kMaxNames = 10'000;
constexpr size_t kDefaultBatchSize = 100;
constexpr size_t kMaxTerms = 32;
constexpr int64_t kDefaultRangeMs = int64_t{3600} * 1000;

enum class Order { kAscending, kDescending, kScore };

struct SearchParams {
  std::vector<std::vector<Matcher>> matcher_sets;
  TimeRange range;
  SearchTerms terms;
  Order order = Order::kAscending;
  bool with_score = false;
  size_t limit = kDefaultNames;
  size_t batch_size = kDefaultBatchSize;
};

struct Found {
  std::string name;
  double score = 0;
};

// Writes one object.
using WriteOne = absl::FunctionRef<void(JsonWriter&, const Found&)>;
using ReadNames =
    absl::FunctionRef<absl::StatusOr<std::vector<std::string>>(const Querier&, const Selection&)>;

absl::StatusOr<int64_t> TimeOf(const Form& form, std::string_view name, int64_t otherwise_ms) {
  const std::string_view text = form.Get(name);
  if (text.empty()) return otherwise_ms;
  const absl::StatusOr<int64_t> time_ms = ParseTimeMs(text);
  if (time_ms.ok()) return time_ms;
  return Annotate(time_ms.status(), absl::StrFormat("invalid time value for '%s'", name));
}

absl::StatusOr<bool> BoolOf(const Form& form, std::string_view name, bool otherwise) {
  const std::string_view text = form.Get(name);
  if (text.empty()) return otherwise;
  const absl::StatusOr<bool> value = ParseBool(text);
  if (value.ok()) return value;
  return absl::InvalidArgumentError(
      absl::StrFormat("invalid %s %s: must be boolean", name, promql::Quote(text)));
}

absl::StatusOr<size_t> CountOf(const Form& form, std::string_view name, size_t otherwise) {
  const std::string_view text = form.Get(name);
  if (text.empty()) return otherwise;
  const absl::StatusOr<int64_t> count = ParseInteger(text);
  if (count.ok() && *count > 0) return static_cast<size_t>(*count);
  return absl::InvalidArgumentError(
      absl::StrFormat("invalid %s %s: must be a positive integer", name, promql::Quote(text)));
}

absl::Status ReadTimes(const Form& form, int64_t now_ms, SearchParams& params) {
  LOCKSTEP_ASSIGN_OR_RETURN(params.range.min_ms, TimeOf(form, "start", now_ms - kDefaultRangeMs));
  LOCKSTEP_ASSIGN_OR_RETURN(params.range.max_ms, TimeOf(form, "end", now_ms));
  if (params.range.max_ms >= params.range.min_ms) return absl::OkStatus();
  return absl::InvalidArgumentError("end timestamp must not be before start timestamp");
}

absl::Status ReadTerms(const Form& form, SearchTerms& terms) {
  for (const std::string_view term : form.GetAll("search[]")) terms.terms.emplace_back(term);
  if (terms.terms.size() > kMaxTerms) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "too many search[] terms: got %d, maximum is %d", terms.terms.size(), kMaxTerms));
  }
  if (const std::string_view text = form.Get("fuzz_threshold"); !text.empty()) {
    const absl::StatusOr<int64_t> percent = ParseInteger(text);
    if (!percent.ok() || *percent < 0 || *percent > 100) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid fuzz_threshold %s: must be 0-100", promql::Quote(text)));
    }
    terms.threshold = static_cast<double>(*percent) / 100.0;
  }
  if (const std::string_view text = form.Get("fuzz_alg"); text == "jarowinkler") {
    terms.algorithm = FuzzAlgorithm::kJaroWinkler;
  } else if (!text.empty() && text != "subsequence") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "unsupported fuzz_alg %s: must be one of [subsequence jarowinkler]", promql::Quote(text)));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(terms.case_sensitive, BoolOf(form, "case_sensitive", true));
  return absl::OkStatus();
}

absl::Status ReadOrder(const Form& form, SearchParams& params) {
  const std::string_view by = form.Get("sort_by");
  const std::string_view direction = form.Get("sort_dir");
  if (!direction.empty() && by.empty()) {
    return absl::InvalidArgumentError("sort_dir is only valid when sort_by is set");
  }
  if (!direction.empty() && by == "score") {
    return absl::InvalidArgumentError("sort_dir is not supported for sort_by=score");
  }
  if (!direction.empty() && direction != "asc" && direction != "dsc") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid sort_dir %s: must be \"asc\" or \"dsc\"", promql::Quote(direction)));
  }
  if (by == "score" && params.terms.terms.empty()) {
    return absl::InvalidArgumentError("sort_by=score requires search[] to be set");
  }
  if (by == "score") params.order = Order::kScore;
  if (by == "alpha" && direction == "dsc") params.order = Order::kDescending;
  return absl::OkStatus();
}

absl::Status ReadCounts(const Form& form, SearchParams& params) {
  LOCKSTEP_ASSIGN_OR_RETURN(params.limit, CountOf(form, "limit", kDefaultNames));
  if (params.limit > kMaxNames) {
    return absl::InvalidArgumentError(
        absl::StrFormat("limit %d exceeds the maximum (%d)", params.limit, kMaxNames));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(params.batch_size, CountOf(form, "batch_size", kDefaultBatchSize));
  return absl::OkStatus();
}

// `endpoint` is used in messages. Errors are reported in the same order as in Prometheus.
absl::StatusOr<SearchParams> ParamsOf(const Form& form, int64_t now_ms, std::string_view endpoint,
                                      const QueryBudget& budget) {
  SearchParams params;
  LOCKSTEP_RETURN_IF_ERROR(ReadTimes(form, now_ms, params));
  LOCKSTEP_ASSIGN_OR_RETURN(params.matcher_sets, ParseMatcherSets(form.GetAll("match[]"), &budget));
  LOCKSTEP_RETURN_IF_ERROR(ReadTerms(form, params.terms));
  LOCKSTEP_ASSIGN_OR_RETURN(params.with_score, BoolOf(form, "include_score", false));
  LOCKSTEP_RETURN_IF_ERROR(ReadOrder(form, params));
  LOCKSTEP_RETURN_IF_ERROR(ReadCounts(form, params));
  const std::string_view by = form.Get("sort_by");
  if (by.empty() || by == "alpha" || by == "score") return params;
  return absl::InvalidArgumentError(absl::StrFormat(
      "invalid sort_by %s for %s: must be \"alpha\" or \"score\"", promql::Quote(by), endpoint));
}

// The matching names in the requested order, one more than the limit.
absl::StatusOr<std::vector<Found>> Search(const Storage& storage, const SearchParams& params,
                                          ReadNames read, QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, storage.NewQuerier());
  std::vector<std::vector<Matcher>> sets = params.matcher_sets;
  if (sets.empty()) sets.emplace_back();
  std::vector<std::string> names;
  for (const std::vector<Matcher>& matchers : sets) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        std::vector<std::string> some,
        read(*querier, {.matchers = matchers, .range = params.range, .budget = &budget}));
    std::move(some.begin(), some.end(), std::back_inserter(names));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (params.order == Order::kDescending) std::reverse(names.begin(), names.end());

  const size_t wanted = params.limit + 1;
  std::vector<Found> found;
  for (std::string& name : names) {
    if (params.order != Order::kScore && found.size() == wanted) break;
    LOCKSTEP_RETURN_IF_ERROR(budget.Check());
    const std::optional<double> score = MatchName(name, params.terms);
    if (score) found.push_back({std::move(name), *score});
  }
  if (params.order == Order::kScore) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.score > b.score; });
    if (found.size() > wanted) found.resize(wanted);
  }
  return found;
}

void WriteBatch(std::string& body, const Found* begin, const Found* end, WriteOne write) {
  JsonWriter json(body);
  json.BeginObject();
  json.Key("results");
  json.BeginArray();
  for (const Found* one = begin; one != end; ++one) write(json, *one);
  json.EndArray();
  json.EndObject();
  body += '\n';
}

Response Answer(const SearchParams& params, const std::vector<Found>& found, WriteOne write,
                QueryBudget& budget) {
  Response response;
  response.content_type = "application/x-ndjson; charset=utf-8";
  const size_t count = std::min(found.size(), params.limit);
  size_t begin = 0;
  // The first batch is sent even if it is empty.
  do {
    const size_t end = begin + std::min(params.batch_size, count - begin);
    const size_t size = response.body.size();
    WriteBatch(response.body, found.data() + begin, found.data() + end, write);
    const size_t grown = response.body.size() - size;
    if (const absl::Status fits = budget.ChargeAnswer(static_cast<int64_t>(grown)); !fits.ok()) {
      return FailureReply(fits);
    }
    begin = end;
  } while (begin < count);
  JsonWriter json(response.body);
  json.BeginObject();
  json.Field("status", "success");
  json.Field("has_more", found.size() > params.limit);
  json.EndObject();
  response.body += '\n';
  return response;
}

void WriteFound(JsonWriter& json, std::string_view key, const Found& found, bool with_score) {
  json.Field(key, found.name);
  if (!with_score) return;
  json.Field("score", found.score);
}

void WriteIfGiven(JsonWriter& json, std::string_view key, const std::string& text) {
  if (text.empty()) return;
  json.Field(key, text);
}

void WriteMetadata(JsonWriter& json, const Call& call, const std::string& metric) {
  const auto described = call.data->Metadata({.metric = metric, .max_variants = 1});
  if (described.empty() || described.front().variants.empty()) return;
  const MetricMetadata& metadata = described.front().variants.front();
  WriteIfGiven(json, "type", metadata.type);
  WriteIfGiven(json, "help", metadata.help);
  WriteIfGiven(json, "unit", metadata.unit);
}

absl::StatusOr<std::vector<std::string>> ReadLabelNames(const Querier& querier,
                                                        const Selection& selection) {
  return querier.LabelNames(selection);
}

}  // namespace

Response HandleSearchMetricNames(const Call& call, const SearchContext& context,
                                 QueryBudget& budget) {
  const auto params = ParamsOf(call.form, context.now_ms, "metric_names", budget);
  if (!params.ok()) return FailureReply(params.status());
  const absl::StatusOr<bool> with_metadata = BoolOf(call.form, "include_metadata", false);
  if (!with_metadata.ok()) return FailureReply(with_metadata.status());
  const auto read = [](const Querier& querier, const Selection& selection) {
    return querier.LabelValues(kMetricName, selection);
  };
  const auto found = Search(context.storage, *params, read, budget);
  if (!found.ok()) return FailureReply(found.status());
  const auto write = [&](JsonWriter& json, const Found& one) {
    json.BeginObject();
    WriteFound(json, "name", one, params->with_score);
    if (*with_metadata) WriteMetadata(json, call, one.name);
    json.EndObject();
  };
  return Answer(*params, *found, write, budget);
}

Response HandleSearchLabelNames(const Call& call, const SearchContext& context,
                                QueryBudget& budget) {
  const auto params = ParamsOf(call.form, context.now_ms, "label_names", budget);
  if (!params.ok()) return FailureReply(params.status());
  const auto found = Search(context.storage, *params, ReadLabelNames, budget);
  if (!found.ok()) return FailureReply(found.status());
  const auto write = [&](JsonWriter& json, const Found& one) {
    json.BeginObject();
    WriteFound(json, "name", one, params->with_score);
    json.EndObject();
  };
  return Answer(*params, *found, write, budget);
}

Response HandleSearchLabelValues(const Call& call, const SearchContext& context,
                                 QueryBudget& budget) {
  const auto params = ParamsOf(call.form, context.now_ms, "label_values", budget);
  if (!params.ok()) return FailureReply(params.status());
  const std::string_view label = call.form.Get("label");
  if (label.empty()) {
    return ErrorReply(ErrorType::kBadData, "missing required parameter \"label\"");
  }
  const auto read = [label](const Querier& querier, const Selection& selection) {
    return querier.LabelValues(label, selection);
  };
  const auto found = Search(context.storage, *params, read, budget);
  if (!found.ok()) return FailureReply(found.status());
  const auto write = [&](JsonWriter& json, const Found& one) {
    json.BeginObject();
    WriteFound(json, "value", one, params->with_score);
    json.EndObject();
  };
  return Answer(*params, *found, write, budget);
}

}  // namespace lockstep::api
