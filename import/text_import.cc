// Imports a file in exposition text or OpenMetrics format in batches.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/string_map.h"
#include "import/delivery/resume_point.h"
#include "import/files/line_source.h"
#include "import/importers.h"
#include "ingest/exposition/series_text.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/side_data/metadata_store.h"
#include "storage/write.h"

namespace lockstep::importer {
namespace {

using exposition::EntryKind;
using exposition::TextEntry;

// Collects the samples of consecutive text lines by series into one write request. Not thread-safe.
class TextBatch {
 public:
  explicit TextBatch(exposition::TextFormat format) : format_(format) {}

  // Fails, and adds nothing, if labels are invalid or the sample has no time.
  absl::Status Add(const exposition::TextEntry& entry);

  size_t sample_count() const { return sample_count_; }
  const WriteRequest& request() const { return request_; }
  std::vector<MetadataEntry> metadata() const;
  void Clear();

 private:
  absl::Status AddSample(const exposition::TextEntry& entry);

  const exposition::TextFormat format_;
  exposition::SeriesLabels labels_;  // of the series being added
  WriteRequest request_;
  StringMap<size_t> series_index_;  // into request_.series, by TextEntry::series
  std::map<std::string, MetricMetadata, std::less<>> metadata_;
  size_t sample_count_ = 0;
};

// Imports one file. Not thread-safe.
class TextImport {
 public:
  // All must outlive this object.
  TextImport(ByteSource& source, exposition::TextFormat format, const ImportSession& session,
             ImportReport& report)
      : source_(source),
        format_(format),
        session_(session),
        report_(report),
        lines_(source),
        batch_(format),
        sender_(session, report) {}

  // Fails if the file cannot be read or the server accepts no more. Malformed lines are not
  // failures.
  absl::Status Run(size_t max_batch_samples);

 private:
  absl::Status SkipDoneLines(uint64_t count);
  void TakeLine(std::string_view text);
  absl::Status Deliver(ResumePoint& point);
  void Conclude();

  ByteSource& source_;
  const exposition::TextFormat format_;
  const ImportSession& session_;
  ImportReport& report_;
  LineSource lines_;
  TextBatch batch_;
  SampleSender sender_;
  uint64_t batch_first_line_ = 1;
  uint64_t exemplars_ = 0;
  bool has_end_ = false;  // saw "# EOF"
};

absl::Status TextBatch::Add(const TextEntry& entry) {
  switch (entry.kind) {
    case EntryKind::kSample:
      return AddSample(entry);
    case EntryKind::kType:
      metadata_[exposition::Unescape(entry.metric)].type = std::string(entry.text);
      break;
    case EntryKind::kHelp:
      metadata_[exposition::Unescape(entry.metric)].help = exposition::Unescape(entry.text);
      break;
    case EntryKind::kUnit:
      metadata_[exposition::Unescape(entry.metric)].unit = std::string(entry.text);
      break;
    case EntryKind::kNothing:
    case EntryKind::kEof:
    case EntryKind::kHistogram:  // not in text
    case EntryKind::kExemplar:
      break;
  }
  return absl::OkStatus();
}

absl::Status TextBatch::AddSample(const TextEntry& entry) {
  if (!entry.timestamp_ms) return absl::InvalidArgumentError("the sample has no time");
  auto at = series_index_.find(entry.series);
  if (at == series_index_.end()) {
    LOCKSTEP_RETURN_IF_ERROR(exposition::ParseSeries(entry.series, format_, labels_));
    at = series_index_.emplace(std::string(entry.series), request_.series.size()).first;
    request_.series.push_back({LabelSet::OfSorted(labels_.labels), {}, {}});
  }
  request_.series[at->second].samples.push_back({*entry.timestamp_ms, entry.value});
  ++sample_count_;
  return absl::OkStatus();
}

std::vector<MetadataEntry> TextBatch::metadata() const {
  std::vector<MetadataEntry> entries;
  for (const auto& [metric, about] : metadata_) entries.push_back({metric, about});
  return entries;
}

void TextBatch::Clear() {
  request_.series.clear();
  series_index_.clear();
  metadata_.clear();
  sample_count_ = 0;
}

absl::Status TextImport::Run(size_t max_batch_samples) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      ResumePoint point,
      ResumePoint::Open(source_.path(), source_.file_bytes(), session_.resume_use()));
  LOCKSTEP_RETURN_IF_ERROR(SkipDoneLines(point.done()));
  std::string_view text;
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, lines_.Next(text));
    if (!more) break;
    TakeLine(text);
    if (batch_.sample_count() >= max_batch_samples) LOCKSTEP_RETURN_IF_ERROR(Deliver(point));
  }
  LOCKSTEP_RETURN_IF_ERROR(Deliver(point));
  point.Remove();
  Conclude();
  return absl::OkStatus();
}

absl::Status TextImport::SkipDoneLines(uint64_t count) {
  std::string_view text;
  while (report_.done_before < count) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, lines_.Next(text));
    if (!more) break;
    ++report_.done_before;
  }
  batch_first_line_ = report_.done_before + 1;
  return absl::OkStatus();
}

void TextImport::TakeLine(std::string_view text) {
  // Accepts files with CRLF line ends.
  if (text.ends_with('\r')) text.remove_suffix(1);
  const absl::StatusOr<TextEntry> entry = exposition::TakeEntry(text, format_);
  absl::Status status = entry.status();
  if (entry.ok() && has_end_) {
    status = absl::InvalidArgumentError("there is text after \"# EOF\"");
  } else if (entry.ok()) {
    status = batch_.Add(*entry);
  }
  if (!status.ok()) {
    ++report_.left_out;
    session_.complain(report_,
                      absl::StrFormat("line %d: %s", lines_.line_number(), Message(status)));
    return;
  }
  if (entry->kind == EntryKind::kEof) has_end_ = true;
  if (!entry->exemplar.empty()) ++exemplars_;
}

absl::Status TextImport::Deliver(ResumePoint& point) {
  const uint64_t last_line = lines_.line_number();
  report_.read_bytes = source_.read_bytes();
  LOCKSTEP_RETURN_IF_ERROR(
      sender_.Send(batch_.request(), batch_.metadata(),
                   absl::StrFormat("lines %d to %d", batch_first_line_, last_line)));
  batch_.Clear();
  batch_first_line_ = last_line + 1;
  // Only now: after an interruption, a batch is rather sent twice than never, and the server stores
  // a sample once.
  return point.Advance(last_line);
}

void TextImport::Conclude() {
  if (exemplars_ > 0) {
    report_.remarks.push_back(absl::StrFormat("%d exemplars were left out", exemplars_));
  }
  if (format_ == exposition::TextFormat::kOpenMetrics && !has_end_) {
    report_.is_cut = true;
    report_.remarks.push_back("it has no \"# EOF\" and may be truncated");
  }
}

}  // namespace

absl::Status ImportText(ByteSource& source, exposition::TextFormat format,
                        const ImportSession& session, ImportReport& report,
                        size_t max_batch_samples) {
  return TextImport(source, format, session, report).Run(max_batch_samples);
}

}  // namespace lockstep::importer
