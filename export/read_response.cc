#include "export/read_response.h"

#include <snappy.h>

#include <protozero/pbf_writer.hpp>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "export/series_chunks.h"
#include "ingest/remote_write/remote_write_encoder.h"

namespace lockstep {
namespace {

void PutLabels(const LabelSet& labels, protozero::pbf_writer& series) {
  for (const LabelView& label : labels) {
    protozero::pbf_writer writer(series, 1);
    writer.add_string(1, label.name.data(), label.name.size());
    writer.add_string(2, label.value.data(), label.value.size());
  }
}

void PutChunk(const SeriesChunk& chunk, protozero::pbf_writer& series) {
  protozero::pbf_writer writer(series, 2);
  writer.add_int64(1, chunk.min_time_ms);
  writer.add_int64(2, chunk.max_time_ms);
  writer.add_enum(3, static_cast<int32_t>(chunk.encoding));
  writer.add_bytes(4, chunk.data);
}

void AppendFrame(const std::string& message, std::string& frames) {
  PutVarint64(frames, message.size());
  PutFixed32(frames, Crc32c(message));
  frames += message;
}

// Adds chunks starting at `begin` until the frame is full; returns the index of the first one left.
size_t AppendFrameOf(const LabelSet& labels, const std::vector<SeriesChunk>& chunks, size_t begin,
                     int64_t query_index, std::string& frames) {
  std::string message;
  protozero::pbf_writer response(message);
  size_t next = begin;
  {
    protozero::pbf_writer series(response, 1);
    PutLabels(labels, series);
    while (next < chunks.size() && message.size() < kMaxFrameBytes) {
      PutChunk(chunks[next++], series);
    }
  }
  if (query_index != 0) response.add_int64(2, query_index);
  AppendFrame(message, frames);
  return next;
}

}  // namespace

void AppendReadSeries(const LabelSet& labels, const SampleColumns& samples,
                      std::string& query_result) {
  // A WriteRequest and a QueryResult have the same layout here: series under the same field number.
  WriteRequest request;
  SeriesWrite& series = request.series.emplace_back();
  series.labels = labels;
  series.samples.reserve(samples.values.size());
  for (size_t i = 0; i < samples.values.size(); ++i) {
    series.samples.push_back({samples.timestamps_ms[i], samples.values[i]});
  }
  series.histograms = samples.histograms;
  query_result += EncodeRemoteWrite(request);
}

void AppendQueryResult(const std::string& query_result, std::string& read_response) {
  protozero::pbf_writer response(read_response);
  response.add_message(1, query_result);
}

std::string SnappyBlock(const std::string& bytes) {
  std::string block;
  snappy::Compress(bytes.data(), bytes.size(), &block);
  return block;
}

void AppendSeriesFrames(const LabelSet& labels, const SampleColumns& samples, int64_t query_index,
                        std::string& frames) {
  const std::vector<SeriesChunk> chunks = MakeSeriesChunks(samples);
  for (size_t next = 0; next < chunks.size();) {
    next = AppendFrameOf(labels, chunks, next, query_index, frames);
  }
}

}  // namespace lockstep
