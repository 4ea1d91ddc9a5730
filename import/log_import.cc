// Pushes a training log or a file of steps to a server piece by piece.
//
// The stream's name is derived from the file's path, size and modification time, and from the
// hints: importing the same file again continues where the server is, and costs nothing if it has
// everything. Records without a time get the file's modification time, so they are the same every
// time.
#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"
#include "import/importers.h"
#include "ingest/push/log_stream.h"
#include "ingest/write/limits.h"

namespace lockstep::importer {
namespace {

// How often to restart a file for servers that lost its stream.
constexpr int kMaxBeginnings = 20;

// Built from everything that distinguishes two imports.
std::string StreamName(const ByteSource& source, const logs::LogHints& hints) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(source.path(), error);
  const std::string identity = absl::StrFormat(
      "%s\n%s\n%s\n%s\n%d\n%d\n%d\n%s", path.string(), hints.format, hints.job, hints.run,
      hints.rank.value_or(-1), hints.attempt, hints.logging_steps, hints.metric);
  constexpr size_t kMaxNameBytes = 200;
  return absl::StrFormat("import/%08x.%d.%d/%s", Crc32c(identity), source.file_bytes(),
                         source.modified_ns(), path.filename().string().substr(0, kMaxNameBytes));
}

class LogImport {
 public:
  LogImport(ByteSource& source, PushedLog::Route route, const logs::LogHints& hints,
            const ImportSession& session, ImportReport& report)
      : source_(source),
        route_(route),
        session_(session),
        report_(report),
        log_(session.delivery, route, StreamName(source, hints), hints) {}

  // Returns false if the server has lost the stream.
  absl::StatusOr<bool> Run(const logs::LogHints& hints) {
    LOCKSTEP_ASSIGN_OR_RETURN(local_, push::LogStream::New(hints, IngestLimits()));
    // Asks for the server's offset.
    if (!session_.is_dry_run) LOCKSTEP_RETURN_IF_ERROR(Push("", false));
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view piece, source_.Next());
      const bool is_last = piece.empty();
      LOCKSTEP_RETURN_IF_ERROR(Count(piece, is_last));
      if (!session_.is_dry_run) LOCKSTEP_RETURN_IF_ERROR(Push(piece, is_last));
      if (is_forgotten_) return false;
      offset_ += piece.size();
      report_.read_bytes = source_.read_bytes();
      session_.progress(report_);
      if (is_last) break;
    }
    if (next_offset_ > offset_) {
      return absl::FailedPreconditionError(absl::StrFormat(
          "the server has %d bytes of the file, but the file has only %d", next_offset_, offset_));
    }
    CountKnown();
    return true;
  }

 private:
  // Parses the bytes as the server does, to count.
  absl::Status Count(std::string_view bytes, bool is_last) {
    LOCKSTEP_ASSIGN_OR_RETURN(const WriteRequest request,
                              local_->Begin({bytes, offset_, is_last, source_.modified_ms()}));
    report_.counts.Add(request);
    const push::LogPushAnswer answer = local_->End(true);
    const bool may_be_another = route_ == PushedLog::Route::kLog && !answer.format.empty();
    if (may_be_another) report_.format = answer.format;
    report_.left_out += answer.rejected_lines;
    for (const logs::RejectedLine& line : answer.rejections) {
      session_.complain(report_,
                        absl::StrFormat("line %d: %s: %s", line.number, line.reason, line.text));
    }
    return absl::OkStatus();
  }

  // Counts bytes that the server already has, which are not sent again.
  void CountKnown() {
    if (!report_.fates.has_value()) return;
    const SampleFates& fates = *report_.fates;
    const uint64_t told = fates.stored + fates.duplicate + fates.overwritten + refused_samples_;
    const uint64_t held = report_.counts.samples();
    if (held > told) report_.fates->duplicate += held - told;
  }

  absl::Status Push(std::string_view bytes, bool is_last) {
    const uint64_t end = offset_ + bytes.size();
    if (end < next_offset_ || (bytes.empty() && !is_last && offset_ > 0)) return absl::OkStatus();
    const uint64_t known = next_offset_ > offset_ ? next_offset_ - offset_ : 0;
    LOCKSTEP_ASSIGN_OR_RETURN(
        const PushAnswer answer,
        log_.Send({bytes.substr(known), offset_ + known, source_.modified_ms(), is_last}));
    report_.AddFates(answer.fates);
    refused_samples_ += answer.refused_samples;
    if (answer.refused_samples > 0) {
      ++report_.refused;
      session_.complain(
          report_, absl::StrFormat("bytes %d to %d: %d samples were refused: %s", offset_ + known,
                                   end, answer.refused_samples, answer.refused));
    }
    is_forgotten_ = answer.is_gap && answer.next_offset < offset_ + known;
    if (answer.is_gap && !is_forgotten_) {
      return absl::FailedPreconditionError(
          absl::StrFormat("the server accepts nothing after byte %d", answer.next_offset));
    }
    next_offset_ = answer.next_offset;
    return absl::OkStatus();
  }

  ByteSource& source_;
  const PushedLog::Route route_;
  const ImportSession& session_;
  ImportReport& report_;
  PushedLog log_;
  std::unique_ptr<push::LogStream> local_;
  uint64_t offset_ = 0;       // of the next bytes read
  uint64_t next_offset_ = 0;  // the server has everything before this
  uint64_t refused_samples_ = 0;
  bool is_forgotten_ = false;
};

}  // namespace

absl::Status ImportLog(std::unique_ptr<ByteSource> source, PushedLog::Route route,
                       const logs::LogHints& hints, const ImportSession& session,
                       ImportReport& report) {
  const ImportReport empty = report;
  for (int beginning = 0; beginning < kMaxBeginnings; ++beginning) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool is_done,
                              LogImport(*source, route, hints, session, report).Run(hints));
    if (is_done) return absl::OkStatus();
    if (source->path() == "-") {
      return absl::FailedPreconditionError(
          "the server lost the stream, and standard input cannot be read again");
    }
    LOCKSTEP_ASSIGN_OR_RETURN(source, ByteSource::Open(source->path()));
    report = empty;
  }
  return absl::UnavailableError(
      absl::StrFormat("the server lost the stream %d times", kMaxBeginnings));
}

}  // namespace lockstep::importer
