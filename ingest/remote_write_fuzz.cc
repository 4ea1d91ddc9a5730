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
