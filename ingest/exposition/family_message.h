// The protobuf exposition format: a body is a sequence of length-delimited
// io.prometheus.client.MetricFamily messages. Views point into the body. All functions throw
// protozero::exception for malformed messages. Source: prometheus/client_model,
// io/prometheus/client/metrics.proto.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "model/histogram.h"

namespace lockstep::exposition {

enum class FamilyType { kCounter, kGauge, kSummary, kUntyped, kHistogram, kGaugeHistogram };

struct MetricFamily {
  std::string_view name;
  std::string_view help;
  std::string_view unit;
  FamilyType type = FamilyType::kCounter;  // the format's default
  std::vector<std::string_view> metrics;   // messages
};

MetricFamily ReadFamily(std::string_view message);

// How to convert histograms that have native buckets.
struct HistogramChoice {
  bool takes_native = false;  // otherwise reads the classic buckets
  bool takes_both = false;    // reads the classic buckets too
};

// One sample of a metric: its labels are the metric's, plus the bound label if any.
struct FamilySample {
  std::string_view suffix = {};       // of the metric name: "_bucket"
  std::string_view bound_label = {};  // "le", "quantile", or none
  double bound = 0;
  double value = 0;
  std::shared_ptr<const Histogram> histogram = nullptr;  // if set, replaces the value
  std::vector<std::string_view> exemplars = {};          // messages
};

struct FamilyMetric {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  std::optional<int64_t> timestamp_ms;
  std::vector<FamilySample> samples;
};

// kInvalidArgument for an invalid native histogram.
absl::StatusOr<FamilyMetric> ReadMetric(std::string_view message, FamilyType type,
                                        const HistogramChoice& choice);

struct FamilyExemplar {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  double value = 0;
  std::optional<int64_t> timestamp_ms;
};
FamilyExemplar ReadExemplar(std::string_view message);

}  // namespace lockstep::exposition
