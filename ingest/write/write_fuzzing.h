// Checks shared by the fuzzers of write requests.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "ingest/write/body_encoding.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"
#include "storage/storage.h"

namespace lockstep {

inline constexpr size_t kMaxDecodedBytes = 1 << 20;
inline constexpr IngestLimits kLimits = {
    .max_series_per_request = 1000, .max_labels_per_series = 20, .max_label_value_bytes = 1000};

inline size_t BucketCount(const std::vector<BucketSpan>& spans) {
  size_t count = 0;
  for (const BucketSpan& span : spans) count += span.length;
  return count;
}

inline void CheckSeries(const SeriesWrite& series) {
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

// Knows every other key, to exercise both paths.
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

// The number of floats and histograms.
inline size_t PointCount(const std::vector<SeriesWrite>& series) {
  size_t count = 0;
  for (const SeriesWrite& one : series) count += one.samples.size() + one.histograms.size();
  return count;
}

// The encoding selected by an input's first byte.
inline BodyEncoding EncodingOf(uint8_t byte) {
  constexpr BodyEncoding kEncodings[] = {BodyEncoding::kIdentity, BodyEncoding::kSnappy,
                                         BodyEncoding::kGzip, BodyEncoding::kZstd};
  return kEncodings[byte % 4];
}

// Checks one body with its message's functions.
template <typename Decode, typename Encode>
void CheckWriteBody(BodyEncoding encoding, std::string_view body, const Decode& decode,
                    const Encode& encode) {
  std::string scratch;
  const auto message = DecodeBody(encoding, body, kMaxDecodedBytes, scratch);
  if (!message.ok()) return;
  LOCKSTEP_CHECK(message->size() <= kMaxDecodedBytes);
  const auto decoded = decode(*message, kLimits, nullptr);
  if (!decoded.ok()) return;
  LOCKSTEP_CHECK(IsValidUtf8(decoded->refusals.ToString()));
  for (const SeriesWrite& series : decoded->request.series) CheckSeries(series);
  // An accepted request, encoded again, is accepted completely.
  const auto again = decode(encode(decoded->request), kLimits, nullptr);
  LOCKSTEP_CHECK(again.ok());
  LOCKSTEP_CHECK(again->refusals.empty());
  LOCKSTEP_CHECK(again->sample_count + again->histogram_count ==
                 PointCount(decoded->request.series));
  // The same samples arrive whether or not series are known; unknown series get the same checks.
  const KnowsHalf storage;
  const auto known = decode(*message, kLimits, &storage);
  LOCKSTEP_CHECK(known.ok());
  LOCKSTEP_CHECK(known->sample_count == decoded->sample_count);
  for (const SeriesWrite& series : known->request.series) CheckSeries(series);
}

}  // namespace lockstep
