// Exposition: samples as a scraper reads them, in the formats that Prometheus' /federate speaks.
//
// Source: prometheus/common, expfmt (Negotiate, text_create.go) and model (EscapeName); prometheus/client_model.
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

// How names are written that are no [a-zA-Z_:][a-zA-Z0-9_:]*, for readers of nothing else.
enum class NameEscaping { kNone, kUnderscores, kDots, kValues };

struct Exposition {
  ExpositionFormat format = ExpositionFormat::kText;
  NameEscaping escaping = NameEscaping::kUnderscores;
};

// By an Accept header; text with underscores when it names nothing that we speak.
Exposition NegotiateExposition(std::string_view accept);
std::string ContentTypeOf(const Exposition& exposition);
std::string EscapeName(std::string_view name, NameEscaping escaping);

struct ExposedSample {
  LabelSet labels;  // with a metric name
  int64_t timestamp_ms = 0;
  double value = 0;
  std::shared_ptr<const Histogram> histogram;  // when set, `value` means nothing
};

// `samples` sorted by metric name. A family is a run of one name and kind; floats are untyped. Labels are
// written in order, and an empty `instance` behind them where there is none, so that the scraper does not
// put its own there. Histograms that the format cannot hold are left out: all of them in text, those with
// custom buckets in protobuf.
std::string WriteExposition(const Exposition& exposition, std::span<const ExposedSample> samples);

// The two ways to write one family.
std::string TextOfFamily(NameEscaping escaping, std::span<const ExposedSample> family);
std::string ProtobufOfFamily(NameEscaping escaping, std::span<const ExposedSample> family);

}  // namespace lockstep
