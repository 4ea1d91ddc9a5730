// One entry of a text exposition: a sample, a piece of metadata, a comment. Pure.
//
//   http_requests_total{code="200",path="/"} 1027 1395066363.000 # {trace="x"} 0.5 1395066362.9
//   `--------------- series ---------------´ value  time           `-------- exemplar --------´
//
// Histograms and summaries are what their lines are: float series named _bucket, _count, _sum, _created.
// What Prometheus refuses is refused. Sources: OpenMetrics 1.0 (prometheus/OpenMetrics, specification);
// Prometheus, "Exposition formats" and "UTF-8 in Prometheus".
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

// Of text, no kHistogram and no kExemplar.
enum class EntryKind { kNothing, kSample, kHistogram, kExemplar, kType, kHelp, kUnit, kEof };

// Views point into the text.
struct TextEntry {
  EntryKind kind = EntryKind::kNothing;
  // Of a sample. The series is for ParseSeries(), which says whether it is one; the exemplar for
  // ParseExemplar(), "" if there is none.
  std::string_view series;
  double value = 0;
  std::optional<int64_t> timestamp_ms;
  std::string_view exemplar;
  // Of kHistogram, a sample whose value is a native one. A kExemplar is one (more) of the series of the sample before.
  std::shared_ptr<const Histogram> histogram;
  // Of kType, kHelp and kUnit. The name is escaped still if it was quoted, the text of kHelp always; a type
  // has its name in MetricTypeName().
  std::string_view metric;
  std::string_view text;
};

// Takes one entry with its line end from the front of `rest`. An error is
// kInvalidArgument with one clause, and `rest` is as it was.
absl::StatusOr<TextEntry> TakeEntry(std::string_view& rest, TextFormat format);

struct ExemplarText {
  double value = 0;
  std::optional<int64_t> timestamp_ms;
};
// Its labels are in `labels`. Precondition: TextEntry::exemplar, not empty.
absl::StatusOr<ExemplarText> ParseExemplar(std::string_view exemplar, SeriesLabels& labels);

}  // namespace lockstep::exposition
