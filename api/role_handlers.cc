#include "api/role_handlers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/reply.h"
#include "api/training_json.h"
#include "catalogue/metric_names.h"

namespace lockstep::api {
namespace {

using catalogue::NameRole;
using catalogue::RoleInfo;

std::string_view NameOfStored(catalogue::Stored stored) {
  switch (stored) {
    case catalogue::Stored::kCounter:
      return "counter";
    case catalogue::Stored::kEither:
      return "gauge_or_counter";
    case catalogue::Stored::kPercentOrRatio:
      return "percent_or_ratio";
    case catalogue::Stored::kGauge:
      break;
  }
  return "gauge";
}

void WriteName(JsonWriter& json, const NameRole& name, std::string_view metric) {
  json.BeginObject();
  WriteTextField(json, "metric", metric);
  WriteNumberField(json, "factor", name.factor);
  WriteTextField(json, "stored", NameOfStored(name.stored));
  WriteTextField(json, "part", name.part);
  WriteTextField(json, "label", name.label);
  WriteTextField(json, "label_value", name.label_value);
  json.EndObject();
}

void WriteRole(JsonWriter& json, const RoleInfo& info) {
  json.BeginObject();
  WriteTextField(json, "role", info.name);
  WriteTextField(json, "unit", info.unit);
  WriteTextField(json, "scope", Name(info.scope));
  WriteTextField(json, "kind", Name(info.kind));
  WriteTextField(json, "help", info.help);
  json.Key("names");
  json.BeginArray();
  for (const std::string_view metric : catalogue::NamesOf(info.role)) {
    for (const NameRole& name : catalogue::RolesOfName(metric)) {
      if (name.role == info.role) WriteName(json, name, metric);
    }
  }
  json.EndArray();
  json.EndObject();
}

bool MayHave(const RoleInfo& info, std::string_view metric) {
  return std::ranges::any_of(catalogue::RolesOfName(metric),
                             [&](const NameRole& name) { return name.role == info.role; });
}

}  // namespace

Response HandleRoles(const Call& call) {
  const std::string_view metric = call.form.Get("metric");
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("roles");
    json.BeginArray();
    for (const RoleInfo& info : catalogue::AllRoles()) {
      if (metric.empty() || MayHave(info, metric)) WriteRole(json, info);
    }
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace lockstep::api
