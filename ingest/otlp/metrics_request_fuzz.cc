// Feeds OTLP metrics requests. The first byte selects the encoding and the translation.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "ingest/otlp/metrics_request.h"
#include "ingest/write/write_fuzzing.h"

namespace lockstep {
namespace {

// Knows every series, and records which were requested.
class KnowsAll : public KnowsHalf {
 public:
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    asked.assign(keys.begin(), keys.end());
    for (size_t i = 0; i < keys.size(); ++i) refs[i] = {0, static_cast<uint32_t>(i)};
  }

  mutable std::vector<SeriesKey> asked;
};

// Series, time, value and start.
using Float = std::tuple<uint64_t, uint64_t, int64_t, uint64_t, int64_t>;

std::vector<Float> FloatsOf(const WriteRequest& request, std::span<const SeriesKey> known) {
  std::vector<Float> floats;
  const auto add = [&](const SeriesKey& key, const Sample& sample, int64_t start_ms) {
    floats.push_back(
        {key.high, key.low, sample.timestamp_ms, std::bit_cast<uint64_t>(sample.value), start_ms});
  };
  for (const KnownSample& sample : request.known) {
    add(known[sample.series.id], sample.sample, sample.start_timestamp_ms);
  }
  for (const SeriesWrite& series : request.series) {
    const SeriesKey key = SeriesKeyOf(series.labels);
    const std::vector<int64_t>& starts_ms = series.start_timestamps_ms;
    for (size_t i = 0; i < series.samples.size(); ++i) {
      add(key, series.samples[i], starts_ms.empty() ? 0 : starts_ms[i]);
    }
  }
  std::ranges::sort(floats);
  return floats;
}

// A request yields the same samples whether or not its series were translated before, and whether
// the store knows all, some or none of them. Deltas are exempt, because their totals differ each
// time.
void CheckKnown(std::string_view body, const otlp::Translation& translation,
                const DecodedWrite& fresh) {
  otlp::MetricsDecoder decoder(translation);
  const std::vector<Float> expected = FloatsOf(fresh.request, {});
  const KnowsAll all;
  const KnowsHalf half;
  for (const Storage* storage :
       {static_cast<const Storage*>(&all), static_cast<const Storage*>(&all),
        static_cast<const Storage*>(&half)}) {
    all.asked.clear();
    const auto again = decoder.DecodeProtobuf(body, kLimits, storage);
    LOCKSTEP_CHECK(again.ok());
    LOCKSTEP_CHECK(again->sample_count == fresh.sample_count);
    LOCKSTEP_CHECK(again->series_count == fresh.series_count);
    LOCKSTEP_CHECK(again->refusals.count() == fresh.refusals.count());
    if (storage == &all) LOCKSTEP_CHECK(FloatsOf(again->request, all.asked) == expected);
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::otlp::NameTranslation;
  if (size == 0 || size > lockstep::kMaxDecodedBytes) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const uint8_t choice = data[0];
  lockstep::otlp::Translation translation;
  translation.names = static_cast<NameTranslation>(choice >> 1 & 3);
  translation.promotion.promotes_all = (choice & 8) != 0;
  translation.promotes_scope = (choice & 8) != 0;
  if ((choice & 16) != 0) translation.histograms = lockstep::otlp::HistogramForm::kCustomBuckets;
  translation.deltas = static_cast<lockstep::otlp::DeltaPolicy>((choice >> 5 & 3) % 3);
  lockstep::otlp::MetricsDecoder decoder(translation);
  const bool is_json = (choice & 1) != 0;
  const auto decoded = is_json ? decoder.DecodeJson(body, lockstep::kLimits)
                               : decoder.DecodeProtobuf(body, lockstep::kLimits, nullptr);
  if (!decoded.ok()) return 0;
  LOCKSTEP_CHECK(lockstep::IsValidUtf8(decoded->refusals.ToString()));
  for (const lockstep::SeriesWrite& series : decoded->request.series) {
    lockstep::CheckSeries(series);
  }
  const bool adds_up = translation.deltas == lockstep::otlp::DeltaPolicy::kAddUp;
  if (!is_json && !adds_up) lockstep::CheckKnown(body, translation, *decoded);
  return 0;
}
