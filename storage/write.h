// What the store takes: a WriteRequest with samples of many series, and how it went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

// Incoming samples of one series, in any order of time.
struct SeriesWrite {
  LabelSet labels;
  std::vector<Sample> samples;
  std::vector<HistogramSample> histograms;
  // When the counters of `samples` began, 0: unknown; one for each sample, or none.
  std::vector<int64_t> start_timestamps_ms{};
};

// A series as its store knows it, until it is dropped; the number is never reused.
struct SeriesRef {
  static constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

  uint32_t shard = kUnknown;
  uint32_t id = 0;
  bool known() const { return shard != kUnknown; }
};

struct KnownSample {
  SeriesRef series;  // known()
  Sample sample;
  int64_t start_timestamp_ms = 0;  // when the counter began; 0: unknown
};

// A series is in one of the two, or in both with different times.
struct WriteRequest {
  std::vector<SeriesWrite> series;
  std::vector<KnownSample> known;  // in any order; for one series and time the last wins
};

// Why samples of one series of the request were not stored.
struct RejectedSeries {
  size_t series_index = 0;  // index into WriteRequest::series; its size for known ones
  uint64_t sample_count = 0;
  std::string reason;  // one clause, for people: "3 samples are older than the retention of 15d"
  bool is_over_series_limit = false;  // the series is new, and the store may not have more
  LabelSet labels{};                  // of that series, which the caller no longer has
};

// How many series each tenant with a matching id may have in a store.
struct TenantSeriesLimit {
  std::optional<Matcher> tenant;  // matches ids (model/tenant.h); nothing: any
  uint64_t max_series = 0;        // 0: no limit
};

// How many series a store may have; samples of new series beyond it are rejected. 0: no limit.
struct SeriesLimits {
  uint64_t max_series = 0;
  uint64_t max_series_per_job = 0;             // per tenant and value of the label job
  std::vector<TenantSeriesLimit> by_tenant{};  // the first that matches applies
};

// The outcome of a request. Every sample is counted in exactly one of the four counts.
struct WriteOutcome {
  uint64_t written_count = 0;
  uint64_t duplicate_count = 0;    // same time and bits as a stored sample: fine, a retry
  uint64_t overwritten_count = 0;  // same time as a stored sample, other value: the last write wins
  uint64_t rejected_count = 0;
  std::vector<RejectedSeries> rejected;
};

// Called exactly once, from a thread of the store, or from within Write() when the answer is known
// at once; must not block. Errors:
//   kResourceExhausted  the write queue is full; nothing was stored, retry later
//   kUnavailable        the disk is full, or the store is closing; retry later
//   kPermissionDenied   the store is read-only
//   kDataLoss/kInternal the store is broken; its message says how
using WriteCallback = absl::AnyInvocable<void(absl::StatusOr<WriteOutcome>)>;

}  // namespace lockstep
