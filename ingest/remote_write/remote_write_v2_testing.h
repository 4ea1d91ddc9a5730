// Encodes a WriteRequest as a remote write 2.0 message, for tests: the counterpart of
// ingest/remote_write/remote_write_v2.h.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ingest/histogram/histogram_message.h"
#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"
#include "ingest/side_data/metric_type.h"
#include "storage/write.h"

namespace lockstep {

class RemoteWriteV2Encoder {
 public:
  explicit RemoteWriteV2Encoder(const std::vector<MetadataEntry>& metadata) {
    NumberOf("");
    for (const MetadataEntry& entry : metadata) metadata_.emplace(entry.metric, &entry.metadata);
  }

  std::string Encode(const WriteRequest& request, const std::vector<SeriesExemplars>& exemplars) {
    std::string all_series;
    protozero::pbf_writer series_writer(all_series);
    for (const SeriesWrite& series : request.series) {
      if (!series.samples.empty()) PutFloats(series, series_writer);
      if (!series.histograms.empty()) PutHistograms(series, series_writer);
    }
    for (const SeriesExemplars& of_series : exemplars) PutExemplars(of_series, series_writer);
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    for (const std::string_view symbol : symbols_) {
      writer.add_string(4, symbol.data(), symbol.size());
    }
    return bytes + all_series;
  }

 private:
  // Texts must outlive the encoder.
  uint32_t NumberOf(std::string_view text) {
    const auto [found, is_new] = numbers_.try_emplace(text, static_cast<uint32_t>(symbols_.size()));
    if (is_new) symbols_.push_back(text);
    return found->second;
  }

  void PutLabels(const LabelSet& labels, protozero::pbf_writer& message) {
    std::vector<uint32_t> references;
    for (const LabelView& label : labels) {
      references.push_back(NumberOf(label.name));
      references.push_back(NumberOf(label.value));
    }
    message.add_packed_uint32(1, references.begin(), references.end());
  }

  void PutMetadata(const LabelSet& labels, protozero::pbf_writer& message) {
    protozero::pbf_writer writer(message, 5);
    const auto found = metadata_.find(labels.metric_name());
    if (found == metadata_.end()) return;
    const MetricMetadata& metadata = *found->second;
    writer.add_enum(1, MetricTypeNumber(metadata.type));
    if (!metadata.help.empty()) writer.add_uint32(3, NumberOf(metadata.help));
    if (!metadata.unit.empty()) writer.add_uint32(4, NumberOf(metadata.unit));
  }

  void PutFloats(const SeriesWrite& series, protozero::pbf_writer& request) {
    protozero::pbf_writer message(request, 5);
    PutLabels(series.labels, message);
    for (size_t i = 0; i < series.samples.size(); ++i) {
      protozero::pbf_writer writer(message, 2);
      writer.add_double(1, series.samples[i].value);
      writer.add_int64(2, series.samples[i].timestamp_ms);
      const int64_t start_ms =
          series.start_timestamps_ms.empty() ? 0 : series.start_timestamps_ms[i];
      if (start_ms != 0) writer.add_int64(3, start_ms);
    }
    PutMetadata(series.labels, message);
  }

  void PutHistograms(const SeriesWrite& series, protozero::pbf_writer& request) {
    protozero::pbf_writer message(request, 5);
    PutLabels(series.labels, message);
    for (const HistogramSample& sample : series.histograms) {
      protozero::pbf_writer writer(message, 3);
      PutHistogram(sample, writer);
      if (sample.start_timestamp_ms != 0) writer.add_int64(17, sample.start_timestamp_ms);
    }
    PutMetadata(series.labels, message);
  }

  void PutExemplars(const SeriesExemplars& of_series, protozero::pbf_writer& request) {
    protozero::pbf_writer message(request, 5);
    PutLabels(of_series.series, message);
    for (const Exemplar& exemplar : of_series.exemplars) {
      protozero::pbf_writer writer(message, 4);
      PutLabels(exemplar.labels, writer);
      writer.add_double(2, exemplar.value);
      writer.add_int64(3, exemplar.timestamp_ms);
    }
  }

  absl::flat_hash_map<std::string_view, uint32_t> numbers_;
  std::vector<std::string_view> symbols_;
  absl::flat_hash_map<std::string_view, const MetricMetadata*> metadata_;
};

// Encodes as Prometheus does: symbols in order of first use, a series with both kinds of samples as
// two, exemplars as series without samples. Ignores `request.known`. Metadata goes with the series
// of its metric.
inline std::string EncodeRemoteWriteV2(const WriteRequest& request,
                                       const std::vector<MetadataEntry>& metadata = {},
                                       const std::vector<SeriesExemplars>& exemplars = {}) {
  return RemoteWriteV2Encoder(metadata).Encode(request, exemplars);
}

}  // namespace lockstep
