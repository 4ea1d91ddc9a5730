#include "ingest/remote_write_encoder.h"

#include <protozero/pbf_writer.hpp>

#include "ingest/metric_type.h"

namespace lockstep {
namespace {

void PutSpans(protozero::pbf_writer& message, uint32_t tag, const std::vector<BucketSpan>& spans) {
  for (const BucketSpan& span : spans) {
    protozero::pbf_writer writer(message, tag);
    writer.add_sint32(1, span.offset);
    writer.add_uint32(2, span.length);
  }
}

void PutHistogram(protozero::pbf_writer& series, const HistogramSample& sample) {
  const Histogram& h = *sample.histogram;
  protozero::pbf_writer message(series, 4);
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

void PutSeries(protozero::pbf_writer& request, const SeriesWrite& series) {
  protozero::pbf_writer message(request, 1);
  for (const LabelView& label : series.labels) {
    protozero::pbf_writer writer(message, 1);
    writer.add_string(1, label.name.data(), label.name.size());
    writer.add_string(2, label.value.data(), label.value.size());
  }
  for (const Sample& sample : series.samples) {
    protozero::pbf_writer writer(message, 2);
    writer.add_double(1, sample.value);
    writer.add_int64(2, sample.timestamp_ms);
  }
  for (const HistogramSample& sample : series.histograms) PutHistogram(message, sample);
}

void PutMetadata(protozero::pbf_writer& request, const MetadataEntry& entry) {
  protozero::pbf_writer message(request, 3);
  message.add_enum(1, MetricTypeNumber(entry.metadata.type));
  message.add_string(2, entry.metric);
  message.add_string(4, entry.metadata.help);
  message.add_string(5, entry.metadata.unit);
}

}  // namespace

std::string EncodeRemoteWrite(const WriteRequest& request,
                              const std::vector<MetadataEntry>& metadata) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  for (const SeriesWrite& series : request.series) PutSeries(writer, series);
  for (const MetadataEntry& entry : metadata) PutMetadata(writer, entry);
  return bytes;
}

}  // namespace lockstep
