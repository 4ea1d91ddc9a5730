#include "ingest/histogram_encoder.h"

#include <vector>

namespace lockstep {
namespace {

void PutSpans(protozero::pbf_writer& message, uint32_t tag, const std::vector<BucketSpan>& spans) {
  for (const BucketSpan& span : spans) {
    protozero::pbf_writer writer(message, tag);
    writer.add_sint32(1, span.offset);
    writer.add_uint32(2, span.length);
  }
}

}  // namespace

void PutHistogram(const HistogramSample& sample, protozero::pbf_writer& message) {
  const Histogram& h = *sample.histogram;
  message.add_double(2, h.count);
  message.add_double(3, h.sum);
  message.add_sint32(4, h.schema);
  message.add_double(5, h.zero_threshold);
  message.add_double(7, h.zero_count);
  PutSpans(message, 8, h.negative_spans);
  message.add_packed_double(10, h.negative_counts.begin(), h.negative_counts.end());
  PutSpans(message, 11, h.positive_spans);
  message.add_packed_double(13, h.positive_counts.begin(), h.positive_counts.end());
  message.add_enum(14, static_cast<int32_t>(h.reset_hint));
  message.add_int64(15, sample.timestamp_ms);
  message.add_packed_double(16, h.custom_values.begin(), h.custom_values.end());
}

}  // namespace lockstep
