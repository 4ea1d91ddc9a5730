// Feeds the path of a write body: decompression, protobuf, validation. The first byte chooses the
// encoding.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ingest/body_encoding.h"
#include "ingest/remote_write.h"
#include "ingest/remote_write_encoder.h"

namespace lockstep {
namespace {

constexpr size_t kMaxDecodedBytes = 1 << 20;
constexpr IngestLimits kLimits = {
    .max_series_per_request = 1000, .max_labels_per_series = 20, .max_label_value_bytes = 1000};

size_t BucketCount(const std::vector<BucketSpan>& spans) {
  size_t count = 0;
  for (const BucketSpan& span : spans) count += span.length;
  return count;
}

void CheckSeries(const SeriesWrite& series) {
  LOCKSTEP_CHECK(LabelSet::FromBytes(series.labels.bytes()).ok());
  LOCKSTEP_CHECK(series.labels.Has(kMetricName));
  LOCKSTEP_CHECK(!series.samples.empty() || !series.histograms.empty());
  for (const LabelView& label : series.labels) {
    LOCKSTEP_CHECK(IsValidUtf8(label.name) && IsValidUtf8(label.value));
  }
  for (const HistogramSample& sample : series.histograms) {
    const Histogram& h = *sample.histogram;
    LOCKSTEP_CHECK(BucketCount(h.positive_spans) == h.positive_counts.size());
    LOCKSTEP_CHECK(BucketCount(h.negative_spans) == h.negative_counts.size());
  }
}

// What was accepted once is accepted again, whole.
void CheckRoundTrip(const DecodedWrite& decoded) {
  const auto again = DecodeRemoteWrite(EncodeRemoteWrite(decoded.request), kLimits);
  LOCKSTEP_CHECK(again.ok());
  LOCKSTEP_CHECK(again->refusals.empty());
  LOCKSTEP_CHECK(again->request.series.size() == decoded.request.series.size());
}

// Knows every other key, so that both ways are taken.
class KnowsHalf : public Storage {
 public:
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    for (size_t i = 0; i < keys.size(); ++i) {
      refs[i] = keys[i].low % 2 == 0 ? SeriesRef{0, 1} : SeriesRef();
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
};

// The samples that arrived are the same whether series are known or not; those of unknown ones are
// checked alike.
void CheckKnown(std::string_view message, const DecodedWrite& plain) {
  const KnowsHalf storage;
  const auto decoded = DecodeRemoteWrite(message, kLimits, &storage);
  LOCKSTEP_CHECK(decoded.ok());
  LOCKSTEP_CHECK(decoded->sample_count == plain.sample_count);
  for (const SeriesWrite& series : decoded->request.series) CheckSeries(series);
}

void Run(BodyEncoding encoding, std::string_view body) {
  std::string scratch;
  const auto message = DecodeBody(encoding, body, kMaxDecodedBytes, scratch);
  if (!message.ok()) return;
  LOCKSTEP_CHECK(message->size() <= kMaxDecodedBytes);
  const auto decoded = DecodeRemoteWrite(*message, kLimits);
  if (!decoded.ok()) return;
  LOCKSTEP_CHECK(IsValidUtf8(decoded->refusals.ToString()));
  for (const SeriesWrite& series : decoded->request.series) CheckSeries(series);
  CheckRoundTrip(*decoded);
  CheckKnown(*message, *decoded);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::BodyEncoding;
  constexpr BodyEncoding kEncodings[] = {BodyEncoding::kIdentity, BodyEncoding::kSnappy,
                                         BodyEncoding::kGzip, BodyEncoding::kZstd};
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  lockstep::Run(kEncodings[data[0] % 4], body);
  return 0;
}
