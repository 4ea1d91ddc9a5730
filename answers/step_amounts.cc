#include "answers/step_amounts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/series_parts.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalogue/metric_names.h"
#include "catalogue/role_samples.h"
#include "catalogue/roles.h"
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

// Fails if the catalogue knows that the metric is measured otherwise: the falls of a gauge would
// count as resets, and a counter is not something per second.
absl::Status CheckMeasured(const catalogue::NameRole& name, std::string_view metric,
                           training::Measured measured) {
  const bool is_total = catalogue::InfoOf(name.role).kind == catalogue::RoleKind::kTotal;
  const bool is_counter = is_total || name.stored == catalogue::Stored::kCounter;
  const bool is_rate = !is_counter && name.stored != catalogue::Stored::kEither;
  if (is_rate && measured == training::Measured::kCounter) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is a gauge and cannot increase: use per_step=integral", metric));
  }
  if (is_counter && measured == training::Measured::kRate) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "\"%s\" is a counter and not something per second: use per_step=increase", metric));
  }
  return absl::OkStatus();
}

bool IsKnown(double amount) { return !std::isnan(amount); }

// Collects the amounts of series that several threads read.
class AmountReader {
 public:
  AmountReader(const StepAmountsQuestion& question, std::vector<TimeRange> times,
               QueryBudget& budget)
      : question_(question), times_(std::move(times)), budget_(budget) {}

  absl::Status Read(SeriesSet& series, SampleColumns& samples) {
    const LabelSet& labels = series.labels();
    const auto name = catalogue::RoleOf(labels.metric_name(), labels);
    if (name.has_value()) {
      LOCKSTEP_RETURN_IF_ERROR(CheckMeasured(*name, labels.metric_name(), question_.measured));
    }
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series.Read(samples));
    const auto read_count = static_cast<int64_t>(samples.size());
    LOCKSTEP_RETURN_IF_ERROR(budget_.Charge(read_count));
    std::vector<double> amounts =
        training::AmountsIn(samples, question_.measured, times_, question_.longest_gap_ms);
    budget_.Release(read_count);
    if (std::ranges::none_of(amounts, IsKnown)) return absl::OkStatus();
    LOCKSTEP_RETURN_IF_ERROR(budget_.Charge(static_cast<int64_t>(amounts.size())));
    LOCKSTEP_RETURN_IF_ERROR(budget_.ChargeText(static_cast<int64_t>(labels.bytes().size())));
    if (question_.in_role_units && name.has_value()) {
      const double factor = catalogue::ConversionOf(*name, samples.values).factor;
      for (double& amount : amounts) amount *= factor;
    }
    MutexLock lock(mutex_);
    found_.push_back({labels, std::move(amounts)});
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
