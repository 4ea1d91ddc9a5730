// Feeds whole expositions to the readers of both text formats.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "ingest/exposition/text_reader.h"

namespace lockstep::exposition {
namespace {

void CheckSample(const TextEntry& entry, TextFormat format) {
  SeriesLabels labels;
  if (ParseSeries(entry.series, format, labels).ok()) {
    const LabelSet set = LabelSet::OfSorted(labels.labels);
    LOCKSTEP_CHECK(LabelSet::FromBytes(set.bytes()).ok());
    LOCKSTEP_CHECK(set.Has(kMetricName));
    for (const LabelView& label : set) {
      LOCKSTEP_CHECK(IsValidUtf8(label.name) && IsValidUtf8(label.value));
    }
  }
  if (!entry.exemplar.empty()) (void)ParseExemplar(entry.exemplar, labels);
}

void CheckText(std::string_view text, TextFormat format) {
  TextReader reader(text, format);
  TextEntry entry;
  size_t entry_count = 0;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(entry);
    if (!more.ok() || !*more) return;
    LOCKSTEP_CHECK(++entry_count <= text.size());
    if (entry.kind == EntryKind::kSample) CheckSample(entry, format);
  }
}

}  // namespace
}  // namespace lockstep::exposition

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::exposition::TextFormat;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lockstep::exposition::CheckText(text, TextFormat::kPrometheus);
  lockstep::exposition::CheckText(text, TextFormat::kOpenMetrics);
  return 0;
}
