// Ingester: write bodies in, samples into the store, counters of both.
//
// Safe from any thread. Bodies are decoded on the calling thread. `storage` is borrowed and must
// outlive the ingester, and the ingester every callback that the store still holds.
#pragma once

#include <atomic>
#include <string>

#include "absl/functional/any_invocable.h"
#include "ingest/body_encoding.h"
#include "ingest/ingest_stats.h"
#include "ingest/limits.h"
#include "ingest/metadata_store.h"
#include "ingest/rate_limit.h"
#include "ingest/refusals.h"
#include "ingest/remote_write.h"
#include "storage/storage.h"

namespace lockstep {

class Ingester {
 public:
  // Called exactly once: on the calling thread when nothing reaches the store, else on the store's.
  // OK: all is durable but what the refusals tell. Errors:
  //   kInvalidArgument    the body cannot be decoded; nothing was stored
  //   kOutOfRange         over a limit; nothing was stored
  //   kResourceExhausted  with a RetryAfter(): over the rate limit; nothing was stored
  //   anything else       Storage::Write's
  using Done = absl::AnyInvocable<void(absl::StatusOr<Refusals>)>;

  Ingester(Storage& storage, const IngestLimits& limits)
      : storage_(storage), limits_(limits), rate_limit_(limits.max_samples_per_second) {}
  Ingester(const Ingester&) = delete;
  Ingester& operator=(const Ingester&) = delete;

  // A remote write 1.0 request.
  void RemoteWrite(BodyEncoding encoding, std::string_view body, Done done);

  IngestStats stats() const;
  const MetadataStore& metadata() const { return metadata_; }

 private:
  absl::StatusOr<DecodedWrite> Decode(BodyEncoding encoding, std::string_view body);
  void CountArrival(const DecodedWrite& decoded);
  void CountRefusals(const Refusals& refusals);

  Storage& storage_;
  const IngestLimits limits_;
  RateLimit rate_limit_;
  MetadataStore metadata_;

  std::atomic<uint64_t> requests_{0};
  std::atomic<uint64_t> undecodable_requests_{0};
  std::atomic<uint64_t> oversized_requests_{0};
  std::atomic<uint64_t> throttled_requests_{0};
  std::atomic<uint64_t> body_bytes_{0};
  std::atomic<uint64_t> decoded_bytes_{0};
  std::atomic<uint64_t> series_{0};
  std::atomic<uint64_t> samples_{0};
  std::atomic<uint64_t> histograms_{0};
  std::atomic<uint64_t> exemplars_dropped_{0};
  std::atomic<uint64_t> metadata_entries_{0};
  std::array<std::atomic<uint64_t>, kRejectReasonCount> rejected_samples_{};
};

}  // namespace lockstep
