#include "ingest/remote_write/remote_write_encoder.h"

#include <protozero/pbf_writer.hpp>

#include "ingest/histogram/histogram_message.h"
#include "ingest/side_data/metric_type.h"

namespace lockstep {
namespace {

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
  for (const HistogramSample& sample : series.histograms) {
    protozero::pbf_writer writer(message, 4);
    PutHistogram(sample, writer);
  }
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
