// Reads values of OTLP's JSON, which is ProtoJSON with IDs in hex. Every getter treats a member
// that is missing, null or of another type as the default. Pure functions.
//
// Source: OpenTelemetry Protocol, "JSON Protobuf Encoding"; Protocol Buffers, "ProtoJSON Format".
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::otlp {

using JsonObject = simdjson::dom::object;
using JsonElement = simdjson::dom::element;

// The text of member `key`, valid as long as the parsed document.
std::string_view JsonText(JsonObject object, std::string_view key);
// Integers are numbers, or strings because JSON numbers are limited to 53 bits.
uint64_t JsonUint64(JsonObject object, std::string_view key);
int64_t JsonInt64(JsonObject object, std::string_view key);
// Numbers, or the strings "NaN", "Infinity", "-Infinity".
std::optional<double> JsonDouble(JsonObject object, std::string_view key);
bool JsonBool(JsonObject object, std::string_view key);
std::optional<JsonObject> JsonMember(JsonObject object, std::string_view key);
// An ID in lower-case hex; "" for zero or invalid IDs.
std::string JsonId(JsonObject object, std::string_view key);

uint64_t Uint64Of(JsonElement element);
std::optional<int64_t> Int64Of(JsonElement element);
std::optional<double> DoubleOf(JsonElement element);

// Calls visit(element) for each element of the list `key`.
template <typename Visit>
void ForEachElement(JsonObject object, std::string_view key, const Visit& visit) {
  simdjson::dom::array array;
  if (object.at_key(key).get(array) != simdjson::SUCCESS) return;
  for (const JsonElement element : array) visit(element);
}
// Calls visit(object) for each object of the list `key`.
template <typename Visit>
void ForEachObject(JsonObject object, std::string_view key, const Visit& visit) {
  ForEachElement(object, key, [&](JsonElement element) {
    JsonObject member;
    if (element.get(member) == simdjson::SUCCESS) visit(member);
  });
}

}  // namespace lockstep::otlp
