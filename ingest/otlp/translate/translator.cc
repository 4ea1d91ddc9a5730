#include "ingest/otlp/translate/translator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "ingest/otlp/names/metric_name.h"
#include "ingest/otlp/names/unit_name.h"
#include "ingest/otlp/points/metric_points.h"
#include "ingest/otlp/translate/native_histogram.h"
#include "ingest/side_data/exemplar_store.h"

namespace lockstep::otlp {
namespace {

// Contains the trace and span IDs, and the attributes if everything fits into the length limit of
// exemplar labels. Nothing if it has no value.
std::optional<Exemplar> ExemplarOf(const OtlpExemplar& exemplar) {
  if (!exemplar.value.has_value()) return std::nullopt;
  std::vector<LabelView> labels;
  if (!exemplar.trace_id.empty()) labels.push_back({"trace_id", exemplar.trace_id});
  if (!exemplar.span_id.empty()) labels.push_back({"span_id", exemplar.span_id});
  std::vector<LabelView> with_attributes = labels;
  for (const LabelView& attribute : exemplar.attributes.all()) with_attributes.push_back(attribute);
  LabelSet all = LabelSet::Of(std::move(with_attributes));
  return Exemplar{ExemplarStore::IsTooLong(all) ? LabelSet::Of(std::move(labels)) : std::move(all),
                  *exemplar.value, MillisecondsOf(exemplar.time_ns)};
}

bool HasTemporality(MetricKind kind) {
  return kind != MetricKind::kGauge && kind != MetricKind::kSummary;
}

// The type's name in metadata.
std::string_view TypeOf(const MetricHeader& metric) {
  if (HasTemporality(metric.kind) && metric.temporality == Temporality::kDelta) return "unknown";
  switch (metric.kind) {
    case MetricKind::kGauge:
      return "gauge";
    case MetricKind::kSum:
      return metric.is_monotonic ? "counter" : "gauge";
    case MetricKind::kHistogram:
    case MetricKind::kExponentialHistogram:
      return "histogram";
    case MetricKind::kSummary:
      return "summary";
  }
  return "unknown";
}

double ValueOr(const DataPoint& point, double value) {
  return point.has_no_value ? StaleNan() : value;
}

std::vector<Exemplar> ExemplarsOf(const DataPoint& point) {
  std::vector<Exemplar> exemplars;
  for (const OtlpExemplar& one : point.exemplars) {
    if (auto exemplar = ExemplarOf(one)) exemplars.push_back(*std::move(exemplar));
  }
  // The store requires a series' exemplars in order of time.
  std::ranges::stable_sort(exemplars, {}, &Exemplar::timestamp_ms);
  return exemplars;
}

}  // namespace

void Translator::BeginResource(const Attributes& resource) {
  point_labels_.SetResource(resource);
  point_labels_.SetScope({});
}

void Translator::BeginMetric(const MetricHeader& metric) {
  metric_ = metric;
  adds_up_ = HasTemporality(metric.kind) && metric.temporality == Temporality::kDelta &&
             translation_.deltas == DeltaPolicy::kAddUp;
  if (adds_up_) metric_.temporality = Temporality::kCumulative;
  name_ = MetricName(metric, translation_.names);
  refused_.reset();
  const bool may_be_kept =
      metric_.temporality == Temporality::kCumulative ||
      (metric_.temporality == Temporality::kDelta && translation_.deltas == DeltaPolicy::kKeep);
  if (name_.empty()) {
    refused_ = BadLabels{RejectReason::kBadName, "the metric's name is empty after conversion"};
  } else if (HasTemporality(metric.kind) && !may_be_kept) {
    refused_ = BadLabels{RejectReason::kBadTemporality,
                         metric.temporality == Temporality::kDelta
                             ? "its values are deltas, but only cumulative ones are accepted"
                             : "it does not say whether its values are cumulative"};
  }
}

void Translator::Describe() {
  const uint64_t bytes = name_.size() + metric_.description.size() + metric_.unit.size();
  if (bytes > limits_.max_metadata_bytes || !described_.insert(name_).second) return;
  if (!out_.memory.Add(2 * (sizeof(MetadataEntry) + bytes))) return;
  MetadataEntry entry{
      name_,
      {std::string(TypeOf(metric_)), std::string(metric_.description), UnitName(metric_.unit)}};
  if (IsUsable(entry)) out_.metadata.push_back(std::move(entry));
}

bool Translator::Begin(const DataPoint& point) {
  if (!HasRoom()) return false;
  if (refused_.has_value()) {
    RefusePoint(*refused_);
    return false;
  }
  if (const auto bad = point_labels_.Build(point.attributes)) {
    RefusePoint(*bad);
    return false;
  }
  Describe();
  NotePoint(point.time_ns);
  return true;
}

bool Translator::HasRoom() const {
  return out_.series_count <= limits_.max_series_per_request && out_.memory.status().ok();
}

void Translator::RefuseTooLong(std::string_view point) {
  RefusePoint({RejectReason::kLabelTooLong,
               absl::StrFormat("a data point of %d bytes is longer than the limit of %d",
                               point.size(), limits_.max_point_bytes)});
}

void Translator::NotePoint(uint64_t time_ns) {
  // The store refuses a point without a time.
  if (time_ns != 0) target_info_times_.Add(MillisecondsOf(time_ns));
}

template <typename Point>
bool Translator::BeginCumulative(Point& point) {
  if (!Begin(point)) return false;
  if (!adds_up_ || point.has_no_value) return true;
  // A histogram's total is not one of its series, but like them there is one per set of attributes.
  std::vector<LabelView> labels(point_labels_.labels().begin(), point_labels_.labels().end());
  labels.push_back({kMetricName, name_});
  const absl::Status added =
      AddUp(point, deltas_->Of(SeriesKeyOf(LabelSet::Of(std::move(labels)))));
  if (!added.ok()) RefusePoint({RejectReason::kBadTemporality, std::string(Message(added))});
  return added.ok();
}

void Translator::RefusePoint(const BadLabels& bad) {
  ++out_.sample_count;
  const std::string_view name = name_.empty() ? metric_.name : name_;
  const LabelView labels[] = {{kMetricName, name}};
  out_.refusals.Add(bad.reason, 1, labels, bad.why);
}

int64_t Translator::StartMs(MetricKind kind, uint64_t start_ns, uint64_t time_ns) {
  if (kind == MetricKind::kGauge) return 0;
  return start_ns <= time_ns ? MillisecondsOf(start_ns) : 0;
}

void Translator::AddSeries(const SeriesName& name, SeriesWrite series,
                           std::vector<Exemplar> exemplars) {
  // Checked inside the loop because a point may have many.
  if (!HasRoom()) return;
  ++out_.series_count;
  labels_.clear();
  for (const LabelView& label : point_labels_.labels()) {
    if (label.name != name.extra.name) labels_.push_back(label);
  }
  if (!name.extra.name.empty()) labels_.push_back(name.extra);
  labels_.push_back({kMetricName, name.metric});
  exemplars.resize(collector_.AdmitExemplars(exemplars.size()));
  const size_t series_before = out_.request.series.size();
  collector_.Add(std::move(series), labels_, {}, std::move(exemplars));
  if (learning_.keys == nullptr || out_.request.series.size() == series_before) return;
  learning_.keys->Put(SpellingOf(learning_.point, name.part, name.bound),
                      SeriesKeyOf(out_.request.series.back().labels));
}

void Translator::AddFloat(const SeriesName& name, const DataPoint& point, double value,
                          std::vector<Exemplar> exemplars) {
  SeriesWrite series;
  series.samples = {{MillisecondsOf(point.time_ns), ValueOr(point, value)}};
  if (const int64_t start_ms = StartOf(point); start_ms != 0) {
    series.start_timestamps_ms = {start_ms};
  }
  AddSeries(name, std::move(series), std::move(exemplars));
}

void Translator::Add(NumberPoint point) {
  if (!BeginCumulative(point)) return;
  // Prometheus has no exemplars for gauges.
  const bool is_sum = metric_.kind == MetricKind::kSum;
  AddFloat({name_}, point, point.value, is_sum ? ExemplarsOf(point) : std::vector<Exemplar>());
}

void Translator::Add(HistogramPoint point) {
  if (!BeginCumulative(point)) return;
  if (translation_.histograms == HistogramForm::kCustomBuckets) {
    AddNative(point, NativeHistogramOf(point));
  } else {
    AddClassic(point);
  }
}

void Translator::Add(ExponentialHistogramPoint point) {
  if (BeginCumulative(point)) AddNative(point, NativeHistogramOf(point));
}

void Translator::AddNative(const DataPoint& point, absl::StatusOr<Histogram> histogram) {
  if (!histogram.ok()) {
    return RefusePoint({RejectReason::kBadHistogram, std::string(Message(histogram.status()))});
  }
  if (metric_.temporality == Temporality::kDelta) histogram->reset_hint = CounterResetHint::kGauge;
  SeriesWrite series;
  series.histograms.push_back({MillisecondsOf(point.time_ns),
                               std::make_shared<const Histogram>(*std::move(histogram)),
                               StartOf(point)});
  AddSeries({name_}, std::move(series), ExemplarsOf(point));
}

void Translator::AddClassic(const HistogramPoint& point) {
  std::vector<Exemplar> exemplars = ExemplarsOf(point);
  // Takes the exemplars of the bucket up to `bound`, excluding earlier buckets.
  const auto take = [&exemplars](double bound) {
    const auto rest = std::stable_partition(
        exemplars.begin(), exemplars.end(),
        [bound](const Exemplar& exemplar) { return !(exemplar.value <= bound); });
    std::vector<Exemplar> taken(std::make_move_iterator(rest),
                                std::make_move_iterator(exemplars.end()));
    exemplars.erase(rest, exemplars.end());
    return taken;
  };
  const std::string bucket_name = name_ + "_bucket";
  const auto add_bucket = [&](double bound, const std::string& text, double count,
                              std::vector<Exemplar> its) {
    AddFloat({bucket_name, {"le", text}, SeriesPart::kBucket, bound}, point, count, std::move(its));
  };
  if (point.sum.has_value()) AddFloat({name_ + "_sum", {}, SeriesPart::kSum}, point, *point.sum);
  AddFloat({name_ + "_count", {}, SeriesPart::kCount}, point, static_cast<double>(point.count));
  uint64_t count = 0;
  for (size_t i = 0; i < std::min(point.bounds.size(), point.bucket_counts.size()); ++i) {
    count += point.bucket_counts[i];
    const double bound = point.bounds[i];
    // The +Inf bucket is added separately.
    if (bound == kNoBound) break;
    add_bucket(bound, FormatPlainValue(bound), static_cast<double>(count), take(bound));
  }
  add_bucket(kNoBound, "+Inf", static_cast<double>(point.count), std::move(exemplars));
}

void Translator::Add(SummaryPoint point) {
  if (!Begin(point)) return;
  AddFloat({name_ + "_sum"}, point, point.sum);
  AddFloat({name_ + "_count"}, point, static_cast<double>(point.count));
  for (const QuantileValue& one : point.quantiles) {
    const std::string quantile = FormatPlainValue(one.quantile);
    AddFloat({name_, {"quantile", quantile}}, point, one.value);
  }
}

std::vector<Sample> Translator::TakeTargetInfo() {
  std::vector<Sample> samples = target_info_times_.Samples(translation_.lookback_ms);
  target_info_times_.Clear();
  if (!out_.memory.Add(2 * sizeof(KnownSample) * samples.size())) samples.clear();
  return samples;
}

bool Translator::AddTargetInfo(std::vector<Sample> samples) {
  if (samples.empty() || !point_labels_.BuildTargetInfo()) return false;
  constexpr std::string_view kName = "target_info";
  SeriesWrite series;
  series.samples = std::move(samples);
  AddSeries({kName}, std::move(series), {});
  if (described_.insert(std::string(kName)).second) {
    out_.metadata.push_back({std::string(kName), {"gauge", "Target metadata", ""}});
  }
  return true;
}

void Translator::AddKnown(std::vector<KnownSample> samples, size_t series_count) {
  out_.series_count += series_count;
  out_.sample_count += samples.size();
  out_.request.known = std::move(samples);
}

absl::StatusOr<DecodedWrite> Translator::Finish() {
  LOCKSTEP_RETURN_IF_ERROR(out_.memory.status());
  if (out_.series_count > limits_.max_series_per_request) {
    return absl::OutOfRangeError(absl::StrFormat(
        "the request creates more series than the limit of %d", limits_.max_series_per_request));
  }
  return std::move(out_);
}

}  // namespace lockstep::otlp
