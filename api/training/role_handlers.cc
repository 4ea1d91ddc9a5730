#include "api/training/role_handlers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/http/reply.h"
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
  json.Field("metric", metric);
  json.Field("factor", name.factor);
  json.Field("stored", NameOfStored(name.stored));
  json.Field("part", name.part);
  json.Field("label", name.label);
  json.Field("label_value", name.label_value);
  json.EndObject();
}

void WriteRole(JsonWriter& json, const RoleInfo& info) {
  json.BeginObject();
  json.Field("role", info.name);
  json.Field("unit", info.unit);
  json.Field("scope", Name(info.scope));
  json.Field("kind", Name(info.kind));
  json.Field("help", info.help);
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
