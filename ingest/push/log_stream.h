// LogStream: one log that is pushed piece by piece, and its progress.
//
// Each push states the stream offset of its bytes. Bytes that were already taken are skipped, so a
// sender in doubt can resend; a gap is an error that names the offset to continue from. Bytes count
// as taken once their samples are stored: until then, the samples are kept and written again with
// the next push.
//
//   absl::StatusOr<WriteRequest> request = stream.Begin(push);
//   ... Storage::Write ...
//   LogPushAnswer answer = stream.End(was_stored);
//
// One push at a time, on one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/budget/client_id.h"
#include "ingest/logs/log_parser.h"
#include "ingest/logs/record/log_hints.h"
#include "ingest/push/step_batch.h"
#include "ingest/write/limits.h"
#include "ingest/write/refusals.h"
#include "storage/write.h"

namespace lockstep::push {

struct LogPush {
  std::string_view bytes;
  std::optional<uint64_t> offset;  // of the first byte; nothing: after what is stored
  bool is_last = false;            // the stream ends after them
  int64_t arrival_ms = 0;
  ClientId client{};  // whose rate limit they use
  // Checks what would be stored; an error refuses the push and forgets the stream. Empty: no check.
  std::function<absl::Status(const WriteRequest&)> check{};
};

// The result of a push: its additions to the stream's counts, and where to continue.
struct LogPushAnswer {
  std::string_view format;  // "": not yet known
  uint64_t next_offset = 0;
  uint64_t new_bytes = 0;
  uint64_t lines = 0;
  uint64_t records = 0;  // excluding continuations and events
  uint64_t events = 0;
  uint64_t values = 0;
  uint64_t repeated_steps = 0;
  uint64_t ignored_lines = 0;
  uint64_t rejected_lines = 0;
  std::vector<logs::RejectedLine> rejections;  // at most kMaxKeptRejections of them
  Refusals refusals;  // values with invalid labels, or over the limits for logs
  // How the store handled the others; set by LogPusher.
  uint64_t new_samples = 0;
  uint64_t duplicate_samples = 0;    // already stored
  uint64_t overwritten_samples = 0;  // replaced a different value
};

class LogStream {
 public:
  // kInvalidArgument: the hints name an unknown format.
  static absl::StatusOr<std::unique_ptr<LogStream>> New(logs::LogHints hints,
                                                        const IngestLimits& limits);
  // Restores the stream `name` and its log from AppendState()'s `state`; kDataLoss if malformed.
  static absl::StatusOr<std::unique_ptr<LogStream>> Restore(std::string_view state,
                                                            const IngestLimits& limits);
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  // Charges the memory that `byte_count` more bytes need to the budget shared by all streams.
  // Errors of base/budget/memory_budget.h.
  absl::Status Reserve(size_t byte_count);
  // The samples to store, including those of earlier pushes that were not stored. Errors leave the
  // stream unchanged:
  //   kOutOfRange          a gap: earlier bytes are missing
  //   kFailedPrecondition  the stream has ended
  absl::StatusOr<WriteRequest> Begin(const LogPush& push);
  // Precondition: the last Begin() succeeded.
  LogPushAnswer End(bool was_stored);

  // Appends the state needed to continue the stream; false if that is not possible now, or if it
  // exceeds kMaxKeptStreamBytes. On disk: docs/formats/kept.md. Precondition: no push is in
  // progress, and everything parsed is stored.
  [[nodiscard]] bool AppendState(std::string& out) const;

  // The offset of the next bytes: after everything stored.
  uint64_t next_offset() const { return stored_offset_; }

 private:
  LogStream(logs::LogHints hints, const IngestLimits& limits);

  const logs::LogHints hints_;
  const IngestLimits limits_;
  StepBatch batch_;
  std::unique_ptr<logs::LogParser> parser_;
  uint64_t parsed_offset_ = 0;
  uint64_t stored_offset_ = 0;
  bool has_ended_ = false;
  logs::LogCounts told_;  // counts already reported
  WriteRequest unstored_;
  MemoryCharge memory_{MemoryAccount::kStreams};  // for the parser
};

}  // namespace lockstep::push
