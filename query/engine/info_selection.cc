#include "query/engine/info_selection.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/regex/regex.h"
#include "query/engine/step_invariant.h"

namespace lockstep::engine {
namespace {

constexpr std::string_view kIdentifyingLabels[] = {"instance", "job"};

Matcher RegexMatcher(std::string_view name, std::string pattern) {
  auto matcher = Matcher::Make(MatchType::kRegex, std::string(name), std::move(pattern));
  LOCKSTEP_CHECK(matcher.ok());
  return *std::move(matcher);
}

bool IsNegative(const Matcher& matcher) {
  return matcher.type() == MatchType::kNotEqual || matcher.type() == MatchType::kNotRegex;
}

// One matcher for all values that the label has among series which are no info series.
void AddIdentityMatcher(std::string_view label, const std::vector<EvaluatedSeries>& base,
                        const InfoSelection& selection, std::vector<Matcher>& matchers) {
  std::set<std::string_view> values;
  for (const EvaluatedSeries& series : base) {
    if (selection.IsInfoMetric(series.labels.metric_name())) continue;
    const std::string_view value = series.labels.Get(label);
    if (!value.empty()) values.insert(value);
  }
  if (values.empty()) return;
  std::string pattern;
  for (const std::string_view value : values) {
    if (!pattern.empty()) pattern += '|';
    pattern += Regex::Escape(value);
  }
  matchers.push_back(RegexMatcher(label, std::move(pattern)));
}

}  // namespace

InfoSelection::InfoSelection(const promql::Call& call) {
  if (call.args.size() > 1) {
    const promql::Expr& argument = WithoutParens(*call.args[1]);
    for (const Matcher& matcher : promql::As<promql::VectorSelector>(argument).matchers) {
      if (matcher.name() == kMetricName) {
        name_matchers_.push_back(matcher);
      } else {
        data_matchers_.push_back(matcher);
        data_labels_.insert(matcher.name());
        keeps_unmatched_ = keeps_unmatched_ && matcher.MatchesEmpty();
      }
    }
  }
  if (name_matchers_.empty()) {
    name_matchers_.push_back(Matcher::Equal(std::string(kMetricName), "target_info"));
  } else if (std::all_of(name_matchers_.begin(), name_matchers_.end(), IsNegative)) {
    name_matchers_.push_back(RegexMatcher(kMetricName, ".+_info"));
  }
}

bool InfoSelection::IsInfoMetric(std::string_view metric_name) const {
  return std::all_of(name_matchers_.begin(), name_matchers_.end(),
                     [&](const Matcher& matcher) { return matcher.Matches(metric_name); });
}

std::vector<Matcher> InfoSelection::MatchersFor(const std::vector<EvaluatedSeries>& base) const {
  std::vector<Matcher> matchers;
  for (const std::string_view label : kIdentifyingLabels) {
    AddIdentityMatcher(label, base, *this, matchers);
  }
  if (matchers.empty()) return matchers;
  matchers.insert(matchers.end(), name_matchers_.begin(), name_matchers_.end());
  matchers.insert(matchers.end(), data_matchers_.begin(), data_matchers_.end());
  return matchers;
}

LabelSet IdentifyingLabels(const LabelSet& labels) {
  return labels.Keep({std::string(kIdentifyingLabels[0]), std::string(kIdentifyingLabels[1])});
}

}  // namespace lockstep::engine
