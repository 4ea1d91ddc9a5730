// Feeds whole bodies of InfluxDB line protocol. The first byte selects the precision.
#include "ingest/influx/influx_request.h"

#include <cstdint>
#include <string_view>

#include "ingest/influx/line_protocol.h"
#include "ingest/write/write_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  if (size == 0 || size > kMaxDecodedBytes) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto precision = static_cast<influx::Precision>(data[0] % 6);

  size_t line_count = 0;
  for (std::string_view rest = body; !rest.empty();) {
    const size_t before = rest.size();
    influx::TakeLine(rest, line_count);
    LOCKSTEP_CHECK(rest.size() < before);
  }
  LOCKSTEP_CHECK(line_count <= body.size());

  const auto decoded =
      influx::DecodeLines(body, {precision, "telegraf", 1'700'000'000'000}, kLimits);
  if (!decoded.ok()) return 0;
  LOCKSTEP_CHECK(IsValidUtf8(decoded->refusals.ToString()));
  for (const SeriesWrite& series : decoded->request.series) {
    CheckSeries(series);
    LOCKSTEP_CHECK(IsLegacyMetricName(series.labels.metric_name()));
  }
  LOCKSTEP_CHECK(PointCount(decoded->request.series) + decoded->refusals.sample_count() ==
                 decoded->sample_count);
  return 0;
}
