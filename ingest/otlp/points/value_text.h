// Converts attribute values to label values: strings unchanged, numbers in decimal, bytes in
// base64, lists and maps as JSON. Source: OpenTelemetry, "Attribute collections to non-OTLP";
// Prometheus uses the same forms. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::otlp {

// More deeply nested lists and maps are dropped: labels do not need them, and each level costs
// stack.
inline constexpr int kMaxValueDepth = 16;

// "0.25", "1e-7", "1e+21"; "NaN", "+Inf", "-Inf".
std::string DoubleText(double value);
// With padding. Source: RFC 4648, section 4.
std::string Base64Text(std::string_view bytes);
// In lower case.
std::string HexText(std::string_view bytes);

// As a JSON string.
std::string QuotedText(std::string_view text);
std::string ListText(const std::vector<std::string>& values);
// Sorted by key. Quotes the keys; the values are already JSON.
std::string MapText(std::vector<std::pair<std::string_view, std::string>> values);

}  // namespace lockstep::otlp
