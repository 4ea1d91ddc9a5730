#include "api/admin/features_handler.h"

#include <map>
#include <string_view>

#include "api/http/reply.h"
#include "query/promql/syntax/functions.h"

namespace lockstep::api {
namespace {

using Features = std::map<std::string_view, bool>;

Features OfApi(const SwitchedFeatures& switched) {
  return {{"admin", switched.admin},
          {"exclude_alerts", true},
          {"label_values_match", true},
          {"lifecycle", switched.lifecycle},
          {"openapi_3.1", true},
          {"openapi_3.2", false},
          {"otlp_write_receiver", switched.takes_writes},
          {"query_stats", true},
          {"query_warnings", true},
          {"remote_write_receiver", switched.takes_writes},
          {"search", true},
          {"search_fuzz_alg_jarowinkler", true},
          {"search_fuzz_alg_subsequence", true},
          {"time_range_labels", true},
          {"time_range_series", true}};
}

Features OfFunctions() {
  Features features;
  for (const promql::FunctionSignature& function : promql::AllFunctions()) {
    features[function.name] = true;
  }
  return features;
}

Features AllOf(std::initializer_list<std::string_view> names) {
  Features features;
  for (const std::string_view name : names) features[name] = true;
  return features;
}

Features OfTemplates() {
  Features features = AllOf({"externalURL",
                             "first",
                             "graphLink",
                             "humanize",
                             "humanize1024",
                             "humanizeDuration",
                             "humanizePercentage",
                             "humanizeTimestamp",
                             "label",
                             "match",
                             "now",
                             "parseDuration",
                             "pathPrefix",
                             "query",
                             "reReplaceAll",
                             "safeHtml",
                             "sortByLabel",
                             "stripDomain",
                             "stripPort",
                             "strvalue",
                             "tableLink",
                             "title",
                             "toLower",
                             "toTime",
                             "toUpper",
                             "value"});
  for (const std::string_view name : {"args", "toDuration", "urlQueryEscape"}) {
    features[name] = false;
  }
  return features;
}

std::map<std::string_view, Features> AllFeatures(const SwitchedFeatures& switched) {
  Features promql = AllOf({"anchored",
                           "at_modifier",
                           "bool",
                           "by",
                           "duration_expr",
                           "delayed_name_removal",
                           "fill",
                           "fill_left",
                           "fill_right",
                           "group_left",
                           "group_right",
                           "ignoring",
                           "negative_offset",
                           "offset",
                           "on",
                           "per_query_lookback_delta",
                           "per_step_stats",
                           "smoothed",
                           "subqueries",
                           "without"});
  promql["type_and_unit_labels"] = false;
  return {
      {"api", OfApi(switched)},
      {"otlp_receiver", {{"delta_conversion", true}, {"native_delta_ingestion", true}}},
      {"prometheus", {{"agent_mode", false}, {"auto_reload_config", false}, {"server_mode", true}}},
      {"promql", std::move(promql)},
      {"promql_functions", OfFunctions()},
      {"promql_operators", AllOf({"!=",
                                  "!~",
                                  "%",
                                  "*",
                                  "+",
                                  "-",
                                  "/",
                                  "<",
                                  "</",
                                  "<=",
                                  "==",
                                  "=~",
                                  ">",
                                  ">/",
                                  ">=",
                                  "@",
                                  "^",
                                  "and",
                                  "atan2",
                                  "avg",
                                  "bottomk",
                                  "count",
                                  "count_values",
                                  "group",
                                  "limit_ratio",
                                  "limitk",
                                  "max",
                                  "min",
                                  "or",
                                  "quantile",
                                  "stddev",
                                  "stdvar",
                                  "sum",
                                  "topk",
                                  "unless"})},
      {"rules",
       {{"concurrent_rule_eval", false}, {"keep_firing_for", true}, {"query_offset", true}}},
      {"scrape",
       {{"extra_scrape_metrics", false},
        {"start_timestamp_zero_ingestion", false},
        {"type_and_unit_labels", false}}},
      {"service_discovery_providers",
       AllOf({"dns", "ec2", "file", "http", "kubernetes", "slurm", "static"})},
      {"templating_functions", OfTemplates()},
      {"tsdb",
       {{"delayed_compaction", false},
        {"exemplar_storage", true},
        {"isolation", true},
        {"native_histograms", true},
        {"st_storage", true}}},
      {"ui", {{"ui_v2", false}, {"ui_v3", false}}},
  };
}

}  // namespace

Response HandleFeatures(const SwitchedFeatures& switched) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    for (const auto& [category, features] : AllFeatures(switched)) {
      json.Key(category);
      json.BeginObject();
      for (const auto& [name, is_there] : features) {
        json.LabelKey(name);
        json.Bool(is_there);
      }
      json.EndObject();
    }
    json.EndObject();
  });
}

}  // namespace lockstep::api
