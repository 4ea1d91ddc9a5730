#include "answers/derived/derived_labels.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::answers {

LabelSet LabelsOfJob(std::string_view metric, std::string_view job, const ExtraLabels& extra) {
  std::vector<LabelView> labels = {{kMetricName, metric}, {"job", job}};
  for (const auto& [name, value] : extra) labels.push_back({name, value});
  return LabelSet::Of(std::move(labels));
}

LabelSet LabelsOfRank(std::string_view metric, std::string_view job,
                      const training::RankPlace& place, ExtraLabels extra) {
  const std::string rank = absl::StrFormat("%d", place.rank);
  extra.emplace_back("rank", rank);
  extra.emplace_back("host", place.host);
  extra.emplace_back("gpu", place.gpu);
  return LabelsOfJob(metric, job, extra);
}

bool Matches(const LabelSet& labels, std::span<const Matcher> matchers) {
  return std::ranges::all_of(matchers, [&labels](const Matcher& matcher) {
    return matcher.Matches(labels.Get(matcher.name()));
  });
}

}  // namespace lockstep::answers
