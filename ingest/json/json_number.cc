#include "ingest/json/json_number.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace lockstep::json {
namespace {

template <typename Number>
std::optional<Number> Read(simdjson::ondemand::value value) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS ||
      type != simdjson::ondemand::json_type::number) {
    return std::nullopt;
  }
  // The token includes trailing blanks.
  std::string_view token = value.raw_json_token();
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  Number number{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> ReadDouble(simdjson::ondemand::value value) {
  const auto number = Read<double>(value);
  if (!number.has_value() || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<int64_t> ReadInteger(simdjson::ondemand::value value) { return Read<int64_t>(value); }

}  // namespace lockstep::json
