#include "ingest/write/ingest_stats.h"

namespace lockstep {

std::string_view Name(RejectReason reason) {
  switch (reason) {
    case RejectReason::kNoMetricName:
      return "no_metric_name";
    case RejectReason::kEmptyLabelName:
      return "empty_label_name";
    case RejectReason::kReservedLabelName:
      return "reserved_label_name";
    case RejectReason::kDuplicateLabel:
      return "duplicate_label";
    case RejectReason::kInvalidUtf8:
      return "invalid_utf8";
    case RejectReason::kTooManyLabels:
      return "too_many_labels";
    case RejectReason::kLabelTooLong:
      return "label_too_long";
    case RejectReason::kBadHistogram:
      return "bad_histogram";
    case RejectReason::kUnsortedLabels:
      return "unsorted_labels";
    case RejectReason::kEmptyLabelValue:
      return "empty_label_value";
    case RejectReason::kBadReference:
      return "bad_reference";
    case RejectReason::kBadExemplar:
      return "bad_exemplar";
    case RejectReason::kBadTemporality:
      return "bad_temporality";
    case RejectReason::kBadName:
      return "bad_name";
    case RejectReason::kStore:
      return "store";
    case RejectReason::kSeriesLimit:
      return "series_limit";
    case RejectReason::kBadLine:
      return "bad_line";
    case RejectReason::kJobRate:
      return "job_rate";
  }
  return "unknown";
}

IngestStats& IngestStats::operator+=(const IngestStats& more) {
  requests += more.requests;
  undecodable_requests += more.undecodable_requests;
  oversized_requests += more.oversized_requests;
  throttled_requests += more.throttled_requests;
  body_bytes += more.body_bytes;
  decoded_bytes += more.decoded_bytes;
  series += more.series;
  samples += more.samples;
  histograms += more.histograms;
  exemplars += more.exemplars;
  rejected_exemplars += more.rejected_exemplars;
  metadata_entries += more.metadata_entries;
  text_values += more.text_values;
  for (size_t i = 0; i < kRejectReasonCount; ++i) rejected_samples[i] += more.rejected_samples[i];
  return *this;
}

}  // namespace lockstep
