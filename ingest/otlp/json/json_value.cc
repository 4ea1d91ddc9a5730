#include "ingest/otlp/json/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lockstep::otlp {
namespace {

using simdjson::SUCCESS;

std::optional<JsonElement> Member(JsonObject object, std::string_view key) {
  JsonElement element;
  if (object.at_key(key).get(element) != SUCCESS) return std::nullopt;
  return element;
}

template <typename Number>
std::optional<Number> NumberIn(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

bool IsHex(char c) {
  return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f') || ('A' <= c && c <= 'F');
}

char LowerCase(char c) { return 'A' <= c && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

uint64_t Uint64Of(JsonElement element) {
  uint64_t number = 0;
  if (element.get(number) == SUCCESS) return number;
  std::string_view text;
  if (element.get(text) == SUCCESS) return NumberIn<uint64_t>(text).value_or(0);
  return 0;
}

std::optional<int64_t> Int64Of(JsonElement element) {
  int64_t number = 0;
  if (element.get(number) == SUCCESS) return number;
  std::string_view text;
  if (element.get(text) == SUCCESS) return NumberIn<int64_t>(text);
  return std::nullopt;
}

std::optional<double> DoubleOf(JsonElement element) {
  double number = 0;
  if (element.get(number) == SUCCESS) return number;
  std::string_view text;
  if (element.get(text) != SUCCESS) return std::nullopt;
  // Also "NaN", "Infinity" and "-Infinity".
  return NumberIn<double>(text);
}

std::string_view JsonText(JsonObject object, std::string_view key) {
  std::string_view text;
  if (object.at_key(key).get(text) != SUCCESS) return {};
  return text;
}

uint64_t JsonUint64(JsonObject object, std::string_view key) {
  const auto element = Member(object, key);
  return element.has_value() ? Uint64Of(*element) : 0;
}

int64_t JsonInt64(JsonObject object, std::string_view key) {
  const auto element = Member(object, key);
  return element.has_value() ? Int64Of(*element).value_or(0) : 0;
}

std::optional<double> JsonDouble(JsonObject object, std::string_view key) {
  const auto element = Member(object, key);
  return element.has_value() ? DoubleOf(*element) : std::nullopt;
}

bool JsonBool(JsonObject object, std::string_view key) {
  bool value = false;
  return object.at_key(key).get(value) == SUCCESS && value;
}

std::optional<JsonObject> JsonMember(JsonObject object, std::string_view key) {
  JsonObject member;
  if (object.at_key(key).get(member) != SUCCESS) return std::nullopt;
  return member;
}

std::string JsonId(JsonObject object, std::string_view key) {
  std::string id(JsonText(object, key));
  const bool is_id = id.size() % 2 == 0 && std::ranges::all_of(id, IsHex) &&
                     id.find_first_not_of('0') != std::string::npos;
  if (!is_id) return "";
  std::ranges::transform(id, id.begin(), LowerCase);
  return id;
}

}  // namespace lockstep::otlp
