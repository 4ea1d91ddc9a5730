#include "scrape/body_reader.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "ingest/exposition/bound_label.h"
#include "ingest/exposition/family_reader.h"
#include "ingest/exposition/text_reader.h"

namespace lockstep::scrape {
namespace {

using exposition::EntryKind;
using exposition::TextEntry;
using exposition::TextFormat;

BodyFormat FormatOf(ScrapeProtocol protocol) {
  switch (protocol) {
    case ScrapeProtocol::kPrometheusProto:
      return BodyFormat::kProtobuf;
    case ScrapeProtocol::kOpenMetrics100:
    case ScrapeProtocol::kOpenMetrics001:
      return BodyFormat::kOpenMetricsText;
    case ScrapeProtocol::kPrometheusText100:
    case ScrapeProtocol::kPrometheusText004:
      break;
  }
  return BodyFormat::kPrometheusText;
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
        series_format_(body.format == BodyFormat::kOpenMetricsText ? TextFormat::kOpenMetrics
                                                                   : TextFormat::kPrometheus) {}

  absl::Status Read() {
    if (body_.format == BodyFormat::kProtobuf) {
      LOCKSTEP_RETURN_IF_ERROR(TakeAll(exposition::FamilyReader(
          body_.bytes,
          {config_.scrape_native_histograms, config_.always_scrape_classic_histograms})));
    } else {
      LOCKSTEP_RETURN_IF_ERROR(TakeAll(exposition::TextReader(body_.bytes, series_format_)));
    }
    const uint64_t limit = config_.limits.samples;
    if (limit == 0 || counts_.kept <= limit) return absl::OkStatus();
    return absl::OutOfRangeError(
        absl::StrFormat("sample_limit exceeded: %d samples are more than %d", counts_.kept, limit));
  }

 private:
  template <typename EntryReader>
  absl::Status TakeAll(EntryReader reader) {
    TextEntry entry;
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
      if (!more) return absl::OkStatus();
      if (absl::Status status = Take(entry); !status.ok()) return reader.InPlace(status);
      LOCKSTEP_RETURN_IF_ERROR(batch_.status());
    }
  }

  absl::Status Take(const TextEntry& entry) {
    switch (entry.kind) {
      case EntryKind::kSample:
      case EntryKind::kHistogram:
        return TakeSample(entry);
      case EntryKind::kExemplar:
        return TakeMoreExemplars(entry);
      case EntryKind::kType:
        bound_label_ = exposition::BoundLabelOf(entry.text);
        metadata_.Put(entry);
        break;
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
                              series_.Find(entry.series, series_format_, bound_label_, target_));
    TargetSeries::Entry& series = found.entry;
    if (series.is_dropped) return absl::OkStatus();
    ++counts_.kept;
    const bool has_time = entry.timestamp_ms.has_value() && config_.honor_timestamps;
    // If samples without a timestamp repeat, the first wins.
    if (found.is_repeated && !has_time) return absl::OkStatus();
    if (found.is_new) ++counts_.added;
    series.tracks_end = !has_time || config_.track_timestamps_staleness;
    const int64_t timestamp_ms = has_time ? *entry.timestamp_ms : body_.timestamp_ms;
    if (entry.kind == EntryKind::kHistogram) {
      batch_.AddHistogram(series.series, {timestamp_ms, entry.histogram});
    } else {
      batch_.Add(series.series, {timestamp_ms, entry.value});
    }
    if (entry.exemplar.empty()) return absl::OkStatus();
    return TakeExemplar(entry, series.series.labels, timestamp_ms);
  }

  absl::Status TakeMoreExemplars(const TextEntry& entry) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TargetSeries::Found found,
                              series_.Find(entry.series, series_format_, bound_label_, target_));
    if (found.entry.is_dropped) return absl::OkStatus();
    return TakeExemplar(entry, found.entry.series.labels, body_.timestamp_ms);
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
  const TextFormat series_format_;
  std::string_view bound_label_;  // of the latest TYPE
  exposition::SeriesLabels scratch_;
};

}  // namespace

absl::StatusOr<BodyFormat> FormatOf(std::string_view content_type, const ScrapeConfig& config) {
  std::string type =
      absl::AsciiStrToLower(std::string(content_type.substr(0, content_type.find(';'))));
  absl::StripAsciiWhitespace(&type);
  if (type == "text/plain") return BodyFormat::kPrometheusText;
  if (type == "application/openmetrics-text") return BodyFormat::kOpenMetricsText;
  if (type == "application/vnd.google.protobuf") return BodyFormat::kProtobuf;
  if (!config.fallback_protocol.empty()) return FormatOf(config.fallback_protocol.front());
  return absl::InvalidArgumentError(absl::StrFormat(
      "the response's Content-Type is \"%s\", and there is no fallback_scrape_protocol",
      content_type));
}

absl::Status ReadBody(const ScrapedBody& body, const Target& target, TargetSeries& series,
                      TargetMetadata& metadata, ScrapeBatch& batch, BodyCounts& counts) {
  return Reader(body, target, series, metadata, batch, counts).Read();
}

}  // namespace lockstep::scrape
