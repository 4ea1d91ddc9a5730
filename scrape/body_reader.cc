#include "scrape/body_reader.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "ingest/exposition/text_reader.h"

namespace lockstep::scrape {
namespace {

using exposition::EntryKind;
using exposition::TextEntry;
using exposition::TextFormat;

TextFormat FormatOf(ScrapeProtocol protocol) {
  const bool is_open_metrics =
      protocol == ScrapeProtocol::kOpenMetrics100 || protocol == ScrapeProtocol::kOpenMetrics001;
  return is_open_metrics ? TextFormat::kOpenMetrics : TextFormat::kPrometheus;
}

class Reader {
 public:
  Reader(const ScrapedBody& body, const Target& target, TargetSeries& series,
         TargetMetadata& metadata, ScrapeBatch& batch, BodyCounts& counts)
      : body_(body),
        target_(target),
        config_(*target.config),
        series_(series),
        metadata_(metadata),
        batch_(batch),
        counts_(counts),
        reader_(body.text, body.format) {}

  absl::Status Read() {
    TextEntry entry;
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool more, reader_.Next(entry));
      if (!more) break;
      if (absl::Status status = Take(entry); !status.ok()) return reader_.InLine(status);
    }
    const uint64_t limit = config_.limits.samples;
    if (limit == 0 || counts_.kept <= limit) return absl::OkStatus();
    return absl::OutOfRangeError(
        absl::StrFormat("sample_limit exceeded: %d samples are more than %d", counts_.kept, limit));
  }

 private:
  absl::Status Take(const TextEntry& entry) {
    switch (entry.kind) {
      case EntryKind::kSample:
        return TakeSample(entry);
      case EntryKind::kType:
      case EntryKind::kHelp:
      case EntryKind::kUnit:
        metadata_.Put(entry);
        break;
      case EntryKind::kNothing:
      case EntryKind::kEof:
        break;
    }
    return absl::OkStatus();
  }

  absl::Status TakeSample(const TextEntry& entry) {
    ++counts_.samples;
    LOCKSTEP_ASSIGN_OR_RETURN(const TargetSeries::Found found,
                              series_.Find(entry.series, body_.format, target_));
    TargetSeries::Entry& series = found.entry;
    if (series.is_dropped) return absl::OkStatus();
    ++counts_.kept;
    const bool has_time = entry.timestamp_ms.has_value() && config_.honor_timestamps;
    // Of several samples without a time the first counts.
    if (found.is_repeated && !has_time) return absl::OkStatus();
    if (found.is_new) ++counts_.added;
    series.tracks_end = !has_time || config_.track_timestamps_staleness;
    const int64_t timestamp_ms = has_time ? *entry.timestamp_ms : body_.timestamp_ms;
    batch_.Add(series.series, {timestamp_ms, entry.value});
    if (entry.exemplar.empty()) return absl::OkStatus();
    return TakeExemplar(entry, series.series.labels, timestamp_ms);
  }

  absl::Status TakeExemplar(const TextEntry& entry, const LabelSet& series, int64_t timestamp_ms) {
    LOCKSTEP_ASSIGN_OR_RETURN(const exposition::ExemplarText text,
                              exposition::ParseExemplar(entry.exemplar, scratch_));
    batch_.AddExemplar(series, {LabelSet::OfSorted(scratch_.labels), text.value,
                                text.timestamp_ms.value_or(timestamp_ms)});
    return absl::OkStatus();
  }

  const ScrapedBody& body_;
  const Target& target_;
  const ScrapeConfig& config_;
  TargetSeries& series_;
  TargetMetadata& metadata_;
  ScrapeBatch& batch_;
  BodyCounts& counts_;
  exposition::TextReader reader_;
  exposition::SeriesLabels scratch_;
};

}  // namespace

absl::StatusOr<TextFormat> FormatOf(std::string_view content_type, const ScrapeConfig& config) {
  std::string type =
      absl::AsciiStrToLower(std::string(content_type.substr(0, content_type.find(';'))));
  absl::StripAsciiWhitespace(&type);
  if (type == "text/plain") return TextFormat::kPrometheus;
  if (type == "application/openmetrics-text") return TextFormat::kOpenMetrics;
  if (!config.fallback_protocol.empty()) return FormatOf(config.fallback_protocol.front());
  return absl::InvalidArgumentError(absl::StrFormat(
      "the answer's Content-Type is \"%s\", and there is no fallback_scrape_protocol",
      content_type));
}

absl::Status ReadBody(const ScrapedBody& body, const Target& target, TargetSeries& series,
                      TargetMetadata& metadata, ScrapeBatch& batch, BodyCounts& counts) {
  return Reader(body, target, series, metadata, batch, counts).Read();
}

}  // namespace lockstep::scrape
