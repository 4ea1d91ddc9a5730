#include "cli/questions/missing_series.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "cli/client/ask.h"
#include "cli/help/did_you_mean.h"
#include "cli/terminal/time_text.h"
#include "query/promql/parser/parser.h"

namespace lockstep::cli {
namespace {

using Selector = std::vector<Matcher>;

constexpr const char* kMetricLabel = "__name__";

class SelectorCollector {
 public:
  std::vector<Selector> Collect(const promql::Expr& expression) {
    Visit(expression);
    return std::move(selectors_);
  }

 private:
  // The recursion is bounded because the parser limits the depth of an expression.
  void Visit(const promql::Expr& expression) {
    using promql::As;
    using promql::ExprKind;
    switch (expression.kind) {
      case ExprKind::kNumber:
      case ExprKind::kString:
        return;
      case ExprKind::kParen:
        return Visit(*As<promql::ParenExpr>(expression).inner);
      case ExprKind::kUnary:
        return Visit(*As<promql::UnaryExpr>(expression).operand);
      case ExprKind::kBinary:
        Visit(*As<promql::BinaryExpr>(expression).lhs);
        return Visit(*As<promql::BinaryExpr>(expression).rhs);
      case ExprKind::kVectorSelector:
        selectors_.push_back(As<promql::VectorSelector>(expression).matchers);
        return;
      case ExprKind::kMatrixSelector:
        selectors_.push_back(As<promql::MatrixSelector>(expression).selector->matchers);
        return;
      case ExprKind::kSubquery:
        return Visit(*As<promql::SubqueryExpr>(expression).inner);
      case ExprKind::kAggregate:
        if (As<promql::AggregateExpr>(expression).param != nullptr) {
          Visit(*As<promql::AggregateExpr>(expression).param);
        }
        return Visit(*As<promql::AggregateExpr>(expression).operand);
      case ExprKind::kCall:
        for (const auto& argument : As<promql::Call>(expression).args) Visit(*argument);
        return;
    }
  }

  std::vector<Selector> selectors_;
};

std::string SelectorText(const Selector& selector) {
  std::string text;
  for (const Matcher& matcher : selector) {
    absl::StrAppendFormat(&text, "%s%s", text.empty() ? "" : ",", matcher.ToString());
  }
  return "{" + text + "}";
}

bool IsEqualTo(const Matcher& matcher, std::string_view label) {
  return matcher.type() == MatchType::kEqual && matcher.name() == label;
}

// The metric's name, or "" if there is none.
std::string MetricOf(const Selector& selector) {
  for (const Matcher& matcher : selector) {
    if (IsEqualTo(matcher, kMetricLabel)) return matcher.value();
  }
  return "";
}

// A label's values in all matching series, at any time; without a selector, in all series.
absl::StatusOr<std::vector<std::string>> LabelValuesOf(HttpClient& client, const std::string& label,
                                                       const Selector& selector) {
  const std::string path = absl::StrFormat("/api/v1/label/%s/values", PercentEncode(label));
  LOCKSTEP_ASSIGN_OR_RETURN(
      const Answer answer,
      AskByGet(client, path, {{"match[]", selector.empty() ? "" : SelectorText(selector)}}));
  std::vector<std::string> values;
  for (const auto value : ListAt(answer.data(), "")) values.push_back(TextAt(value, ""));
  return values;
}

bool HasValue(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The first part of a selector that matches no series; "" if every part matches some.
absl::StatusOr<std::string> MissingPart(HttpClient& client, const Selector& selector) {
  const std::string metric = MetricOf(selector);
  if (!metric.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> metrics,
                              LabelValuesOf(client, kMetricLabel, {}));
    if (metrics.empty()) return std::string("the server has stored no series yet");
    if (!HasValue(metrics, metric)) {
      return absl::StrFormat("no series is named %s%s", metric, DidYouMean(metric, metrics));
    }
  }
  for (const Matcher& matcher : selector) {
    if (matcher.type() != MatchType::kEqual || matcher.name() == kMetricLabel) continue;
    if (matcher.value().empty()) continue;
    Selector of_metric;
    if (!metric.empty()) of_metric.push_back(Matcher::Equal(kMetricLabel, metric));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> values,
                              LabelValuesOf(client, matcher.name(), of_metric));
    if (HasValue(values, matcher.value())) continue;
    return absl::StrFormat("no series%s has %s%s", metric.empty() ? "" : " named " + metric,
                           matcher.ToString(), DidYouMean(matcher.value(), values));
  }
  return std::string();
}

// Whether a query at these times sees a sample of the selector.
absl::StatusOr<bool> HasSamples(HttpClient& client, const Selector& selector, QueriedTimes times) {
  const std::string expression = absl::StrFormat("count(%s)", SelectorText(selector));
  const int64_t step_ms = std::max<int64_t>((times.end_ms - times.start_ms) / 60, 1);
  const auto seconds = [](int64_t time_ms) {
    return SecondsText(static_cast<double>(time_ms) / 1e3);
  };
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer answer, Ask(client, "/api/v1/query_range",
                                                     {{"query", expression},
                                                      {"start", seconds(times.start_ms)},
                                                      {"end", seconds(times.end_ms)},
                                                      {"step", seconds(step_ms)}}));
  return !ListAt(answer.data(), "/result").empty();
}

std::string TimesText(QueriedTimes times) {
  if (times.start_ms == times.end_ms) return "at " + TimeText(times.end_ms);
  return absl::StrFormat("from %s to %s", TimeText(times.start_ms), TimeText(times.end_ms));
}

// The times of all series, for people: "; the server has samples from ... to ...".
std::string TimesOfServer(HttpClient& client) {
  const auto answer = AskByGet(client, "/api/v1/status/tsdb", {});
  if (!answer.ok()) return "";
  const double first_ms = NumberAt(answer->data(), "/headStats/minTime");
  const double last_ms = NumberAt(answer->data(), "/headStats/maxTime");
  if (!(first_ms <= last_ms)) return "";
  return absl::StrFormat("; the server has samples from %s to %s; set --time to query another time",
                         WhenText(first_ms / 1e3), WhenText(last_ms / 1e3));
}

absl::StatusOr<std::string> Explanation(HttpClient& client, const promql::Expr& expression,
                                        QueriedTimes times) {
  const std::vector<Selector> selectors = SelectorsOf(expression);
  for (const Selector& selector : selectors) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::string missing, MissingPart(client, selector));
    if (!missing.empty()) return missing;
  }
  for (const Selector& selector : selectors) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool has_samples, HasSamples(client, selector, times));
    if (has_samples) continue;
    return absl::StrFormat("%s has no samples %s%s", SelectorText(selector), TimesText(times),
                           TimesOfServer(client));
  }
  if (selectors.empty()) return std::string();
  return absl::StrFormat(
      "the series have samples %s, but the rest of the expression drops all of them",
      TimesText(times));
}

}  // namespace

std::vector<std::vector<Matcher>> SelectorsOf(const promql::Expr& expression) {
  return SelectorCollector().Collect(expression);
}

std::string WhyNoResult(HttpClient& client, std::string_view expression, QueriedTimes times) {
  const auto tree = promql::ParseExpr(expression);
  if (!tree.ok()) return "";
  const absl::StatusOr<std::string> explanation = Explanation(client, **tree, times);
  return explanation.ok() && !explanation->empty() ? *explanation + "\n" : "";
}

}  // namespace lockstep::cli
