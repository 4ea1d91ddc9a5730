#include "answers/step_amounts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "answers/load/series_parts.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalogue/metric_names.h"
#include "catalogue/role_samples.h"
#include "storage/storage.h"

namespace lockstep::answers {
namespace {

std::vector<TimeRange> TimesOf(const StepEnds& ends) {
  std::vector<TimeRange> times;
  for (size_t i = 0; i < ends.step.size(); ++i) times.push_back({ends.begin_ms[i], ends.end_ms[i]});
  return times;
}

// From the last sample that may say something about the first step to the first one after the last.
TimeRange RangeToRead(const std::vector<TimeRange>& times, int64_t longest_gap_ms) {
  TimeRange range = times.front();
  for (const TimeRange& time : times) {
    range = {std::min(range.min_ms, time.min_ms), std::max(range.max_ms, time.max_ms)};
  }
  return {range.min_ms - longest_gap_ms, range.max_ms + longest_gap_ms};
}

double FactorOf(const LabelSet& labels, const SampleColumns& samples) {
  const auto name = catalogue::RoleOf(labels.metric_name(), labels);
  return name.has_value() ? catalogue::ConversionOf(*name, samples.values).factor : 1;
}

bool IsKnown(double amount) { return !std::isnan(amount); }

// Collects the amounts of series that several threads read.
class AmountReader {
 public:
  AmountReader(const StepAmountsQuestion& question, std::vector<TimeRange> times,
               QueryBudget& budget)
      : question_(question), times_(std::move(times)), budget_(budget) {}

  absl::Status Read(SeriesSet& series, SampleColumns& samples) {
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series.Read(samples));
    const auto read_count = static_cast<int64_t>(samples.size());
    LOCKSTEP_RETURN_IF_ERROR(budget_.Charge(read_count));
    std::vector<double> amounts =
        training::AmountsIn(samples, question_.measured, times_, question_.longest_gap_ms);
    budget_.Release(read_count);
    if (std::ranges::none_of(amounts, IsKnown)) return absl::OkStatus();
    LOCKSTEP_RETURN_IF_ERROR(budget_.Charge(static_cast<int64_t>(amounts.size())));
    if (question_.in_role_units) {
      const double factor = FactorOf(series.labels(), samples);
      for (double& amount : amounts) amount *= factor;
    }
    MutexLock lock(mutex_);
    found_.push_back({series.labels(), std::move(amounts)});
    return absl::OkStatus();
  }

  std::vector<SeriesAmounts> Take() {
    MutexLock lock(mutex_);
    std::ranges::sort(found_, {}, &SeriesAmounts::labels);
    return std::move(found_);
  }

 private:
  const StepAmountsQuestion& question_;
  const std::vector<TimeRange> times_;
  QueryBudget& budget_;
  Mutex mutex_;
  std::vector<SeriesAmounts> found_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::vector<SeriesAmounts>> AnswerStepAmounts(const StepAmountsQuestion& question,
                                                             const StepEnds& ends,
                                                             const QuestionContext& context) {
  if (ends.step.empty()) return std::vector<SeriesAmounts>();
  std::vector<TimeRange> times = TimesOf(ends);
  const TimeRange range = RangeToRead(times, question.longest_gap_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  AmountReader reader(question, std::move(times), context.budget);
  LOCKSTEP_RETURN_IF_ERROR(ForEachSeries({question.matchers, range, &context.budget},
                                         {*querier, context.pool, context.budget},
                                         [&reader](SeriesSet& series, SampleColumns& samples) {
                                           return reader.Read(series, samples);
                                         }));
  return reader.Take();
}

}  // namespace lockstep::answers
