// The protobuf in which targets show their metrics: a body is messages of io.prometheus.client.MetricFamily, each
// behind its length. Views point into the body. Everything here throws protozero::exception on bytes that are no message.
// Source: prometheus/client_model, io/prometheus/client/metrics.proto.
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
  FamilyType type = FamilyType::kCounter;  // as the format has it where none is said
  std::vector<std::string_view> metrics;   // messages
};

MetricFamily ReadFamily(std::string_view message);

// What is made of a histogram that has native buckets.
struct HistogramChoice {
  bool takes_native = false;  // else it is read as a classic one
  bool takes_both = false;    // its classic buckets, too
};

// One sample of a metric, whose labels are the metric's and perhaps one more.
struct FamilySample {
  std::string_view suffix = {};       // of the name: "_bucket"
  std::string_view bound_label = {};  // "le", "quantile", or none
  double bound = 0;
  double value = 0;
  std::shared_ptr<const Histogram> histogram = nullptr;  // instead of the value
  std::vector<std::string_view> exemplars = {};          // messages
};

struct FamilyMetric {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  std::optional<int64_t> timestamp_ms;
  std::vector<FamilySample> samples;
};

// kInvalidArgument for a native histogram that breaks the rules.
absl::StatusOr<FamilyMetric> ReadMetric(std::string_view message, FamilyType type,
                                        const HistogramChoice& choice);

struct FamilyExemplar {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  double value = 0;
  std::optional<int64_t> timestamp_ms;
};
FamilyExemplar ReadExemplar(std::string_view message);

}  // namespace lockstep::exposition
