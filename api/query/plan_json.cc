#include "api/query/plan_json.h"

namespace lockstep::api {
namespace {

void WriteSelector(JsonWriter& json, const engine::SelectorCost& selector) {
  json.Field("matchers", selector.matchers);
  json.Field("series", selector.series_count);
  json.Field("samples", selector.sample_count);
  json.Field("samplesInRollups", selector.left_out_count);
  json.Field("readSeconds", selector.read_seconds);
}

}  // namespace

void WritePlan(JsonWriter& json, const engine::PlanNode& node) {
  json.BeginObject();
  json.Field("kind", node.kind);
  json.Field("text", node.text);
  json.Field("seconds", node.seconds);
  json.Field("ownSeconds", node.own_seconds);
  if (node.selector) WriteSelector(json, *node.selector);
  json.Key("children");
  json.BeginArray();
  for (const engine::PlanNode& child : node.children) WritePlan(json, child);
  json.EndArray();
  json.EndObject();
}

}  // namespace lockstep::api
