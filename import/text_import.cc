#include "import/text_import.h"

#include "absl/strings/str_format.h"

namespace lockstep::importer {

using exposition::EntryKind;
using exposition::TextEntry;

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
  // Of files that were made elsewhere.
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
  return point.Advance(last_line);
}

void TextImport::Conclude() {
  if (exemplars_ > 0) {
    report_.remarks.push_back(absl::StrFormat("%d exemplars were left out", exemplars_));
  }
  if (format_ == exposition::TextFormat::kOpenMetrics && !has_end_) {
    report_.is_cut = true;
    report_.remarks.push_back("it lacks its \"# EOF\" and may be cut short");
  }
}

}  // namespace lockstep::importer
