#include "import/remote_read.h"

#include <snappy.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "base/crc32c.h"
#include "import/tsdb_blocks/chunk_reader.h"
#include "ingest/remote_write/label_message.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/write/body_encoding.h"

namespace lockstep::importer {
namespace {

// prometheus.ReadRequest.ResponseType.
constexpr int32_t kSamples = 0;
constexpr int32_t kStreamedChunks = 1;

// prometheus.LabelMatcher.Type.
int32_t TypeNumber(MatchType type) {
  switch (type) {
    case MatchType::kEqual:
      return 0;
    case MatchType::kNotEqual:
      return 1;
    case MatchType::kRegex:
      return 2;
    case MatchType::kNotRegex:
      break;
  }
  return 3;
}

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// Converts protozero's exceptions for truncated or malformed messages to a status.
template <typename Read>
absl::Status Parsed(const Read& read) {
  try {
    return read();
  } catch (const protozero::exception& error) {
    return absl::DataLossError(
        absl::StrFormat("the remote read response is damaged: %s", error.what()));
  }
}

absl::Status ReadChunkMessage(std::string_view message, SampleColumns& samples) {
  protozero::pbf_reader reader(message);
  int32_t encoding = 0;
  std::string_view data;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(3, pbf_wire_type::varint):
        encoding = reader.get_enum();
        break;
      case tag_and_type(4, pbf_wire_type::length_delimited):
        data = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return tsdb_blocks::ReadChunk(static_cast<uint8_t>(encoding), data, samples);
}

absl::Status ReadSeries(std::string_view message, const RemoteReadAnswer::Take& take) {
  protozero::pbf_reader reader(message);
  std::vector<LabelView> labels;
  SampleColumns samples;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        labels.push_back(ReadLabel(reader.get_view()));
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        LOCKSTEP_RETURN_IF_ERROR(ReadChunkMessage(reader.get_view(), samples));
        break;
      default:
        reader.skip();
    }
  }
  return take(LabelSet::Of(std::move(labels)), samples);
}

absl::Status ReadFrame(std::string_view frame, const RemoteReadAnswer::Take& take) {
  protozero::pbf_reader reader(frame);
  while (reader.next()) {
    if (reader.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited)) {
      LOCKSTEP_RETURN_IF_ERROR(ReadSeries(reader.get_view(), take));
    } else {
      reader.skip();
    }
  }
  return absl::OkStatus();
}

absl::Status TakeResult(std::string_view result, const RemoteReadAnswer::Take& take) {
  IngestLimits limits;
  limits.max_series_per_request = result.size();
  LOCKSTEP_ASSIGN_OR_RETURN(const DecodedWrite decoded, DecodeRemoteWrite(result, limits));
  for (const SeriesWrite& series : decoded.request.series) {
    SampleColumns samples;
    for (const Sample& sample : series.samples) samples.Append(sample.timestamp_ms, sample.value);
    samples.histograms = series.histograms;
    LOCKSTEP_RETURN_IF_ERROR(take(series.labels, samples));
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeReadRequest(const std::vector<Matcher>& matchers, const TimeRange& range) {
  std::string message;
  protozero::pbf_writer writer(message);
  {
    protozero::pbf_writer query(writer, 1);
    query.add_int64(1, range.min_ms);
    query.add_int64(2, range.max_ms);
    for (const Matcher& matcher : matchers) {
      protozero::pbf_writer one(query, 3);
      one.add_enum(1, TypeNumber(matcher.type()));
      one.add_string(2, matcher.name().data(), matcher.name().size());
      one.add_string(3, matcher.value().data(), matcher.value().size());
    }
  }
  const int32_t accepted[] = {kStreamedChunks, kSamples};
  writer.add_packed_enum(2, std::begin(accepted), std::end(accepted));
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  return body;
}

absl::Status RemoteReadAnswer::Feed(std::string_view bytes, bool is_streamed) {
  buffer_.append(bytes);
  if (is_streamed) return TakeFrames();
  if (buffer_.size() <= kMaxSamplesBytes) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrFormat("the remote read response has more than %d bytes", kMaxSamplesBytes));
}

absl::Status RemoteReadAnswer::TakeFrames() {
  std::string_view rest = buffer_;
  while (true) {
    std::string_view in = rest;
    uint64_t length = 0;
    uint32_t crc = 0;
    if (!GetVarint64(in, length) || !GetFixed32(in, crc)) break;
    if (length > kMaxFrameBytes) {
      return absl::DataLossError(absl::StrFormat("a remote read frame has %d bytes, more than %d",
                                                 length, kMaxFrameBytes));
    }
    if (in.size() < length) break;
    const std::string_view frame = in.substr(0, static_cast<size_t>(length));
    if (Crc32c(frame) != crc) return absl::DataLossError("a remote read frame is damaged");
    LOCKSTEP_RETURN_IF_ERROR(Parsed([&] { return ReadFrame(frame, take_); }));
    rest = in.substr(frame.size());
  }
  buffer_.erase(0, buffer_.size() - rest.size());
  return absl::OkStatus();
}

absl::Status RemoteReadAnswer::Finish(bool is_streamed) {
  // Ignores empty frames.
  if (buffer_.empty()) return absl::OkStatus();
  if (!is_streamed) return TakeSamples();
  return absl::DataLossError("the remote read response ends within a frame");
}

absl::Status RemoteReadAnswer::TakeSamples() {
  std::string scratch;
  const absl::StatusOr<std::string_view> message =
      DecodeBody(BodyEncoding::kSnappy, buffer_, kMaxSamplesBytes, scratch);
  if (!message.ok()) {
    return absl::DataLossError(absl::StrFormat(
        "the remote read response cannot be decompressed: %s", Message(message.status())));
  }
  return Parsed([&] {
    protozero::pbf_reader reader(*message);
    while (reader.next()) {
      if (reader.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited)) {
        LOCKSTEP_RETURN_IF_ERROR(TakeResult(reader.get_view(), take_));
      } else {
        reader.skip();
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace lockstep::importer
