// The lines of the small text files that describe a folder: "name value". Pure functions.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"

namespace lockstep {

// The name of the line with the lowest version that can read the file.
inline constexpr std::string_view kReaderLine = "read by lockstep";

// Consumes the first line of `text` if it consists of `name`, a blank, and a value.
[[nodiscard]] inline bool ConsumeLine(std::string_view& text, std::string_view name,
                                      std::string_view& value) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(name)) return false;
  const std::string_view rest = text.substr(name.size(), end - name.size());
  if (!rest.starts_with(' ')) return false;
  value = rest.substr(1);
  text.remove_prefix(end + 1);
  return true;
}

// Parses all of `text` as a decimal number.
[[nodiscard]] bool ReadNumber(std::string_view text, std::integral auto& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

[[nodiscard]] bool ConsumeNumber(std::string_view& text, std::string_view name,
                                 std::integral auto& number) {
  std::string_view value;
  return ConsumeLine(text, name, value) && ReadNumber(value, number);
}

// The line at the end of a file: the CRC-32C of all lines before it.
inline std::string ChecksumLine(std::string_view text) {
  return absl::StrFormat("checksum %08x\n", Crc32c(text));
}

// Whether `rest`, the end of `whole`, is exactly the checksum line of the text before it.
[[nodiscard]] inline bool IsChecksumOf(std::string_view whole, std::string_view rest) {
  return rest == ChecksumLine(whole.substr(0, whole.size() - rest.size()));
}

}  // namespace lockstep
