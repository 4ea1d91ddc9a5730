#include "ingest/otlp/names/unit_name.h"

#include <gtest/gtest.h>

namespace lockstep::otlp {
namespace {

// From the table of units in OpenTelemetry, "Prometheus and OpenMetrics Compatibility".
TEST(UnitName, UnitsAreSpelledOut) {
  struct Case {
    std::string_view unit, of, per, name;
  };
  const Case cases[] = {
      {"", "", "", ""},
      {"s", "seconds", "", "seconds"},
      {"min", "minutes", "", "minutes"},
      {"By", "bytes", "", "bytes"},
      {"MiBy", "mebibytes", "", "mebibytes"},
      {"%", "percent", "", "percent"},
      {"1", "", "", ""},
      {"By/s", "bytes", "per_second", "bytes_per_second"},
      {"m/s", "meters", "per_second", "meters_per_second"},
      {"1/m", "", "per_minute", "per_minute"},
      {"requests/fortnight", "requests", "per_fortnight", "requests_per_fortnight"},
      {" By / s ", "bytes", "per_second", "bytes_per_second"},
      {"{packets}", "", "", ""},
      {"{packets}/s", "", "per_second", "per_second"},
      {"By/{packet}", "bytes", "", "bytes"},
      {"By/", "bytes", "", "bytes"},
      {"a/b/c", "a", "per_b/c", "a_per_b_c"},
      {"k__m", "k__m", "", "k_m"},
      {"_x_", "_x_", "", "x"},
      {"\xc2\xb0"
       "C",
       "\xc2\xb0"
       "C",
       "", "C"},
  };
  for (const Case& c : cases) {
    const UnitWords words = UnitWordsOf(c.unit);
    EXPECT_EQ(words.of, c.of) << c.unit;
    EXPECT_EQ(words.per, c.per) << c.unit;
    EXPECT_EQ(UnitName(c.unit), c.name) << c.unit;
  }
}

}  // namespace
}  // namespace lockstep::otlp
