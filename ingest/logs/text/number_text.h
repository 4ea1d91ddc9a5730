// Parses numbers in logs. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::logs {

constexpr bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

// Removes spaces and tabs at both ends.
std::string_view Trim(std::string_view text);

// Parses a text that is a number as a whole: "1.5e-06", "+3", "nan", "-inf", "Infinity", or "6,198"
// with commas between groups of three digits.
std::optional<double> NumberOf(std::string_view text);
std::optional<int64_t> IntegerOf(std::string_view text);

// Takes the number from the front of `text`: "47.36GiB(59.75%)" leaves "GiB(59.75%)". Takes nothing
// if there is none.
std::optional<double> TakeNumber(std::string_view& text);
std::optional<int64_t> TakeInteger(std::string_view& text);
// Like TakeNumber(), for a JSON number at whose first digit or '-' `text` begins. Rejects numbers
// that are invalid in JSON or out of a double's range. For those that TakeShortNumber() does not
// handle.
std::optional<double> TakeJsonNumber(std::string_view& text);

// Parses a rank: at least 0, at most seven digits.
std::optional<int32_t> RankOf(std::string_view text);
std::optional<int32_t> TakeRank(std::string_view& text);

// Takes `word` from the front of `text` if it is there.
bool TakePrefix(std::string_view& text, std::string_view word);
inline void TakeSpaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// The bytes of "B", "KB", "MB", "GB", "TB", "KiB", ..., decimal or binary by name; 0 if unknown.
double BytesOfUnit(std::string_view unit);

}  // namespace lockstep::logs
