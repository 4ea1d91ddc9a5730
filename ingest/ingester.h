// Ingester: decodes write bodies, writes samples to the store, and counts both.
//
// Thread-safe. Bodies are decoded on the calling thread. `storage` is borrowed and must outlive the
// ingester, and the ingester must outlive every callback that the store still holds.
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
#include "ingest/job_rates.h"
#include "ingest/rate_limit.h"
#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"
#include "ingest/side_data/side_data_keeper.h"
#include "ingest/write/body_encoding.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/ingest_stats.h"
#include "ingest/write/limits.h"
#include "ingest/write/refusals.h"
#include "storage/write.h"

namespace lockstep {

class Storage;

// Decodes the message in a body: DecodeRemoteWrite() and similar, with their errors.
using DecodeMessage = absl::FunctionRef<absl::StatusOr<DecodedWrite>(
    std::string_view message, const IngestLimits& limits, const Storage* storage)>;

// The outcome of a request. Samples and exemplars already stored count as written.
struct WriteSummary {
  Refusals refusals;
  Refusals exemplar_refusals;    // of series that were written
  uint64_t samples_written = 0;  // floats, including those already stored
  uint64_t histograms_written = 0;
  uint64_t exemplars_written = 0;
  // Floats and histograms that the store accepted:
  uint64_t new_samples = 0;          // no sample had their time
  uint64_t duplicate_samples = 0;    // already stored
  uint64_t overwritten_samples = 0;  // replaced a different value
};

class Ingester {
 public:
  // Called exactly once: on the calling thread if nothing reaches the store, otherwise on the
  // store's. OK: what the summary counts is durable, and its refusals list the rest. Errors:
  //   kInvalidArgument    the body cannot be decoded; nothing was stored
  //   kOutOfRange         over a limit; nothing was stored
  //   kUnavailable        there is no memory for it now; nothing was stored
  //   kResourceExhausted  with a RetryAfter(): over the rate limit; nothing was stored
  //   anything else       Storage::Write's
  using Done = absl::AnyInvocable<void(absl::StatusOr<WriteSummary>)>;

  // `common_rate` limits several ingesters together, in addition to `limits`; null: none.
  Ingester(Storage& storage, const IngestLimits& limits,
           std::shared_ptr<RateLimit> common_rate = nullptr)
      : storage_(storage),
        limits_(limits),
        rate_limit_(
            limits.max_samples_per_second, RateLimit::Clock::now,
            common_rate == nullptr ? RateLimit::kOfServer : "of this tenant (tenants.limits)"),
        job_rates_(limits.max_samples_per_second_per_job),
        common_rate_(std::move(common_rate)) {}
  Ingester(const Ingester&) = delete;
  Ingester& operator=(const Ingester&) = delete;

  void Write(const ClientId& client, BodyEncoding encoding, std::string_view body,
             DecodeMessage decode, Done done);
  // Stores a decoded request within the rate limits. Series known only by number count for no job.
  void StoreWithinRate(const ClientId& client, DecodedWrite decoded, Done done);
  // As above, without rate limits.
  void Store(DecodedWrite decoded, Done done);

  // Takes effect immediately; 0: no limit.
  void SetRates(uint64_t max_samples_per_second, uint64_t max_samples_per_second_per_job) {
    rate_limit_.SetRate(max_samples_per_second);
    job_rates_.SetRate(max_samples_per_second_per_job);
  }

  IngestStats stats() const;
  const MetadataStore& metadata() const { return metadata_; }
  const ExemplarStore& exemplars() const { return exemplars_; }
  // From now on, keeps metadata and exemplars only with samples that the store accepted. For those
  // without series, calls `enter` first, on the caller's thread of Store(); its error fails the
  // request. Ends with StopAwaiting(), which `enter` or the store may call.
  void AwaitStored(std::function<absl::Status()> enter) {
    enter_ = std::move(enter);
    awaits_stored_ = true;
  }
  void StopAwaiting() { awaits_stored_ = false; }
  // From now on keeps metadata and exemplars in `rows`, and loads what is kept there. `rows` must
  // outlive the ingester.
  void KeepSideData(KeptRows& rows) { keeper_.emplace(metadata_, exemplars_, rows); }

 private:
  // The remaining work for a request after the store has answered.
  struct Rest {
    WriteSummary summary;               // assuming the store refuses nothing
    std::vector<size_t> sample_counts;  // floats per entry of WriteRequest::series
    std::vector<SeriesExemplars> exemplars;
    uint64_t exemplar_count = 0;  // that arrived
    std::vector<MetadataEntry> metadata;
    RequestMemory memory;  // including what the store has not taken yet
  };

  // Finishes a request without series.
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
  std::optional<SideDataKeeper> keeper_;  // uses both; destroyed before them

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
