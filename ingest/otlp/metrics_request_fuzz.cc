// Feeds the path of an OTLP metrics request. The first byte chooses the form and the translation.
#include <cstdint>
#include <string_view>

#include "ingest/otlp/metrics_request.h"
#include "ingest/write_fuzzing.h"

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
  if ((choice & 32) != 0) translation.deltas = lockstep::otlp::DeltaPolicy::kKeep;
  const auto decode =
      (choice & 1) != 0 ? lockstep::otlp::DecodeJsonRequest : lockstep::otlp::DecodeProtobufRequest;
  const auto decoded = decode(body, translation, lockstep::kLimits);
  if (!decoded.ok()) return 0;
  LOCKSTEP_CHECK(lockstep::IsValidUtf8(decoded->refusals.ToString()));
  for (const lockstep::SeriesWrite& series : decoded->request.series) {
    lockstep::CheckSeries(series);
  }
  return 0;
}
