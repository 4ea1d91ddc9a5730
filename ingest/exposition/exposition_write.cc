#include "ingest/exposition/exposition_write.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/exposition/family_reader.h"
#include "ingest/exposition/series_text.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/exposition/text_reader.h"
#include "ingest/write/sample_gatherer.h"

namespace lockstep::exposition {
namespace {

class EntryGatherer {
 public:
  EntryGatherer(size_t body_bytes, TextFormat format, const ExpositionTerms& terms,
                const IngestLimits& limits)
      : format_(format), terms_(terms), limits_(limits), gatherer_(limits, out_) {
    out_.memory.Begin(body_bytes, limits);
  }

  bool Charge(uint64_t bytes) { return out_.memory.Add(bytes); }

  // kInvalidArgument if the entry is malformed; then nothing of it was added.
  absl::Status Add(const TextEntry& entry, std::string_view place) {
    switch (entry.kind) {
      case EntryKind::kSample:
      case EntryKind::kHistogram:
        return AddSample(entry, place);
      case EntryKind::kType:
        return Describe(entry, [&](MetricMetadata& about) { about.type = entry.text; });
      case EntryKind::kHelp:
        return Describe(entry, [&](MetricMetadata& about) { about.help = Unescape(entry.text); });
      case EntryKind::kUnit:
        return Describe(entry, [&](MetricMetadata& about) { about.unit = entry.text; });
      case EntryKind::kExemplar:
      case EntryKind::kNothing:
      case EntryKind::kEof:
        break;
    }
    return absl::OkStatus();
  }

  void Refuse(std::string_view place, const absl::Status& why) {
    ++out_.sample_count;
    out_.refusals.AddAt(place, RejectReason::kBadLine, 1, Message(why));
  }

  absl::Status status() const { return gatherer_.status(); }

  absl::StatusOr<DecodedWrite> Finish() {
    LOCKSTEP_RETURN_IF_ERROR(status());
    for (auto& [metric, about] : metadata_) {
      if (about.type.empty()) about.type = "unknown";
      MetadataEntry entry{metric, std::move(about)};
      if (IsUsable(entry)) out_.metadata.push_back(std::move(entry));
    }
    return std::move(out_);
  }

 private:
  absl::Status AddSample(const TextEntry& entry, std::string_view place) {
    if (entry.timestamp_ms.has_value() && !terms_.may_have_times) {
      return absl::InvalidArgumentError(
          "a sample has a timestamp, but samples get their time of arrival");
    }
    if (!ChargeSeries(entry.series.size())) return absl::OkStatus();
    LOCKSTEP_RETURN_IF_ERROR(ParseSeries(entry.series, format_, series_));
    labels_.assign(series_.labels.begin(), series_.labels.end());
    terms_.labels.Apply(labels_);
    const int64_t time_ms = entry.timestamp_ms.value_or(terms_.time_ms);
    if (entry.kind == EntryKind::kHistogram) {
      gatherer_.Add(labels_, HistogramSample{time_ms, entry.histogram}, place);
    } else {
      gatherer_.Add(labels_, Sample{time_ms, entry.value}, place);
    }
    return absl::OkStatus();
  }

  // Charges the label buffer, which series reuse.
  bool ChargeSeries(size_t text_bytes) {
    constexpr uint64_t kExpansion = 16;
    if (text_bytes <= longest_series_bytes_) return true;
    const uint64_t more = kExpansion * (text_bytes - longest_series_bytes_);
    longest_series_bytes_ = text_bytes;
    return out_.memory.Add(more);
  }

  template <typename Set>
  absl::Status Describe(const TextEntry& entry, const Set& set) {
    const size_t bytes = entry.metric.size() + entry.text.size();
    if (bytes > limits_.max_metadata_bytes) return absl::OkStatus();
    constexpr uint64_t kNodeBytes = 64;
    if (!out_.memory.Add(2 * (sizeof(MetadataEntry) + bytes) + kNodeBytes)) return absl::OkStatus();
    set(metadata_[Unescape(entry.metric)]);
    return absl::OkStatus();
  }

  const TextFormat format_;
  const ExpositionTerms& terms_;
  const IngestLimits& limits_;
  DecodedWrite out_;
  SampleGatherer gatherer_;
  std::map<std::string, MetricMetadata> metadata_;
  size_t longest_series_bytes_ = 0;
  SeriesLabels series_;
  std::vector<LabelView> labels_;
};

template <typename Reader>
absl::StatusOr<DecodedWrite> ReadWhole(Reader reader, EntryGatherer& gatherer) {
  TextEntry entry;
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) break;
    if (const absl::Status added = gatherer.Add(entry, "the exposition"); !added.ok()) {
      return reader.InPlace(added);
    }
    LOCKSTEP_RETURN_IF_ERROR(gatherer.status());
  }
  return gatherer.Finish();
}

}  // namespace

absl::StatusOr<DecodedWrite> DecodeTextLines(std::string_view text, TextFormat format,
                                             const ExpositionTerms& terms,
                                             const IngestLimits& limits) {
  EntryGatherer gatherer(text.size(), format, terms, limits);
  for (size_t number = 1; !text.empty(); ++number) {
    LOCKSTEP_RETURN_IF_ERROR(gatherer.status());
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::string place = absl::StrFormat("line %d", number);
    const absl::StatusOr<TextEntry> entry = TakeEntry(line, format);
    const absl::Status added = entry.ok() ? gatherer.Add(*entry, place) : entry.status();
    if (!added.ok()) gatherer.Refuse(place, added);
  }
  return gatherer.Finish();
}

absl::StatusOr<DecodedWrite> DecodeExposition(std::string_view body,
                                              std::optional<TextFormat> format,
                                              const ExpositionTerms& terms,
                                              const IngestLimits& limits) {
  EntryGatherer gatherer(body.size(), format.value_or(TextFormat::kPrometheus), terms, limits);
  if (format.has_value()) return ReadWhole(TextReader(body, *format), gatherer);
  // A two-byte message is stored in sixteen bytes or more.
  constexpr uint64_t kMessageExpansion = 16;
  if (!gatherer.Charge(kMessageExpansion * body.size())) return gatherer.status();
  return ReadWhole(FamilyReader(body, {.takes_native = true, .takes_both = true}), gatherer);
}

}  // namespace lockstep::exposition
