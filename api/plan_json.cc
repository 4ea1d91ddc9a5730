#include "api/plan_json.h"

namespace lockstep::api {
namespace {

void WriteSelector(JsonWriter& json, const engine::SelectorCost& selector) {
  json.Key("matchers");
  json.BeginArray();
  for (const std::string& matcher : selector.matchers) json.String(matcher);
  json.EndArray();
  json.Key("series");
  json.Number(selector.series_count);
  json.Key("samples");
  json.Number(selector.sample_count);
  json.Key("samplesInRollups");
  json.Number(selector.left_out_count);
  json.Key("readSeconds");
  json.Number(selector.read_seconds);
}

}  // namespace

void WritePlan(JsonWriter& json, const engine::PlanNode& node) {
  json.BeginObject();
  json.Key("kind");
  json.String(node.kind);
  json.Key("text");
  json.String(node.text);
  json.Key("seconds");
  json.Number(node.seconds);
  json.Key("ownSeconds");
  json.Number(node.own_seconds);
  if (node.selector) WriteSelector(json, *node.selector);
  json.Key("children");
  json.BeginArray();
  for (const engine::PlanNode& child : node.children) WritePlan(json, child);
  json.EndArray();
  json.EndObject();
}

}  // namespace lockstep::api
