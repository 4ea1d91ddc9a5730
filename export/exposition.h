// Exposition: writes samples for a scraper, in the formats of Prometheus' /federate.
//
// Source: prometheus/common, expfmt (Negotiate, text_create.go) and model (EscapeName);
// prometheus/client_model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"
#include "model/sample.h"

namespace lockstep {

enum class ExpositionFormat {
  kText,      // 0.0.4; has no native histograms
  kProtobuf,  // length-delimited io.prometheus.client.MetricFamily
};

// How to write names that do not match [a-zA-Z_:][a-zA-Z0-9_:]*, for readers that accept no others.
enum class NameEscaping { kNone, kUnderscores, kDots, kValues };

struct Exposition {
  ExpositionFormat format = ExpositionFormat::kText;
  NameEscaping escaping = NameEscaping::kUnderscores;
};

// Chooses the format by an Accept header; text with underscores if it names no supported format.
Exposition NegotiateExposition(std::string_view accept);
std::string ContentTypeOf(const Exposition& exposition);
std::string EscapeName(std::string_view name, NameEscaping escaping);

struct ExposedSample {
  LabelSet labels;  // includes a metric name
  int64_t timestamp_ms = 0;
  double value = 0;
  std::shared_ptr<const Histogram> histogram;  // if set, `value` is unused
};

// `samples` are sorted by metric name. A family is a run of samples with the same name and kind;
// floats are untyped. Labels are written in order, followed by an empty `instance` if there is
// none, so that the scraper does not add its own. Histograms that the format does not support are
// omitted: all of them in text, those with custom buckets in protobuf.
std::string WriteExposition(const Exposition& exposition, std::span<const ExposedSample> samples);

// Write one family in each format.
std::string TextOfFamily(NameEscaping escaping, std::span<const ExposedSample> family);
std::string ProtobufOfFamily(NameEscaping escaping, std::span<const ExposedSample> family);

}  // namespace lockstep
