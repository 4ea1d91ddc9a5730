// Every bound on what write requests may hold, in one place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep {

struct IngestLimits {
  // Over one of these the whole request is refused (413).
  size_t max_body_bytes = 32 << 20;     // as sent
  size_t max_decoded_bytes = 32 << 20;  // after decompression
  size_t max_series_per_request = 200'000;
  // Of all series, spelled out: a request can name a long text very often. So many bytes for each that the
  // message has, or `free_label_bytes` if that is more; and never above the last.
  size_t max_label_expansion = 64;
  size_t free_label_bytes = 16 << 20;
  size_t max_label_bytes_per_request = 128 << 20;
  // Over one of these the series is refused and the others are kept (400).
  size_t max_labels_per_series = 64;
  size_t max_label_name_bytes = 1 << 10;
  size_t max_label_value_bytes = 2 << 10;
  // Over one of these the sample is refused, likewise.
  size_t max_histogram_bytes = 64 << 10;  // as a message
  size_t max_point_bytes = 256 << 10;     // of OTLP, as a message
  // Over one of these the text is left out, and the rest is kept.
  size_t max_exemplar_label_bytes = 512;  // 128 characters of four bytes
  size_t max_metadata_bytes = 16 << 10;   // help and unit of one metric
  // Over it the others are kept: no more fit into the store of exemplars.
  size_t max_exemplars_per_request = 100'000;
  // Of all requests together; over it a request is refused whole (429). 0: no limit.
  uint64_t max_samples_per_second = 0;
  // Of each job; over it its series are refused, or the request if it has no others (429). 0: no
  // limit.
  uint64_t max_samples_per_second_per_job = 0;
};

}  // namespace lockstep
