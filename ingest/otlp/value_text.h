// Values of attributes as the text that becomes a label: strings as they are, numbers in digits, bytes in
// base64, lists and maps as JSON. Source: OpenTelemetry, "Attribute collections to non-OTLP"; Prometheus
// takes the same forms. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::otlp {

// Lists and maps inside one another beyond this are left out: nobody needs them in a label, and each costs stack.
inline constexpr int kMaxValueDepth = 16;

// "0.25", "1e-7", "1e+21"; "NaN", "+Inf", "-Inf".
std::string DoubleText(double value);
// With padding. Source: RFC 4648, section 4.
std::string Base64Text(std::string_view bytes);
// Lower-case digits.
std::string HexText(std::string_view bytes);

// As JSON.
std::string QuotedText(std::string_view text);
std::string ListText(const std::vector<std::string>& values);
// Sorted by key. Keys are quoted here, values are JSON already.
std::string MapText(std::vector<std::pair<std::string_view, std::string>> values);

}  // namespace lockstep::otlp
