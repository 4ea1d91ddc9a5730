#include "answers/attempt_reader.h"

#include <cmath>
#include <optional>
#include <utility>

#include "answers/series_roles.h"
#include "base/status.h"
#include "model/matcher.h"

namespace lockstep::answers {

absl::StatusOr<std::vector<AttemptSpan>> ReadAttemptSpans(const std::string& job,
                                                          const std::string& rank,
                                                          const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      Matcher names,
      Matcher::Make(MatchType::kRegex, std::string(kMetricName), std::string(StepNumberNames())));
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job), std::move(names),
                                         Matcher::Equal("rank", rank)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set,
      context.querier.Select({matchers, kAllTimes, &context.budget, SamplesNeeded::kEnds}));
  std::vector<StepMark> marks;
  SampleColumns samples;
  while (set->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    const std::optional<int64_t> attempt = OriginOf(set->labels()).attempt;
    for (size_t i = 0; i < samples.values.size(); ++i) {
      if (!std::isfinite(samples.values[i])) continue;
      marks.push_back({samples.timestamps_ms[i], std::llround(samples.values[i]), attempt});
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(set->status());
  return AttemptsOf(std::move(marks));
}

}  // namespace lockstep::answers
