#include "identity/store/series_seer.h"

#include <utility>

#include "catalogue/metric_names.h"
#include "model/remembered_matcher.h"

namespace lockstep::identity {
namespace {

using Kind = SeenSeries::Kind;

// Reads the first and the last sample of every five minutes; a longer gap means that the series
// paused.
constexpr int64_t kPauseMs = 3 * kThinningBucketMs;
// How many series are read between two checks of the budget.
constexpr size_t kSeriesPerCheck = 256;

bool CountsSteps(const LabelSet& labels) {
  const auto role = catalogue::RoleOf(labels.metric_name(), labels);
  return role.has_value() && role->role == catalogue::Role::kTrainStep;
}

void NoteTimes(const SampleColumns& columns, bool counts_steps, SeenSeries& series) {
  double before = 0;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    if (IsStaleNan(columns.values[i])) continue;
    const int64_t at_ms = columns.timestamps_ms[i];
    const bool goes_back = counts_steps && !series.seen.empty() && columns.values[i] < before;
    const bool paused = !series.seen.empty() && at_ms - series.seen.back().max_ms > kPauseMs;
    before = columns.values[i];
    if (series.seen.empty() || goes_back || paused) {
      series.begins_attempt.push_back(goes_back);
      series.seen.push_back({at_ms, at_ms});
    }
    series.seen.back().max_ms = at_ms;
  }
}

// 1 means that the rank is there, 0 that it is gone.
void NoteRegistrations(const SampleColumns& columns, SeenSeries& series) {
  for (size_t i = 0; i < columns.values.size(); ++i) {
    const int64_t at_ms = columns.timestamps_ms[i];
    if (columns.values[i] == 1) {
      if (!series.is_open) series.seen.push_back({at_ms, at_ms});
      series.is_open = true;
    } else if (series.is_open) {
      series.is_open = false;
      series.seen.back().max_ms = at_ms;
    }
  }
}

}  // namespace

absl::Status SeriesSeer::See(Kind kind, std::string_view names, std::vector<Matcher> matchers) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher name_matcher, RememberedRegexMatcher(kMetricName, names));
  matchers.insert(matchers.begin(), std::move(name_matcher));
  TimeRange range = context_.range;
  if (kind == Kind::kRegistration) range.min_ms = kAllTimes.min_ms;
  LOCKSTEP_ASSIGN_OR_RETURN(const auto series,
                            context_.querier.Select({.matchers = matchers,
                                                     .range = range,
                                                     .budget = context_.budget,
                                                     .needed = SamplesNeeded::kEnds}));
  return Read(kind, *series);
}

absl::Status SeriesSeer::Read(Kind kind, SeriesSet& series) {
  SampleColumns columns;
  for (size_t count = 0; series.Next(); ++count) {
    if (context_.budget != nullptr && count % kSeriesPerCheck == 0) {
      LOCKSTEP_RETURN_IF_ERROR(context_.budget->Check());
    }
    const LabelSet& labels = series.labels();
    if (kind != Kind::kRegistration && !known_.insert(labels.DropMetricName()).second) continue;
    if (kind == Kind::kRegistration && !known_.insert(labels).second) continue;
    SeenSeries& found = seen_.emplace_back();
    found.kind = kind;
    found.who = SightingOf(labels);
    found.instance = labels.Get("instance");
    columns.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series.Read(columns));
    if (kind == Kind::kRegistration) {
      NoteRegistrations(columns, found);
    } else {
      NoteTimes(columns, kind == Kind::kSteps && CountsSteps(labels), found);
    }
    if (found.seen.empty()) seen_.pop_back();
  }
  return series.status();
}

}  // namespace lockstep::identity
