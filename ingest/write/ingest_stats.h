// Counters of what writes have brought since the process started, and of the outcome.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep {

// Why a series of a write request was refused before it reached the store.
enum class RejectReason {
  kNoMetricName,
  kEmptyLabelName,
  kReservedLabelName,  // reserved by the store
  kDuplicateLabel,
  kInvalidUtf8,
  kTooManyLabels,
  kLabelTooLong,
  kBadHistogram,
  kUnsortedLabels,
  kEmptyLabelValue,
  kBadReference,  // to a symbol that the request lacks
  kBadExemplar,
  kBadTemporality,  // of an OTLP metric
  kBadName,         // an OTLP name that is empty after conversion
  kStore,           // samples that the store refused: too old, too far ahead...
  kSeriesLimit,     // a new series over the store's series limit
  kBadLine,         // a line or entry that cannot be parsed
  kJobRate,         // the job exceeds its sample rate
};
inline constexpr size_t kRejectReasonCount = static_cast<size_t>(RejectReason::kJobRate) + 1;

// "no_metric_name", "empty_label_name", ...: for metric labels.
std::string_view Name(RejectReason reason);

// A snapshot; fields may be read at slightly different times.
struct IngestStats {
  uint64_t requests = 0;
  uint64_t undecodable_requests = 0;  // answered 400 as a whole
  uint64_t oversized_requests = 0;    // answered 413
  uint64_t throttled_requests = 0;    // answered 429; their content is not counted
  uint64_t body_bytes = 0;            // as sent
  uint64_t decoded_bytes = 0;         // after decompression
  uint64_t series = 0;                // series entries, including rejected ones
  uint64_t samples = 0;               // floats, including rejected ones
  uint64_t histograms = 0;            // native histograms, including rejected ones
  uint64_t exemplars = 0;             // all that arrived
  uint64_t rejected_exemplars = 0;    // out of order, too long, too many, or of a refused series
  uint64_t metadata_entries = 0;
  uint64_t text_values = 0;  // text in place of samples
  // Samples and histograms that were not stored, by reason.
  std::array<uint64_t, kRejectReasonCount> rejected_samples{};

  IngestStats& operator+=(const IngestStats& more);
};

}  // namespace lockstep
