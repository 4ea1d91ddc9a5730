// What came in by writes since the process started, and what became of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep {

// Why a whole series of a write request was refused before it reached the store.
enum class RejectReason {
  kNoMetricName,
  kEmptyLabelName,
  kReservedLabelName,  // the store's own
  kDuplicateLabel,
  kInvalidUtf8,
  kTooManyLabels,
  kLabelTooLong,
  kBadHistogram,
  kUnsortedLabels,
  kEmptyLabelValue,
  kBadReference,  // to a text that the request does not have
  kBadExemplar,
  kBadTemporality,  // of a metric of OTLP
  kBadName,      // of a metric or an attribute of OTLP: nothing of it is left in Prometheus' form
  kStore,        // the store refused samples: too old, too far ahead...
  kSeriesLimit,  // the store refused a new series: it knows as many as it may
  kBadLine,      // of a text or a list of samples: it cannot be read
  kJobRate,      // the job brings more samples a second than it may
};
inline constexpr size_t kRejectReasonCount = static_cast<size_t>(RejectReason::kJobRate) + 1;

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
  uint64_t series = 0;      // series entries of decodable requests, rejected ones included
  uint64_t samples = 0;     // floats that arrived, rejected ones included
  uint64_t histograms = 0;  // native histograms, likewise
  uint64_t exemplars = 0;   // that arrived
  uint64_t rejected_exemplars =
      0;  // out of order, too long, too many, or of a series that was refused
  uint64_t metadata_entries = 0;
  uint64_t text_values = 0;  // that arrived where samples may be, and are none
  // Samples and histograms that were not stored, by reason.
  std::array<uint64_t, kRejectReasonCount> rejected_samples{};

  IngestStats& operator+=(const IngestStats& more);
};

}  // namespace lockstep
