// What came in by writes since the process started, and what became of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep {

// Why a whole series of a write request was refused before it reached the store.
enum class RejectReason {
  kNoMetricName,
  kEmptyLabelName,
  kDuplicateLabel,
  kInvalidUtf8,
  kTooManyLabels,
  kLabelTooLong,
  kBadHistogram,
  kStore,        // the store refused samples: too old, too far ahead...
  kSeriesLimit,  // the store refused a new series: it knows as many as it may
};
inline constexpr size_t kRejectReasonCount = 9;

// "no_metric_name", "empty_label_name", ...: one word each, for metric labels.
std::string_view Name(RejectReason reason);

// A snapshot; fields may be a moment apart.
struct IngestStats {
  uint64_t requests = 0;
  uint64_t undecodable_requests = 0;  // answered 400 whole
  uint64_t oversized_requests = 0;    // answered 413
  uint64_t throttled_requests = 0;    // answered 429; what they held is counted nowhere else
  uint64_t body_bytes = 0;            // as sent
  uint64_t decoded_bytes = 0;         // after decompression
  uint64_t series = 0;             // series entries of decodable requests, rejected ones included
  uint64_t samples = 0;            // floats that arrived, rejected ones included
  uint64_t histograms = 0;         // native histograms, likewise
  uint64_t exemplars_dropped = 0;  // read over: they are not stored
  uint64_t metadata_entries = 0;
  // Samples and histograms that were not stored, by reason.
  std::array<uint64_t, kRejectReasonCount> rejected_samples{};
};

}  // namespace lockstep
