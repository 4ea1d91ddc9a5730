// One line of the OpenMetrics or Prometheus text format. Pure: no state, no I/O.
//
//   http_requests_total{code="200",path="/"} 1027 1395066363.000 # {trace="x"} 0.5
//   `--- name ---------´`---- labels --------´ value  time          exemplar
//
// Histograms and summaries are what their lines are: float series named _bucket, _count, _sum...
// Sources: OpenMetrics 1.0 (prometheus/OpenMetrics, specification); Prometheus, "Exposition
// formats", with its quoted names in braces: {"my.metric","my.label"="x"} 1
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/labels.h"

namespace lockstep::importer {

enum class TextFormat {
  kOpenMetrics,  // times are seconds, with decimals; the text ends with "# EOF"
  kPrometheus,   // times are whole milliseconds
};

enum class LineKind { kNothing, kSample, kType, kHelp, kUnit, kEof };

// Views point into the line.
struct Line {
  LineKind kind = LineKind::kNothing;
  // Of a sample: "name{labels}" as it stands, for ParseSeries.
  std::string_view series;
  double value = 0;
  std::optional<int64_t> timestamp_ms;
  bool has_exemplar = false;
  // Of kType, kHelp and kUnit.
  std::string_view metric;
  std::string_view text;  // escaped still
};

// `text` is without its line end. Fails with kInvalidArgument on what is no line of the format;
// labels are only looked at as far as needed to find their end.
absl::StatusOr<Line> ParseLine(std::string_view text, TextFormat format);

// The labels of Line::series, the metric name among them.
absl::StatusOr<LabelSet> ParseSeries(std::string_view series);

// With \\, \" and \n resolved; other escapes stay as they are.
std::string Unescape(std::string_view text);

}  // namespace lockstep::importer
