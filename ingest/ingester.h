// Ingester: write bodies in, samples into the store, counters of both.
//
// Safe from any thread. Bodies are decoded on the calling thread. `storage` is borrowed and must
// outlive the ingester, and the ingester every callback that the store still holds.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "ingest/body_encoding.h"
#include "ingest/decoded_write.h"
#include "ingest/exemplar_store.h"
#include "ingest/ingest_stats.h"
#include "ingest/job_rates.h"
#include "ingest/limits.h"
#include "ingest/metadata_store.h"
#include "ingest/rate_limit.h"
#include "ingest/refusals.h"
#include "ingest/side_data_keeper.h"
#include "storage/storage.h"

namespace lockstep {

// How the message in a body is read: DecodeRemoteWrite() and its like, with their errors.
using DecodeMessage = absl::FunctionRef<absl::StatusOr<DecodedWrite>(
    std::string_view message, const IngestLimits& limits, const Storage* storage)>;

// What became of a request. Samples and exemplars that the stores had already count as written.
struct WriteSummary {
  Refusals refusals;
  Refusals exemplar_refusals;    // of series that were written
  uint64_t samples_written = 0;  // floats, among them those that were stored already
  uint64_t histograms_written = 0;
  uint64_t exemplars_written = 0;
  // Of both kinds, what the store did with those that are not refused.
  uint64_t new_samples = 0;          // no other has their time
  uint64_t duplicate_samples = 0;    // stored already
  uint64_t overwritten_samples = 0;  // replaced another value of their time
};

class Ingester {
 public:
  // Called exactly once: on the calling thread when nothing reaches the store, else on the store's.
  // OK: what the summary counts is durable, and its refusals tell of the rest. Errors:
  //   kInvalidArgument    the body cannot be decoded; nothing was stored
  //   kOutOfRange         over a limit; nothing was stored
  //   kUnavailable        there is no memory for it now; nothing was stored
  //   kResourceExhausted  with a RetryAfter(): over the rate limit; nothing was stored
  //   anything else       Storage::Write's
  using Done = absl::AnyInvocable<void(absl::StatusOr<WriteSummary>)>;

  // `common_rate` holds for several ingesters together, besides that of `limits`; null: there is none.
  Ingester(Storage& storage, const IngestLimits& limits,
           std::shared_ptr<RateLimit> common_rate = nullptr)
      : storage_(storage),
        limits_(limits),
        rate_limit_(limits.max_samples_per_second, RateLimit::Clock::now,
                    common_rate == nullptr ? RateLimit::kOfServer
                                           : "this tenant may bring (tenants.limits)"),
        job_rates_(limits.max_samples_per_second_per_job),
        common_rate_(std::move(common_rate)) {}
  Ingester(const Ingester&) = delete;
  Ingester& operator=(const Ingester&) = delete;

  void Write(const ClientId& client, BodyEncoding encoding, std::string_view body,
             DecodeMessage decode, Done done);
  // What was read elsewhere, within the rate limits; series that are known by number count for no
  // job.
  void StoreWithinRate(const ClientId& client, DecodedWrite decoded, Done done);
  // As above; no rate limit holds for it.
  void Store(DecodedWrite decoded, Done done);

  // From here on; 0: no limit.
  void SetRates(uint64_t max_samples_per_second, uint64_t max_samples_per_second_per_job) {
    rate_limit_.SetRate(max_samples_per_second);
    job_rates_.SetRate(max_samples_per_second_per_job);
  }

  IngestStats stats() const;
  const MetadataStore& metadata() const { return metadata_; }
  const ExemplarStore& exemplars() const { return exemplars_; }
  // From here on metadata and exemplars are kept with samples alone that the store took. With those
  // that come without series `enter` is called first, on the thread of the caller of Store(): an
  // error is the request's. Until StopAwaiting(), which `enter` or the store may have called.
  void AwaitStored(std::function<absl::Status()> enter) {
    enter_ = std::move(enter);
    awaits_stored_ = true;
  }
  void StopAwaiting() { awaits_stored_ = false; }
  // Keeps both in `rows` from here on, and has what was kept there before. `rows` outlives the ingester.
  void KeepSideData(KeptRows& rows) { keeper_.emplace(metadata_, exemplars_, rows); }

 private:
  // What is left to do for a request once the store has answered.
  struct Rest {
    WriteSummary summary;               // as if the store refused nothing
    std::vector<size_t> sample_counts;  // of WriteRequest::series, floats
    std::vector<SeriesExemplars> exemplars;
    uint64_t exemplar_count = 0;  // that arrived
    std::vector<MetadataEntry> metadata;
    RequestMemory memory;  // of what the store has not taken yet, too
  };

  // What came without series.
  absl::StatusOr<WriteSummary> FinishAlone(Rest rest);
  absl::StatusOr<DecodedWrite> Decode(BodyEncoding encoding, std::string_view body,
                                      DecodeMessage decode);
  void CountArrival(const DecodedWrite& decoded);
  static Rest RestOf(DecodedWrite& decoded);
  WriteSummary Finish(Rest rest, const WriteOutcome& outcome);
  static void TakeBack(const RejectedSeries& rejected, Rest& rest);
  void StoreExemplars(Rest& rest);

  Storage& storage_;
  const IngestLimits limits_;
  RateLimit rate_limit_;
  JobRates job_rates_;
  const std::shared_ptr<RateLimit> common_rate_;
  MetadataStore metadata_;
  ExemplarStore exemplars_;
  std::function<absl::Status()> enter_;
  std::atomic<bool> awaits_stored_{false};
  std::optional<SideDataKeeper> keeper_;  // of both; goes before them

  std::atomic<uint64_t> requests_{0};
  std::atomic<uint64_t> undecodable_requests_{0};
  std::atomic<uint64_t> oversized_requests_{0};
  std::atomic<uint64_t> throttled_requests_{0};
  std::atomic<uint64_t> body_bytes_{0};
  std::atomic<uint64_t> decoded_bytes_{0};
  std::atomic<uint64_t> series_{0};
  std::atomic<uint64_t> samples_{0};
  std::atomic<uint64_t> histograms_{0};
  std::atomic<uint64_t> exemplar_count_{0};
  std::atomic<uint64_t> rejected_exemplars_{0};
  std::atomic<uint64_t> metadata_entries_{0};
  std::atomic<uint64_t> text_values_{0};
  std::array<std::atomic<uint64_t>, kRejectReasonCount> rejected_samples_{};
};

}  // namespace lockstep
