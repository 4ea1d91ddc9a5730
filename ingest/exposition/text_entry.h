// Parses one entry of a text exposition: a sample, metadata or a comment. Pure functions.
//
//   http_requests_total{code="200",path="/"} 1027 1395066363.000 # {trace="x"} 0.5 1395066362.9
//   `--------------- series ---------------´ value  time           `-------- exemplar --------´
//
// Histograms and summaries stay what their lines are: float series named _bucket, _count, _sum,
// _created. Refuses what Prometheus refuses. Sources: OpenMetrics 1.0 (prometheus/OpenMetrics,
// specification); Prometheus, "Exposition formats" and "UTF-8 in Prometheus".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "ingest/exposition/series_text.h"
#include "ingest/exposition/text_format.h"
#include "model/histogram.h"

namespace lockstep::exposition {

// kHistogram and kExemplar come only from protobuf, whose FamilyReader yields entries, too.
enum class EntryKind { kNothing, kSample, kHistogram, kExemplar, kType, kHelp, kUnit, kEof };

// Views point into the text, or into the reader's buffers.
struct TextEntry {
  EntryKind kind = EntryKind::kNothing;
  // Set for samples; neither parsed nor validated yet, which ParseSeries() does.
  std::string_view series;
  double value = 0;
  std::optional<int64_t> timestamp_ms;
  std::string_view exemplar;  // for ParseExemplar(); "" if there is none
  // Set for kHistogram, a sample with a native histogram. A kExemplar belongs to the series of the
  // sample before.
  std::shared_ptr<const Histogram> histogram;
  // Set for kType, kHelp and kUnit. A quoted name is still escaped, kHelp's text always is; a type
  // is spelled as in MetricTypeName().
  std::string_view metric;
  std::string_view text;
};

// Takes one entry with its line end from the front of `rest`. On error, kInvalidArgument with one
// clause, `rest` is unchanged.
absl::StatusOr<TextEntry> TakeEntry(std::string_view& rest, TextFormat format);

struct ExemplarText {
  double value = 0;
  std::optional<int64_t> timestamp_ms;
};
// Stores its labels in `labels`. Precondition: a non-empty TextEntry::exemplar.
absl::StatusOr<ExemplarText> ParseExemplar(std::string_view exemplar, SeriesLabels& labels);

}  // namespace lockstep::exposition
