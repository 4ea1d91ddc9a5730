#include "query/engine/histogram_quantiles.h"

#include <string>
#include <utility>
#include <vector>

#include "base/float_format.h"
#include "query/engine/classic_groups.h"
#include "query/engine/kernels/classic_histogram.h"
#include "query/engine/kernels/histogram_functions.h"
#include "query/engine/kernels/quantile.h"
#include "query/engine/label_functions.h"
#include "query/engine/series_assembler.h"
#include "query/engine/step_invariant.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

// What is asked of every histogram at every step: one number, by up to two parameters.
class BucketQuestion {
 public:
  virtual ~BucketQuestion() = default;
  virtual double OfClassic(std::vector<ClassicBucket>& buckets, size_t step,
                           const LabelSet& labels) = 0;
  virtual double OfNative(const Histogram& histogram, size_t step, AnnotationSink& sink) = 0;
  // Of the answers, made from those of a histogram.
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
  // Whether buckets that had to be made monotonic are news.
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

// One of histogram_quantiles' several: its answers carry the quantile as a label. At the steps that are told,
// another has looked at the same buckets and said what there was to say.
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
    return LabelSetBuilder(labels).Set(label_, value_).Build();
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

// Asks one question of all histograms of a vector.
class BucketSurvey {
 public:
  // Annotations about classic histograms point at `vector_position`, those about what native ones
  // hold at `first_position`.
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

// The value of the label that says which quantile: as OpenMetrics writes it, "0.5" but "1.0".
std::string QuantileText(double quantile) {
  if (quantile == 0) return "0.0";
  const std::string text = FormatShortValue(quantile);
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? text + ".0" : text;
}

// histogram_quantiles(v, "label", q1, q2, ...). A quantile may vary over time, and its label with it.
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
