// Measures the cost of a write request before it reaches the store: one point of a fleet's series
// as remote write 1.0 and 2.0 and as OTLP, protobuf and JSON, decompressed and decoded, with every
// series known to the store and with none. Reports nanoseconds of CPU per sample on one thread; the
// messages take turns.
//
// All are decoded once before, and must contain the same samples of the same series.
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/decode/otlp_message.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "ingest/otlp/metrics_request.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "ingest/remote_write/remote_write_v2.h"
#include "ingest/remote_write/remote_write_v2_testing.h"
#include "ingest/write/body_encoding.h"
#include "snappy.h"
#include "storage/storage.h"

namespace lockstep {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;

struct Options {
  std::string recording;
  size_t series_count = 2000;  // of a request
  double seconds = 2;
};

// Finds series by their keys, as the store does, and stores nothing.
class KnownSeries : public Storage {
 public:
  explicit KnownSeries(const std::vector<SeriesWrite>& series) {
    for (const SeriesWrite& one : series) {
      refs_.emplace(SeriesKeyOf(one.labels), SeriesRef{0, static_cast<uint32_t>(refs_.size())});
    }
  }
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = refs_.find(keys[i]);
      refs[i] = found == refs_.end() ? SeriesRef() : found->second;
    }
  }
  void Write(WriteRequest, WriteCallback) override {}
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    return absl::UnimplementedError("no querier");
  }
  StorageStats stats() const override { return {}; }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery&) const override {
    return CardinalityStats();
  }

 private:
  absl::flat_hash_map<SeriesKey, SeriesRef> refs_;
};

using Decode = std::function<absl::StatusOr<DecodedWrite>(std::string_view, const IngestLimits&,
                                                          const Storage*)>;

struct Version {
  const char* name;
  Decode decode;
  BodyEncoding encoding;
  std::string body;
  double known_seconds = 1e9;
  double new_seconds = 1e9;
};

std::string Snappy(const std::string& message) {
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  return body;
}

std::string Gzip(const std::string& message) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string body(deflateBound(&stream, message.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(message.data()));
  stream.avail_in = static_cast<uInt>(message.size());
  stream.next_out = reinterpret_cast<Bytef*>(body.data());
  stream.avail_out = static_cast<uInt>(body.size());
  deflate(&stream, Z_FINISH);
  body.resize(stream.total_out);
  deflateEnd(&stream);
  return body;
}

absl::StatusOr<DecodedWrite> Read(const Version& version, const Storage* storage) {
  thread_local std::string scratch;
  const IngestLimits limits;
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string_view message,
      DecodeBody(version.encoding, version.body, limits.max_decoded_bytes, scratch));
  return version.decode(message, limits, storage);
}

bool IsSame(const Sample& a, const Sample& b) {
  return a.timestamp_ms == b.timestamp_ms &&
         std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
}

// Checks that `version` contains exactly the samples of `sent`, in any order, with series known and
// unknown. JSON is always translated completely.
absl::Status Check(const Version& version, const std::vector<SeriesWrite>& sent,
                   const Storage& storage) {
  // The second time, they have been translated before.
  LOCKSTEP_RETURN_IF_ERROR(Read(version, &storage).status());
  LOCKSTEP_ASSIGN_OR_RETURN(const DecodedWrite known, Read(version, &storage));
  LOCKSTEP_ASSIGN_OR_RETURN(const DecodedWrite fresh, Read(version, nullptr));
  absl::flat_hash_map<LabelSet, Sample> left;
  for (const SeriesWrite& series : fresh.request.series) {
    left.emplace(series.labels, series.samples.at(0));
  }
  const size_t known_count = known.request.known.size();
  bool is_right = (known_count == sent.size()) != (known.request.series.size() == sent.size()) &&
                  left.size() == sent.size() && fresh.refusals.empty();
  for (size_t i = 0; i < sent.size() && is_right; ++i) {
    const auto found = left.find(sent[i].labels);
    is_right = found != left.end() && IsSame(found->second, sent[i].samples[0]);
  }
  for (const KnownSample& one : known.request.known) {
    is_right = is_right && IsSame(one.sample, sent.at(one.series.id).samples[0]);
  }
  if (is_right) return absl::OkStatus();
  return absl::InternalError(std::string(version.name) + " was decoded to different samples");
}

double Seconds(const Version& version, const Storage* storage) {
  const double begin = ThreadCpuSeconds();
  (void)Read(version, storage);
  return ThreadCpuSeconds() - begin;
}

absl::Status Run(const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<replay::RecordedGpu> recording,
                            replay::ReadRecording(options.recording));
  const size_t metric_count = recording.front().metrics.size();
  const auto gpu_count = static_cast<uint32_t>(options.series_count / metric_count + 1);
  const replay::Fleet fleet(std::move(recording), {gpu_count, kStartMs, 15'000});
  WriteRequest request;
  std::vector<MetadataEntry> metadata;
  for (size_t i = 0; i < options.series_count; ++i) {
    request.series.push_back({fleet.Labels(i, 0), {fleet.At(i, 0)}, {}});
    const std::string_view name = request.series[i].labels.metric_name();
    if (i < metric_count) metadata.push_back({std::string(name), {"gauge", "What it is.", ""}});
  }
  const KnownSeries storage(request.series);
  otlp::MetricsDecoder otlp({.names = otlp::NameTranslation::kNoTranslation});
  const Decode otlp_protobuf = [&](std::string_view message, const IngestLimits& limits,
                                   const Storage* known) {
    return otlp.DecodeProtobuf(message, limits, known);
  };
  const Decode otlp_json = [&](std::string_view message, const IngestLimits& limits,
                               const Storage*) { return otlp.DecodeJson(message, limits); };
  const std::string protobuf = OtlpProtobuf(request);
  const std::string json = OtlpJson(request);
  Version versions[] = {
      {"write 1.0, snappy", DecodeRemoteWrite, BodyEncoding::kSnappy,
       Snappy(EncodeRemoteWrite(request))},
      {"write 2.0, snappy", DecodeRemoteWriteV2, BodyEncoding::kSnappy,
       Snappy(EncodeRemoteWriteV2(request, metadata))},
      {"OTLP, snappy", otlp_protobuf, BodyEncoding::kSnappy, Snappy(protobuf)},
      {"OTLP, plain", otlp_protobuf, BodyEncoding::kIdentity, protobuf},
      {"OTLP, gzip", otlp_protobuf, BodyEncoding::kGzip, Gzip(protobuf)},
      {"OTLP JSON, plain", otlp_json, BodyEncoding::kIdentity, json},
  };
  for (const Version& version : versions) {
    LOCKSTEP_RETURN_IF_ERROR(Check(version, request.series, storage));
  }
  const double begin = ThreadCpuSeconds();
  do {
    for (Version& version : versions) {
      version.known_seconds = std::min(version.known_seconds, Seconds(version, &storage));
      version.new_seconds = std::min(version.new_seconds, Seconds(version, nullptr));
    }
  } while (ThreadCpuSeconds() - begin < options.seconds);
  const auto sample_count = static_cast<double>(options.series_count);
  std::printf("%-18s %12s %12s %12s\n", "message", "bytes", "ns, known", "ns, new");
  for (const Version& version : versions) {
    std::printf("%-18s %12.1f %12.1f %12.1f\n", version.name,
                static_cast<double>(version.body.size()) / sample_count,
                version.known_seconds / sample_count * 1e9,
                version.new_seconds / sample_count * 1e9);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app(
      "Decodes one write request as remote write 1.0 and 2.0 and as OTLP; reports what a sample "
      "costs.");
  app.add_option("--recording", options.recording, "OpenMetrics file to replay")->required();
  app.add_option("--series", options.series_count, "series per request")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "duration of the measurement");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
