#include "query/engine/functions/function_eval.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/text/float_format.h"
#include "query/engine/context/query_context.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/histograms/classic_histogram.h"
#include "query/engine/kernels/histograms/histogram_functions.h"
#include "query/engine/kernels/numbers/quantile.h"
#include "query/engine/values/evaluated.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

inline constexpr std::string_view kBucketLabel = "le";

// Series that differ only in `le`: one classic histogram.
struct ClassicGroup {
  struct Bucket {
    double upper_bound = 0;
    uint32_t series = 0;  // index
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  LabelSet labels;  // including the name, without `le`
  std::vector<Bucket> buckets;
  uint32_t native = kNone;  // index of a native histogram series with the same labels
};

struct ClassicGroups {
  std::vector<ClassicGroup> groups;
  std::vector<uint32_t> natives;  // indices of native histogram series that are in no group
};

bool HasFloats(const Column& column) {
  if (!column.has_histograms()) return true;
  bool found = false;
  column.ForEachPresent([&](size_t step) { found = found || column.has_float(step); });
  return found;
}

void WarnOfBucketLabel(const LabelSet& labels, promql::PositionRange position,
                       QueryContext& context) {
  Annotation annotation;
  annotation.kind = AnnotationKind::kBadBucketLabel;
  annotation.metric_name = labels.metric_name();
  annotation.text = labels.Get(kBucketLabel);
  context.annotations.Add(std::move(annotation), position);
}

// Computed once for all steps. Skips invalid values of `le` with a warning at `position`.
ClassicGroups GroupClassic(const std::vector<EvaluatedSeries>& series,
                           promql::PositionRange position, QueryContext& context) {
  ClassicGroups made;
  absl::flat_hash_map<LabelSet, size_t> index;
  for (uint32_t i = 0; i < series.size(); ++i) {
    if (!HasFloats(series[i].column)) continue;
    const std::optional<double> bound = ParseBucketBound(series[i].labels.Get(kBucketLabel));
    if (!bound.has_value()) {
      WarnOfBucketLabel(series[i].labels, position, context);
      continue;
    }
    LabelSet labels = series[i].labels.Drop({std::string(kBucketLabel)});
    const auto [found, added] = index.try_emplace(labels, made.groups.size());
    if (added) made.groups.push_back({std::move(labels), {}, ClassicGroup::kNone});
    made.groups[found->second].buckets.push_back({*bound, i});
  }
  for (uint32_t i = 0; i < series.size(); ++i) {
    if (!series[i].column.has_histograms()) continue;
    const auto found = index.find(series[i].labels);
    if (found != index.end()) {
      made.groups[found->second].native = i;
    } else {
      made.natives.push_back(i);
    }
  }
  return made;
}

// Replaces the content of `buckets` by the group's buckets that have a value at `step`.
void CollectBuckets(const ClassicGroup& group, const std::vector<EvaluatedSeries>& series,
                    size_t step, std::vector<ClassicBucket>& buckets) {
  buckets.clear();
  for (const ClassicGroup::Bucket& bucket : group.buckets) {
    const Column& column = series[bucket.series].column;
    if (column.has_float(step)) buckets.push_back({bucket.upper_bound, column.value(step)});
  }
}

// A question about every histogram at every step: one number, with up to two parameters.
class BucketQuestion {
 public:
  virtual ~BucketQuestion() = default;
  virtual double OfClassic(std::vector<ClassicBucket>& buckets, size_t step,
                           const LabelSet& labels) = 0;
  virtual double OfNative(const Histogram& histogram, size_t step, AnnotationSink& sink) = 0;
  // The labels of the answers, from those of a histogram.
  virtual LabelSet AnswerLabels(const LabelSet& labels) const { return labels; }
};

class QuantileQuestion : public BucketQuestion {
 public:
  QuantileQuestion(std::vector<double> quantiles, promql::PositionRange position,
                   const Evaluator& evaluator)
      : quantiles_(std::move(quantiles)), position_(position), evaluator_(evaluator) {}

  double OfClassic(std::vector<ClassicBucket>& buckets, size_t step,
                   const LabelSet& labels) override {
    ClassicQuantile answer = BucketQuantile(quantiles_[step], buckets);
    if (answer.fix.has_value() && Reports(step)) Report(*answer.fix, step, labels);
    return answer.value;
  }
  double OfNative(const Histogram& histogram, size_t step, AnnotationSink& sink) override {
    return HistogramQuantile(quantiles_[step], histogram, sink);
  }

 protected:
  // Whether to report that buckets had to be made monotonic.
  virtual bool Reports(size_t) const { return true; }

 private:
  void Report(MonotonicityFix fix, size_t step, const LabelSet& labels) {
    fix.min_timestamp_ms = evaluator_.grid().TimeAt(step);
    fix.max_timestamp_ms = fix.min_timestamp_ms;
    Annotation annotation;
    annotation.kind = AnnotationKind::kForcedMonotonicity;
    annotation.metric_name = labels.metric_name();
    annotation.monotonicity = fix;
    evaluator_.context().annotations.Add(std::move(annotation), position_);
  }

  const std::vector<double> quantiles_;
  const promql::PositionRange position_;
  const Evaluator& evaluator_;
};

// One of the quantiles of histogram_quantiles, whose answers have the quantile as a label. Skips
// reports at steps at which another quantile has already reported on the same buckets.
class LabelledQuantileQuestion : public QuantileQuestion {
 public:
  LabelledQuantileQuestion(std::vector<double> quantiles, std::string label, std::string value,
                           const std::vector<bool>& told, promql::PositionRange position,
                           const Evaluator& evaluator)
      : QuantileQuestion(std::move(quantiles), position, evaluator),
        label_(std::move(label)),
        value_(std::move(value)),
        told_(told) {}

  LabelSet AnswerLabels(const LabelSet& labels) const override {
    return labels.With({label_, value_});
  }

 private:
  bool Reports(size_t step) const override { return !told_[step]; }

  const std::string label_;
  const std::string value_;
  const std::vector<bool>& told_;
};

class FractionQuestion : public BucketQuestion {
 public:
  FractionQuestion(std::vector<double> lower, std::vector<double> upper)
      : lower_(std::move(lower)), upper_(std::move(upper)) {}

  double OfClassic(std::vector<ClassicBucket>& buckets, size_t step, const LabelSet&) override {
    return BucketFraction(lower_[step], upper_[step], buckets);
  }
  double OfNative(const Histogram& histogram, size_t step, AnnotationSink& sink) override {
    return HistogramFraction(lower_[step], upper_[step], histogram, sink);
  }

 private:
  const std::vector<double> lower_;
  const std::vector<double> upper_;
};

// Asks one question about all histograms of a vector.
class BucketSurvey {
 public:
  // Annotations about classic histograms point at `vector_position`, those about the content of
  // native ones at `first_position`.
  BucketSurvey(const VectorValue& vector, const ClassicGroups& groups,
               promql::PositionRange vector_position, promql::PositionRange first_position,
               const Evaluator& evaluator)
      : series_(vector.series),
        groups_(groups),
        vector_position_(vector_position),
        first_position_(first_position),
        evaluator_(evaluator) {}

  absl::Status Ask(BucketQuestion& question, SeriesAssembler& output) {
    for (const ClassicGroup& group : groups_.groups) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
      LOCKSTEP_RETURN_IF_ERROR(AskGroup(group, question, output));
    }
    for (const uint32_t index : groups_.natives) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
      Column answers(step_count());
      series_[index].column.ForEachPresent(
          [&](size_t step) { AskNative(index, step, question, answers); });
      LOCKSTEP_RETURN_IF_ERROR(Store(series_[index].labels, std::move(answers), question, output));
    }
    return absl::OkStatus();
  }

 private:
  size_t step_count() const { return evaluator_.grid().count; }

  absl::Status AskGroup(const ClassicGroup& group, BucketQuestion& question,
                        SeriesAssembler& output) {
    Column answers(step_count());
    for (size_t step = 0; step < step_count(); ++step) {
      CollectBuckets(group, series_, step, buckets_);
      const bool has_native = group.native != ClassicGroup::kNone &&
                              series_[group.native].column.histogram(step) != nullptr;
      if (has_native && !buckets_.empty()) {
        ReportMix(group);
      } else if (has_native) {
        AskNative(group.native, step, question, answers);
      } else if (!buckets_.empty()) {
        answers.SetFloat(step, question.OfClassic(buckets_, step, group.labels));
      }
    }
    return Store(group.labels, std::move(answers), question, output);
  }

  void AskNative(uint32_t index, size_t step, BucketQuestion& question, Column& answers) {
    const EvaluatedSeries& native = series_[index];
    const Histogram* const histogram = native.column.histogram(step);
    if (histogram == nullptr) return;
    answers.SetFloat(step, question.OfNative(*histogram, step, sink_));
    evaluator_.context().annotations.Absorb(sink_, native.labels.metric_name(), first_position_);
  }

  void ReportMix(const ClassicGroup& group) {
    Annotation annotation;
    annotation.kind = AnnotationKind::kMixedClassicNativeHistograms;
    annotation.metric_name = group.labels.metric_name();
    evaluator_.context().annotations.Add(std::move(annotation), vector_position_);
  }

  static absl::Status Store(const LabelSet& labels, Column answers, const BucketQuestion& question,
                            SeriesAssembler& output) {
    return output.Add(question.AnswerLabels(labels), true, std::move(answers));
  }

  const std::vector<EvaluatedSeries>& series_;
  const ClassicGroups& groups_;
  const promql::PositionRange vector_position_;
  const promql::PositionRange first_position_;
  const Evaluator& evaluator_;
  AnnotationSink sink_;
  std::vector<ClassicBucket> buckets_;
};

// A quantile argument; values outside [0, 1] get a warning.
absl::StatusOr<std::vector<double>> QuantileArgument(const Call& call, size_t index,
                                                     Evaluator& evaluator) {
  const promql::Expr& argument = *call.args[index];
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue scalar, evaluator.EvaluateScalar(argument));
  for (const double q : scalar.values) {
    if (!IsInvalidQuantile(q)) continue;
    Annotation annotation;
    annotation.kind = AnnotationKind::kInvalidQuantile;
    annotation.number = q;
    evaluator.context().annotations.Add(std::move(annotation), ArgumentPosition(argument));
  }
  return std::move(scalar.values);
}

absl::StatusOr<std::unique_ptr<BucketQuestion>> SingleQuestion(const Call& call,
                                                               promql::PositionRange position,
                                                               Evaluator& evaluator) {
  if (call.function->id == FunctionId::kHistogramQuantile) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<double> quantiles, QuantileArgument(call, 0, evaluator));
    return std::make_unique<QuantileQuestion>(std::move(quantiles), position, evaluator);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue lower, evaluator.EvaluateScalar(*call.args[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue upper, evaluator.EvaluateScalar(*call.args[1]));
  return std::make_unique<FractionQuestion>(std::move(lower.values), std::move(upper.values));
}

// The value of the quantile label, in OpenMetrics form: "0.5", but "1.0".
std::string QuantileText(double quantile) {
  if (quantile == 0) return "0.0";
  const std::string text = FormatShortValue(quantile);
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? text + ".0" : text;
}

// histogram_quantiles(v, "label", q1, q2, ...). A quantile may vary over time, and its label with
// it.
absl::Status AskForQuantiles(const Call& call, promql::PositionRange position, BucketSurvey& survey,
                             SeriesAssembler& output, Evaluator& evaluator) {
  std::vector<bool> told(evaluator.grid().count);
  for (size_t i = 2; i < call.args.size(); ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<double> quantiles,
                              QuantileArgument(call, i, evaluator));
    const std::string value = quantiles.empty() ? "" : QuantileText(quantiles[0]);
    LabelledQuantileQuestion question(quantiles, StringArgument(call, 1), value, told, position,
                                      evaluator);
    LOCKSTEP_RETURN_IF_ERROR(survey.Ask(question, output));
    for (size_t step = 0; step < quantiles.size(); ++step) {
      if (!IsInvalidQuantile(quantiles[step])) told[step] = true;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateHistogramBuckets(const Call& call, Evaluator& evaluator) {
  const FunctionId id = call.function->id;
  const size_t vector_index = id == FunctionId::kHistogramQuantiles  ? 0
                              : id == FunctionId::kHistogramQuantile ? 1
                                                                     : 2;
  const promql::Expr& argument = *call.args[vector_index];
  const promql::PositionRange position = ArgumentPosition(argument);
  LOCKSTEP_ASSIGN_OR_RETURN(const VectorValue vector, evaluator.EvaluateVector(argument));
  const ClassicGroups groups = GroupClassic(vector.series, position, evaluator.context());
  BucketSurvey survey(vector, groups, position, ArgumentPosition(*call.args[0]), evaluator);
  SeriesAssembler output(evaluator);
  if (id == FunctionId::kHistogramQuantiles) {
    LOCKSTEP_RETURN_IF_ERROR(AskForQuantiles(call, position, survey, output, evaluator));
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<BucketQuestion> question,
                              SingleQuestion(call, position, evaluator));
    LOCKSTEP_RETURN_IF_ERROR(survey.Ask(*question, output));
  }
  return EvaluatedValue(output.Take());
}

}  // namespace lockstep::engine
