// Converts OTLP units (UCUM) to Prometheus' spelling: "By/s" becomes "bytes" and "per_second". Pure
// functions. Source: prometheus/otlptranslator; OpenTelemetry, "Prometheus and OpenMetrics
// Compatibility". Also the characters of names.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::otlp {

// The characters of Prometheus names. Bytes of non-ASCII characters are never among them.
inline bool IsDigit(char c) { return '0' <= c && c <= '9'; }
inline bool IsLetterOrDigit(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || IsDigit(c);
}
// The characters of a metric name's words, between underscores.
inline bool IsNameToken(char c) { return IsLetterOrDigit(c) || c == ':'; }
// A byte that does not start a character.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Unescaped words, "" for none. Annotations in braces are ignored.
struct UnitWords {
  std::string of;   // "bytes"
  std::string per;  // "per_second"
};
UnitWords UnitWordsOf(std::string_view unit);

// Replaces each run of characters that are invalid in metric names by '_', without a leading one.
std::string EscapedUnitWord(std::string_view word);

// Both words, escaped: the unit in metadata.
std::string UnitName(std::string_view unit);

}  // namespace lockstep::otlp
