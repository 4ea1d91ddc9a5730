// All limits on the content of write requests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep {

struct IngestLimits {
  // Beyond one of these, the whole request is refused (413).
  size_t max_body_bytes = 32 << 20;     // as sent
  size_t max_decoded_bytes = 32 << 20;  // after decompression
  size_t max_series_per_request = 200'000;
  // The expanded label bytes of all series: a request can reference a long text very often. The
  // limit is this many bytes per message byte, at least `free_label_bytes`, at most
  // `max_label_bytes_per_request`.
  size_t max_label_expansion = 64;
  size_t free_label_bytes = 16 << 20;
  size_t max_label_bytes_per_request = 128 << 20;
  // Beyond one of these, the series is refused and the others are kept (400).
  size_t max_labels_per_series = 64;
  size_t max_label_name_bytes = 1 << 10;
  size_t max_label_value_bytes = 2 << 10;
  // Beyond one of these, the sample is refused and the others are kept (400).
  size_t max_histogram_bytes = 64 << 10;  // encoded
  size_t max_point_bytes = 256 << 10;     // an OTLP point, encoded
  // Beyond one of these, the text is dropped and the rest is kept.
  size_t max_exemplar_label_bytes = 512;  // 128 characters of four bytes
  size_t max_metadata_bytes = 16 << 10;   // help and unit of one metric
  // Beyond it, further exemplars are dropped: the exemplar store holds no more.
  size_t max_exemplars_per_request = 100'000;
  // For all requests together; over the limit, a request is refused as a whole (429). 0: no limit.
  uint64_t max_samples_per_second = 0;
  // For each job; over the limit, its series are refused, or the request if it has no others (429).
  // 0: no limit.
  uint64_t max_samples_per_second_per_job = 0;
};

}  // namespace lockstep
