#include "ingest/otlp/json/json_attributes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/otlp/points/value_text.h"

namespace lockstep::otlp {
namespace {

std::string JsonOfAnyValue(std::optional<JsonObject> any_value, int depth);

std::string JsonOfArrayValue(JsonObject array_value, int depth) {
  if (depth == 0) return "null";
  std::vector<std::string> values;
  ForEachObject(array_value, "values",
                [&](JsonObject value) { values.push_back(JsonOfAnyValue(value, depth - 1)); });
  return ListText(values);
}

std::string JsonOfKeyValues(JsonObject list, int depth) {
  if (depth == 0) return "null";
  std::vector<std::pair<std::string_view, std::string>> values;
  ForEachObject(list, "values", [&](JsonObject one) {
    values.emplace_back(JsonText(one, "key"), JsonOfAnyValue(JsonMember(one, "value"), depth - 1));
  });
  return MapText(std::move(values));
}

// The text of a number, list or map; "" for anything else.
std::string TextOfAnyValue(JsonObject any_value, int depth) {
  bool truth = false;
  if (any_value.at_key("boolValue").get(truth) == simdjson::SUCCESS) {
    return truth ? "true" : "false";
  }
  JsonElement element;
  if (any_value.at_key("intValue").get(element) == simdjson::SUCCESS) {
    return std::to_string(Int64Of(element).value_or(0));
  }
  if (const auto number = JsonDouble(any_value, "doubleValue")) return DoubleText(*number);
  if (const auto list = JsonMember(any_value, "arrayValue")) {
    return JsonOfArrayValue(*list, depth);
  }
  if (const auto list = JsonMember(any_value, "kvlistValue")) {
    return JsonOfKeyValues(*list, depth);
  }
  return "";
}

std::string JsonOfAnyValue(std::optional<JsonObject> any_value, int depth) {
  if (!any_value.has_value()) return "null";
  // Bytes are already base64 in JSON.
  for (const std::string_view key : {"stringValue", "bytesValue"}) {
    std::string_view text;
    if (any_value->at_key(key).get(text) == simdjson::SUCCESS) return QuotedText(text);
  }
  std::string text = TextOfAnyValue(*any_value, depth);
  return text.empty() ? "null" : text;
}

}  // namespace

void ReadJsonAttributes(JsonObject object, std::string_view key, Attributes& attributes) {
  ForEachObject(object, key, [&](JsonObject attribute) {
    const std::string_view name = JsonText(attribute, "key");
    const auto value = JsonMember(attribute, "value");
    if (!value.has_value()) return attributes.Add(name, "");
    std::string made = TextOfAnyValue(*value, kMaxValueDepth);
    if (!made.empty()) return attributes.AddMade(name, std::move(made));
    const std::string_view text = JsonText(*value, "stringValue");
    attributes.Add(name, text.empty() ? JsonText(*value, "bytesValue") : text);
  });
}

}  // namespace lockstep::otlp
