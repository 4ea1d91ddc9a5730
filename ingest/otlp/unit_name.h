// Units of OTLP, which are UCUM's, as Prometheus spells them: "By/s" is "bytes" and "per_second". Pure
// functions. Source: prometheus/otlptranslator; OpenTelemetry, "Prometheus and OpenMetrics Compatibility".
#pragma once

#include <string>
#include <string_view>

namespace lockstep::otlp {

// As they stand in the unit, "" for none. Annotations in braces are none.
struct UnitWords {
  std::string of;   // "bytes"
  std::string per;  // "per_second"
};
UnitWords UnitWordsOf(std::string_view unit);

// With '_' for every run of characters that a metric name may not have, and none at the front.
std::string EscapedUnitWord(std::string_view word);

// Both together, escaped: the unit that metadata tells.
std::string UnitName(std::string_view unit);

}  // namespace lockstep::otlp
