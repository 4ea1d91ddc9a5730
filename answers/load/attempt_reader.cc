#include "answers/load/attempt_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "answers/load/series_roles.h"
#include "base/status.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"

namespace lockstep::answers {

namespace {

absl::StatusOr<std::vector<StepMark>> ReadMarks(const std::string& job, const std::string& rank,
                                                const TimeRange& time, SamplesNeeded needed,
                                                const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, RememberedRegexMatcher(kMetricName, StepNumberNames()));
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job), std::move(names),
                                         Matcher::Equal("rank", rank)};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto set,
                            context.querier.Select({matchers, time, &context.budget, needed}));
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
  return marks;
}

}  // namespace

absl::StatusOr<std::vector<AttemptSpan>> ReadAttemptSpans(const std::string& job,
                                                          const std::string& rank,
                                                          const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<StepMark> marks,
                            ReadMarks(job, rank, kAllTimes, SamplesNeeded::kEnds, context));
  return AttemptsOf(std::move(marks));
}

absl::StatusOr<std::optional<NewestStep>> ReadNewestStep(const std::string& job,
                                                         const TimeRange& time,
                                                         const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, RememberedRegexMatcher(kMetricName, StepNumberNames()));
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job), std::move(names)};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto set, context.querier.Select({matchers, time, &context.budget,
                                                                    SamplesNeeded::kNewest}));
  std::optional<NewestStep> newest;
  int64_t newest_ms = 0;
  SampleColumns samples;
  while (set->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    if (samples.values.empty() || !std::isfinite(samples.values.back())) continue;
    if (newest.has_value() && samples.timestamps_ms.back() <= newest_ms) continue;
    newest_ms = samples.timestamps_ms.back();
    newest = {std::string(set->labels().Get("rank")), std::llround(samples.values.back())};
  }
  LOCKSTEP_RETURN_IF_ERROR(set->status());
  return newest;
}

absl::StatusOr<std::vector<StepMark>> ReadStepMarks(const std::string& job, const std::string& rank,
                                                    const TimeRange& time,
                                                    const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<StepMark> marks,
                            ReadMarks(job, rank, time, SamplesNeeded::kAll, context));
  std::ranges::sort(marks, {}, &StepMark::time_ms);
  return marks;
}

}  // namespace lockstep::answers
