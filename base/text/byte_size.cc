#include "base/text/byte_size.h"

#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

// The number of bits by which the unit shifts; -1 if it is not a unit.
int ShiftOf(std::string_view unit) {
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  int shift = 0;
  for (const std::string_view known : kUnits) {
    if (unit == known) return shift;
    shift += 10;
  }
  return -1;
}

}  // namespace

absl::StatusOr<uint64_t> ParseByteSize(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const int shift = number == 0 && unit.empty() ? 0 : ShiftOf(unit);
  if (error != std::errc() || shift < 0 || number << shift >> shift != number) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is not a size like 512MB, 50GB or 2TB (1KB is 1024B), or 0", text));
  }
  return number << shift;
}

}  // namespace lockstep
