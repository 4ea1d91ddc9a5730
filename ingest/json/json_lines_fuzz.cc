// Feeds whole bodies of JSON lines.
#include "ingest/json/json_lines.h"

#include <cstdint>
#include <string_view>

#include "ingest/write/write_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  if (size > kMaxDecodedBytes) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  ExtraLabels extra;
  if (size % 2 == 1) extra.Set("site", "a");
  const auto decoded = json::DecodeJsonLines(body, extra, kLimits);
  if (!decoded.ok()) return 0;
  LOCKSTEP_CHECK(IsValidUtf8(decoded->refusals.ToString()));
  for (const SeriesWrite& series : decoded->request.series) CheckSeries(series);
  LOCKSTEP_CHECK(PointCount(decoded->request.series) + decoded->refusals.sample_count() ==
                 decoded->sample_count);
  return 0;
}
