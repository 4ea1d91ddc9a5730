// Feeds metric families to their reader, with every histogram option. The series text that it
// produces must parse or yield an error, and the store must accept its native histograms.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "ingest/exposition/family_reader.h"
#include "ingest/histogram/histogram_check.h"

namespace lockstep::exposition {
namespace {

void CheckSeries(std::string_view series) {
  SeriesLabels labels;
  if (!ParseSeries(series, TextFormat::kPrometheus, labels).ok()) return;
  const LabelSet set = LabelSet::OfSorted(labels.labels);
  LOCKSTEP_CHECK(LabelSet::FromBytes(set.bytes()).ok());
  LOCKSTEP_CHECK(set.Has(kMetricName));
}

void CheckBody(std::string_view body, const HistogramChoice& choice) {
  FamilyReader reader(body, choice);
  TextEntry entry;
  size_t entry_count = 0;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(entry);
    if (!more.ok() || !*more) return;
    // A two-byte metric yields at most a histogram's count, sum and +Inf bucket.
    LOCKSTEP_CHECK(++entry_count <= 4 * body.size());
    if (!entry.series.empty()) CheckSeries(entry.series);
    if (entry.kind == EntryKind::kHistogram) {
      LOCKSTEP_CHECK(CheckHistogramLayout(*entry.histogram).ok());
    }
    SeriesLabels labels;
    if (entry.kind == EntryKind::kExemplar) (void)ParseExemplar(entry.exemplar, labels);
  }
}

}  // namespace
}  // namespace lockstep::exposition

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  lockstep::exposition::CheckBody(body, {});
  lockstep::exposition::CheckBody(body, {.takes_native = true});
  lockstep::exposition::CheckBody(body, {.takes_native = true, .takes_both = true});
  return 0;
}
