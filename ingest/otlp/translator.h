// Translator: points of OTLP metrics into a DecodedWrite, as Prometheus translates them. Not thread-safe.
//
//   gauge                  NAME
//   sum                    NAME, with _total if it only grows
//   histogram              NAME_bucket{le}, NAME_count and, if the point has one, NAME_sum; or a native histogram
//   exponential histogram  NAME, a native histogram
//   summary                NAME{quantile}, NAME_count and NAME_sum
//   resource               target_info, 1 from its first point to its last
//
// Points without a value become stale markers. What cannot be translated is refused point by point. Calls nest
// as the messages do:
//   BeginResource { BeginScope { BeginMetric { Add ... } ... } ... EndResource } ... Finish
// Who knows the series of a point need not add it, nor begin what is around it. The arguments of each Begin live until the next of its kind or the end of what is around it.
//
// Source: Prometheus, storage/remote/otlptranslator; OpenTelemetry, "Prometheus and OpenMetrics Compatibility".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/string_map.h"
#include "ingest/decoded_write.h"
#include "ingest/label_check.h"
#include "ingest/limits.h"
#include "ingest/otlp/delta_totals.h"
#include "ingest/otlp/metric_points.h"
#include "ingest/otlp/point_labels.h"
#include "ingest/otlp/series_keys.h"
#include "ingest/otlp/target_info.h"
#include "ingest/otlp/translation.h"
#include "ingest/series_collector.h"

namespace lockstep::otlp {

class Translator {
 public:
  // All outlive the translator. `deltas` are those that the translation adds up; it may be null if it adds up none.
  Translator(const Translation& translation, const IngestLimits& limits,
             DeltaTotals::Change* deltas = nullptr)
      : translation_(translation),
        limits_(limits),
        deltas_(deltas),
        collector_(limits, out_),
        point_labels_(translation, limits) {}

  // A message of that size is read next.
  void BeginRequest(size_t message_bytes) { out_.memory.Begin(message_bytes, limits_); }
  // Of the request. Once it is over a limit nothing is added any more.
  RequestMemory& memory() { return out_.memory; }

  void BeginResource(const Attributes& resource);
  void BeginScope(const Scope& scope) { point_labels_.SetScope(scope); }
  void BeginMetric(const MetricHeader& metric);
  // Puts the series of the points that are added from now on into `keys`, which outlive them, by the spelling of
  // their point.
  struct Learning {
    SeriesKeys* keys = nullptr;  // null: nothing is learnt
    Spelling point{};
  };
  void Learn(const Learning& learning) { learning_ = learning; }
  void Add(NumberPoint point);
  void Add(HistogramPoint point);
  void Add(ExponentialHistogramPoint point);
  void Add(SummaryPoint point);
  bool IsTooLong(std::string_view point) const { return point.size() > limits_.max_point_bytes; }
  void RefuseTooLong(std::string_view point);
  // A point of the resource that somebody else takes: target_info has samples for it.
  void NotePoint(uint64_t time_ns);
  void EndResource() { AddTargetInfo(TakeTargetInfo()); }
  // The same in two steps: the samples, and their series. False if there is none.
  std::vector<Sample> TakeTargetInfo();
  bool AddTargetInfo(std::vector<Sample> samples);

  // Samples that somebody else has taken, of that many series.
  void AddKnown(std::vector<KnownSample> samples, size_t series_count);
  // What StartOf() is to a point of a metric of that kind.
  static int64_t StartMs(MetricKind kind, uint64_t start_ns, uint64_t time_ns);
  // kOutOfRange: more series than the limit. Or the error of memory().
  absl::StatusOr<DecodedWrite> Finish();

 private:
  // Starts a point: false if it is refused, and counted so, or if the request is over its limit.
  bool Begin(const DataPoint& point);
  // Whether the request is within its limits.
  bool HasRoom() const;
  // Tells the type, help and unit of the metric, once in a request.
  void Describe();
  void RefusePoint(const BadLabels& bad);
  // Begin(), and makes a delta cumulative.
  template <typename Point>
  bool BeginCumulative(Point& point);
  // A series of the point whose labels were built last.
  struct SeriesName {
    std::string_view metric;
    LabelView extra{};  // instead of a label of that name; none if it has no name
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
  StringSet described_;               // such names
  bool adds_up_ = false;              // deltas of the metric
  std::optional<BadLabels> refused_;  // why all points of the metric are
  std::vector<LabelView> labels_;     // scratch
  Learning learning_;
};

}  // namespace lockstep::otlp
