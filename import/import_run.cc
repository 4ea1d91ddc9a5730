#include "import/import_run.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"
#include "import/resume_point.h"

namespace lockstep::importer {

using exposition::EntryKind;
using exposition::TextEntry;

ImportRun::ImportRun(ImportOptions options, Delivery& delivery, Progress progress,
                     Complain complain)
    : options_(std::move(options)),
      delivery_(delivery),
      progress_(std::move(progress)),
      complain_(std::move(complain)),
      batch_(options_.format) {}

absl::Status ImportRun::Run() {
  LOCKSTEP_ASSIGN_OR_RETURN(source_, LineSource::Open(options_.path));
  totals_.file_bytes = source_->file_bytes();
  if (options_.resume) LOCKSTEP_RETURN_IF_ERROR(SkipDoneLines());

  std::string_view text;
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, source_->Next(text));
    if (!more) break;
    ++totals_.lines;
    TakeLine(text);
    if (batch_.sample_count() >= options_.max_batch_samples) LOCKSTEP_RETURN_IF_ERROR(Deliver());
  }
  LOCKSTEP_RETURN_IF_ERROR(Deliver());
  if (options_.resume && !options_.dry_run) {
    std::error_code ignored;
    std::filesystem::remove(ResumePath(options_.path), ignored);
  }
  return absl::OkStatus();
}

absl::Status ImportRun::SkipDoneLines() {
  LOCKSTEP_ASSIGN_OR_RETURN(const ResumePoint point, ReadResumePoint(ResumePath(options_.path)));
  if (point.done_lines == 0) return absl::OkStatus();
  if (point.file_bytes != source_->file_bytes()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s has %d bytes and had %d when its import was interrupted; delete %s to begin anew",
        options_.path, source_->file_bytes(), point.file_bytes, ResumePath(options_.path)));
  }
  std::string_view text;
  while (totals_.skipped_lines < point.done_lines) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, source_->Next(text));
    if (!more) break;
    ++totals_.skipped_lines;
  }
  batch_first_line_ = totals_.skipped_lines + 1;
  return absl::OkStatus();
}

void ImportRun::TakeLine(std::string_view text) {
  // Of files that were made elsewhere.
  if (text.ends_with('\r')) text.remove_suffix(1);
  const absl::StatusOr<TextEntry> entry = exposition::TakeEntry(text, options_.format);
  absl::Status status = entry.status();
  if (entry.ok() && totals_.has_end) {
    status = absl::InvalidArgumentError("there is text after \"# EOF\"");
  } else if (entry.ok()) {
    status = batch_.Add(*entry);
  }
  if (!status.ok()) {
    ++totals_.bad_lines;
    complain_(absl::StrFormat("line %d: %s", source_->line_number(), Message(status)));
    return;
  }
  if (entry->kind == EntryKind::kEof) totals_.has_end = true;
  if (!entry->exemplar.empty()) ++totals_.exemplars;
}

absl::Status ImportRun::Deliver() {
  const uint64_t last_line = source_->line_number();
  if (!batch_.empty()) {
    const std::string body = batch_.Encode();
    if (!options_.dry_run) {
      LOCKSTEP_ASSIGN_OR_RETURN(const Delivered delivered, delivery_.Send(body));
      if (delivered == Delivered::kPartly) {
        ++totals_.partly_taken_batches;
        complain_(absl::StrFormat("lines %d to %d: %s", batch_first_line_, last_line,
                                  delivery_.complaint()));
      }
    }
    ++totals_.batches;
    totals_.samples += batch_.sample_count();
    batch_.Clear();
  }
  batch_first_line_ = last_line + 1;
  totals_.read_bytes = source_->read_bytes();
  if (options_.resume && !options_.dry_run) {
    LOCKSTEP_RETURN_IF_ERROR(
        WriteResumePoint(ResumePath(options_.path), {totals_.file_bytes, last_line}));
  }
  progress_(totals_);
  return absl::OkStatus();
}

}  // namespace lockstep::importer
