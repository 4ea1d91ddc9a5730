// LogStream: one log that is pushed piece by piece, and how far it was taken.
//
// A push says where in the stream its bytes begin. What was taken already is cut off, so that a sender that is in
// doubt sends again; a gap is an error that names the offset to go on from. Bytes count as taken when their
// samples are stored: until then the samples are kept, and written again with the next push.
//
//   absl::StatusOr<WriteRequest> request = stream.Begin(push);
//   ... Storage::Write ...
//   LogPushAnswer answer = stream.End(was_stored);
//
// One push at a time. For one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/client_id.h"
#include "ingest/limits.h"
#include "ingest/logs/log_hints.h"
#include "ingest/logs/log_parser.h"
#include "ingest/push/step_batch.h"
#include "ingest/refusals.h"
#include "storage/storage.h"

namespace lockstep::push {

struct LogPush {
  std::string_view bytes;
  std::optional<uint64_t> offset;  // of the first byte; nothing: behind what is stored
  bool is_last = false;            // the stream ends behind them
  int64_t arrival_ms = 0;
  ClientId client{};  // whose share of the rate limit they take
  // Of what would be stored; an error refuses the push, and forgets the stream. Empty: all may be stored.
  std::function<absl::Status(const WriteRequest&)> check{};
};

// What a push came to: what it added to the stream's counts, and where to go on.
struct LogPushAnswer {
  std::string_view format;  // "": not known yet
  uint64_t next_offset = 0;
  uint64_t new_bytes = 0;
  uint64_t lines = 0;
  uint64_t records = 0;  // without continuations and events
  uint64_t events = 0;
  uint64_t values = 0;
  uint64_t repeated_steps = 0;
  uint64_t ignored_lines = 0;
  uint64_t rejected_lines = 0;
  std::vector<logs::RejectedLine> rejections;  // of them, kMaxKeptRejections
  Refusals
      refusals;  // values of series that cannot be, and values and names over the limits of logs
  // What the store did with the others; LogPusher sets them.
  uint64_t new_samples = 0;
  uint64_t duplicate_samples = 0;    // stored already
  uint64_t overwritten_samples = 0;  // replaced another value of their time
};

class LogStream {
 public:
  // kInvalidArgument: no format has the hints' name.
  static absl::StatusOr<std::unique_ptr<LogStream>> New(logs::LogHints hints,
                                                        const IngestLimits& limits);
  // The stream `name` and the log as they were when AppendState() wrote `state`; kDataLoss if it is malformed.
  static absl::StatusOr<std::unique_ptr<LogStream>> Restore(std::string_view state,
                                                            const IngestLimits& limits);
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  // Takes the memory that so many more bytes need, of a budget that all streams share. Errors of
  // base/memory_budget.h.
  absl::Status Reserve(size_t byte_count);
  // The samples to be stored, with those of pushes that were not. Errors leave the stream as it was:
  //   kOutOfRange          a gap: bytes before these are missing
  //   kFailedPrecondition  the stream has ended
  absl::StatusOr<WriteRequest> Begin(const LogPush& push);
  // Precondition: after a Begin() that was OK.
  LogPushAnswer End(bool was_stored);

  // All that a stream that goes on needs; false if it cannot be told, or is larger than kMaxKeptStreamBytes. On disk:
  // docs/formats/kept.md. Precondition: no push is under way, and all that was parsed is stored.
  [[nodiscard]] bool AppendState(std::string& out) const;

  // Where the next bytes begin: behind all that is stored.
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
  logs::LogCounts told_;  // what answers have said
  WriteRequest unstored_;
  MemoryCharge memory_{MemoryAccount::kStreams};  // of the parser
};

}  // namespace lockstep::push
