// Numbers as logs write them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::logs {

constexpr bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

// Drops spaces and tabs at both ends.
std::string_view Trim(std::string_view text);

// A whole text that is a number: "1.5e-06", "+3", "nan", "-inf", "Infinity", and "6,198" with commas
// between groups of three digits.
std::optional<double> NumberOf(std::string_view text);
std::optional<int64_t> IntegerOf(std::string_view text);

// The number in front of `text`, which then begins behind it: "47.36GiB(59.75%)" leaves "GiB(59.75%)".
// Takes nothing and returns nothing if there is none.
std::optional<double> TakeNumber(std::string_view& text);
std::optional<int64_t> TakeInteger(std::string_view& text);
// As TakeNumber(), of what JSON takes for a number, at whose first digit or '-' `text` begins. A number that JSON
// writes otherwise, or that no double holds, is none. For those that TakeShortNumber() leaves.
std::optional<double> TakeJsonNumber(std::string_view& text);

// Ranks are at least 0 and have at most seven digits.
std::optional<int32_t> RankOf(std::string_view text);
std::optional<int32_t> TakeRank(std::string_view& text);

// Takes `word` if `text` begins with it.
bool TakePrefix(std::string_view& text, std::string_view word);
inline void TakeSpaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// Of "B", "KB", "MB", "GB", "TB", "KiB", ..., decimal and binary as they are named; 0 for another text.
double BytesOfUnit(std::string_view unit);

}  // namespace lockstep::logs
