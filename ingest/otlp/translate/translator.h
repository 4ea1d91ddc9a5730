// Translator: translates points of OTLP metrics to a DecodedWrite, as Prometheus does. Not
// thread-safe.
//
//   gauge                  NAME
//   sum                    NAME, with _total if monotonic
//   histogram              NAME_bucket{le}, NAME_count and NAME_sum, if any; or a native histogram
//   exponential histogram  NAME, a native histogram
//   summary                NAME{quantile}, NAME_count and NAME_sum
//   resource               target_info, 1 from its first point to its last
//
// Points without a value become stale markers. Points that cannot be translated are refused one by
// one. Calls are nested like the messages:
//   BeginResource { BeginScope { BeginMetric { Add ... } ... } ... EndResource } ... Finish
// A caller that knows a point's series need not add it, nor begin its containers. The arguments of
// each Begin must live until the next one of its kind or the end of its container.
//
// Source: Prometheus, storage/remote/otlptranslator; OpenTelemetry, "Prometheus and OpenMetrics
// Compatibility".
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/string_map.h"
#include "ingest/otlp/names/point_labels.h"
#include "ingest/otlp/names/translation.h"
#include "ingest/otlp/points/metric_points.h"
#include "ingest/otlp/translate/delta_totals.h"
#include "ingest/otlp/translate/series_keys.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/label_check.h"
#include "ingest/write/limits.h"
#include "ingest/write/series_collector.h"
#include "model/sample.h"

namespace lockstep::otlp {

// The sample times of a resource's target_info.
class TargetInfoTimes {
 public:
  void Clear() { *this = TargetInfoTimes(); }
  // Adds the time of one of the resource's points.
  void Add(int64_t time_ms) {
    first_ms_ = std::min(first_ms_, time_ms);
    last_ms_ = std::max(last_ms_, time_ms);
  }
  // Samples of 1 at the first and last time and in between, so that queries that look back
  // `lookback_ms` find it everywhere. At most a day back, so that a sender with a wrong clock
  // cannot create millions of samples.
  std::vector<Sample> Samples(int64_t lookback_ms) const {
    constexpr int64_t kMaxSpanMs = int64_t{24} * 60 * 60 * 1000;
    std::vector<Sample> samples;
    if (first_ms_ > last_ms_) return samples;
    const int64_t step_ms = std::max<int64_t>(lookback_ms / 2, 1000);
    for (int64_t t = std::max(first_ms_, last_ms_ - kMaxSpanMs); t < last_ms_; t += step_ms) {
      samples.push_back({t, 1});
    }
    samples.push_back({last_ms_, 1});
    return samples;
  }

 private:
  int64_t first_ms_ = std::numeric_limits<int64_t>::max();
  int64_t last_ms_ = std::numeric_limits<int64_t>::min();
};

class Translator {
 public:
  // All must outlive the translator. `deltas` holds the totals of deltas that are added up; null if
  // none are.
  Translator(const Translation& translation, const IngestLimits& limits,
             DeltaTotals::Change* deltas = nullptr)
      : translation_(translation),
        limits_(limits),
        deltas_(deltas),
        collector_(limits, out_),
        point_labels_(translation, limits) {}

  // Call before decoding a message of that size.
  void BeginRequest(size_t message_bytes) { out_.memory.Begin(message_bytes, limits_); }
  // The request's memory. Over its limit, nothing more is added.
  RequestMemory& memory() { return out_.memory; }

  void BeginResource(const Attributes& resource);
  void BeginScope(const Scope& scope) { point_labels_.SetScope(scope); }
  void BeginMetric(const MetricHeader& metric);
  // From now on, stores the series of added points in `keys`, which must outlive them, by the
  // spelling of their point.
  struct Learning {
    SeriesKeys* keys = nullptr;  // null: learn nothing
    Spelling point{};
  };
  void Learn(const Learning& learning) { learning_ = learning; }
  void Add(NumberPoint point);
  void Add(HistogramPoint point);
  void Add(ExponentialHistogramPoint point);
  void Add(SummaryPoint point);
  bool IsTooLong(std::string_view point) const { return point.size() > limits_.max_point_bytes; }
  void RefuseTooLong(std::string_view point);
  // Records a point of the resource that is added elsewhere, for target_info's samples.
  void NotePoint(uint64_t time_ns);
  void EndResource() { AddTargetInfo(TakeTargetInfo()); }
  // The same in two steps: the samples, then their series. False if there is none.
  std::vector<Sample> TakeTargetInfo();
  bool AddTargetInfo(std::vector<Sample> samples);

  // Adds samples already matched to series, of that many series.
  void AddKnown(std::vector<KnownSample> samples, size_t series_count);
  // Like StartOf(), for a point of a metric of that kind.
  static int64_t StartMs(MetricKind kind, uint64_t start_ns, uint64_t time_ns);
  // kOutOfRange: over the series limit. Or the error of memory().
  absl::StatusOr<DecodedWrite> Finish();

 private:
  // Starts a point. False if it is refused (and counted), or if the request is over its limit.
  bool Begin(const DataPoint& point);
  // Whether the request is within its limits.
  bool HasRoom() const;
  // Adds the metric's type, help and unit, once per request.
  void Describe();
  void RefusePoint(const BadLabels& bad);
  // Like Begin(), and makes a delta cumulative.
  template <typename Point>
  bool BeginCumulative(Point& point);
  // A series of the current point.
  struct SeriesName {
    std::string_view metric;
    LabelView extra{};  // replaces a label of that name; none if unnamed
    SeriesPart part = SeriesPart::kWhole;
    double bound = 0;  // of a bucket
  };
  void AddFloat(const SeriesName& name, const DataPoint& point, double value,
                std::vector<Exemplar> exemplars = {});
  void AddNative(const DataPoint& point, absl::StatusOr<Histogram> histogram);
  void AddClassic(const HistogramPoint& point);
  void AddSeries(const SeriesName& name, SeriesWrite series, std::vector<Exemplar> exemplars);
  int64_t StartOf(const DataPoint& point) const {
    return StartMs(metric_.kind, point.start_ns, point.time_ns);
  }

  const Translation& translation_;
  const IngestLimits& limits_;
  DeltaTotals::Change* const deltas_;
  DecodedWrite out_;
  SeriesCollector collector_;
  PointLabels point_labels_;
  TargetInfoTimes target_info_times_;
  MetricHeader metric_;
  std::string name_;                  // of the metric
  StringSet described_;               // names with metadata
  bool adds_up_ = false;              // whether the metric's deltas are added up
  std::optional<BadLabels> refused_;  // why all points of the metric are refused
  std::vector<LabelView> labels_;     // scratch
  Learning learning_;
};

}  // namespace lockstep::otlp
