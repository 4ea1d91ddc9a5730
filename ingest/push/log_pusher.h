// LogPusher: parses logs and steps pushed by jobs, and passes them to the ingester.
//
// Thread-safe. Bytes are parsed on the calling thread. `ingester` is borrowed and must outlive the
// pusher, and the pusher must outlive every callback that the store still holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "ingest/ingester.h"
#include "ingest/logs/record/log_hints.h"
#include "ingest/push/log_stream.h"
#include "ingest/push/log_streams.h"
#include "ingest/push/push_limits.h"
#include "ingest/push/push_stats.h"
#include "ingest/write/limits.h"

namespace lockstep::push {

// The outcome of a push.
struct PushResult {
  // OK: what the answer counts is durable. Errors:
  //   kInvalidArgument    an invalid name or an unknown format
  //   kAborted            another push to the stream is in progress: retry
  //   kOutOfRange         earlier bytes are missing: continue at next_offset
  //   kFailedPrecondition the stream has ended
  //   kUnavailable        there is no memory for it now
  //   kResourceExhausted  too many streams; or from Ingester::StoreWithinRate, like all others
  absl::Status status;
  LogPushAnswer answer;  // after an error only next_offset
};

class LogPusher {
 public:
  // Called exactly once: on the calling thread if nothing reaches the store, otherwise on the
  // store's.
  using Done = absl::AnyInvocable<void(PushResult)>;

  // `kept` keeps the streams' state and must outlive the pusher; null: not kept.
  LogPusher(Ingester& ingester, const IngestLimits& limits, KeptRows* kept)
      : ingester_(ingester), limits_(limits), streams_(limits, kMaxLogStreams, kept) {}
  LogPusher(const LogPusher&) = delete;
  LogPusher& operator=(const LogPusher&) = delete;

  // With a `stream` name, later pushes continue where this one ends; with "", the bytes are a
  // complete log.
  void Push(const std::string& stream, const logs::LogHints& hints, const LogPush& push, Done done);

  PushStats stats() const;

 private:
  // A stream in use: from the table, or its own one that ends with the push.
  struct Use {
    std::string name;
    std::unique_ptr<LogStream> own;
    LogStream* stream = nullptr;
    bool is_refused = false;  // forget the stream: its check failed or nothing came
  };

  absl::StatusOr<Use> Open(const std::string& name, const logs::LogHints& hints);
  // Makes room for the push and parses it.
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
