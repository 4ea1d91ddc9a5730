// LogPusher: logs and steps that jobs push, parsed and handed to the ingester.
//
// Safe from any thread. Bytes are parsed on the calling thread. `ingester` is borrowed and must outlive the pusher,
// and the pusher every callback that the store still holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "ingest/ingester.h"
#include "ingest/limits.h"
#include "ingest/logs/log_hints.h"
#include "ingest/push/log_stream.h"
#include "ingest/push/log_streams.h"
#include "ingest/push/push_limits.h"
#include "ingest/push/push_stats.h"

namespace lockstep::push {

// What became of a push.
struct PushResult {
  // OK: what the answer counts is durable. Errors:
  //   kInvalidArgument    a name, or a format, that cannot be
  //   kAborted            another push of the stream is under way: try again
  //   kOutOfRange         bytes before these are missing: next_offset says from where on
  //   kFailedPrecondition the stream has ended
  //   kUnavailable        there is no memory for it now
  //   kResourceExhausted  too many streams; or Ingester::StoreWithinRate's, as is anything else
  absl::Status status;
  LogPushAnswer answer;  // of an error only next_offset
};

class LogPusher {
 public:
  // Called exactly once: on the calling thread when nothing reaches the store, else on the store's.
  using Done = absl::AnyInvocable<void(PushResult)>;

  // `kept` keeps how far streams were taken, and outlives the pusher; null: nothing does.
  LogPusher(Ingester& ingester, const IngestLimits& limits, KeptRows* kept)
      : ingester_(ingester), limits_(limits), streams_(limits, kMaxLogStreams, kept) {}
  LogPusher(const LogPusher&) = delete;
  LogPusher& operator=(const LogPusher&) = delete;

  // Under a `stream` name later pushes go on where this one ends; with "" the bytes are a whole log.
  void Push(const std::string& stream, const logs::LogHints& hints, const LogPush& push, Done done);

  PushStats stats() const;

 private:
  // A stream in use: of the table, or one of its own that ends with the push.
  struct Use {
    std::string name;
    std::unique_ptr<LogStream> own;
    LogStream* stream = nullptr;
    bool is_refused = false;  // by the push's check, or nothing came: the stream is forgotten
  };

  absl::StatusOr<Use> Open(const std::string& name, const logs::LogHints& hints);
  // Makes room for what the push brings, and takes it.
  absl::StatusOr<WriteRequest> Begin(Use& use, const LogPush& push);
  void Store(Use use, const ClientId& client, WriteRequest request, Done done);
  PushResult End(Use& use, const absl::StatusOr<WriteSummary>& summary);
  void Close(Use& use);
  void Count(const PushResult& result);

  Ingester& ingester_;
  const IngestLimits limits_;
  LogStreams streams_;
  std::atomic<uint64_t> pushes_{0};
  std::atomic<uint64_t> failed_pushes_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> lines_{0};
  std::atomic<uint64_t> records_{0};
  std::atomic<uint64_t> values_{0};
  std::atomic<uint64_t> rejected_lines_{0};
  std::atomic<uint64_t> rejected_samples_{0};
};

}  // namespace lockstep::push
