#include "server/metrics/self_metrics_json.h"

#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"
#include "api/http/reply.h"
#include "base/regex/regex.h"

namespace lockstep::server {
namespace {

using api::JsonWriter;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

// Values that JSON cannot represent as numbers become text.
void WriteNumber(JsonWriter& json, std::string_view key, double number) {
  json.Key(key);
  if (std::isnan(number)) return json.String("NaN");
  if (std::isinf(number)) return json.String(number > 0 ? "Infinity" : "-Infinity");
  json.Number(number);
}

// 64-bit numbers are text in this format.
void WriteCount(JsonWriter& json, std::string_view key, uint64_t count) {
  json.Field(key, std::to_string(count));
}

std::string_view TypeOf(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "COUNTER";
    case MetricType::Gauge:
      return "GAUGE";
    case MetricType::Histogram:
      return "HISTOGRAM";
    default:
      return "UNTYPED";
  }
}

void WriteHistogram(JsonWriter& json, const ClientMetric::Histogram& histogram) {
  WriteCount(json, "sampleCount", histogram.sample_count);
  WriteNumber(json, "sampleSum", histogram.sample_sum);
  json.Key("bucket");
  json.BeginArray();
  for (const ClientMetric::Bucket& bucket : histogram.bucket) {
    // The last bucket equals the total count.
    if (std::isinf(bucket.upper_bound)) continue;
    json.BeginObject();
    WriteCount(json, "cumulativeCount", bucket.cumulative_count);
    WriteNumber(json, "upperBound", bucket.upper_bound);
    json.EndObject();
  }
  json.EndArray();
}

void WriteMetric(JsonWriter& json, MetricType type, const ClientMetric& metric) {
  json.BeginObject();
  if (!metric.label.empty()) {
    json.Key("label");
    json.BeginArray();
    for (const ClientMetric::Label& label : metric.label) {
      json.BeginObject();
      json.Field("name", label.name);
      json.Field("value", label.value);
      json.EndObject();
    }
    json.EndArray();
  }
  const bool is_histogram = type == MetricType::Histogram;
  const bool is_counter = type == MetricType::Counter;
  json.Key(is_histogram ? "histogram" : is_counter ? "counter" : "gauge");
  json.BeginObject();
  if (is_histogram) {
    WriteHistogram(json, metric.histogram);
  } else {
    WriteNumber(json, "value", is_counter ? metric.counter.value : metric.gauge.value);
  }
  json.EndObject();
  json.EndObject();
}

void WriteFamily(JsonWriter& json, const MetricFamily& family) {
  json.BeginObject();
  json.Field("name", family.name);
  json.Field("help", family.help);
  json.Field("type", TypeOf(family.type));
  json.Key("metric");
  json.BeginArray();
  for (const ClientMetric& metric : family.metric) WriteMetric(json, family.type, metric);
  json.EndArray();
  json.EndObject();
}

}  // namespace

api::Response AnswerAsJson(const api::Request& request, const std::vector<MetricFamily>& families) {
  const api::Form form = api::Form::Of(request);
  std::optional<Regex> pattern;
  if (const std::string_view text = form.Get("metric_name_pattern"); !text.empty()) {
    absl::StatusOr<Regex> compiled = Regex::Compile(
        absl::StrFormat("^(?:%s)$", text), Regex::Dot::kExcludesNewline, Regex::kMaxBytesOfRequest);
    if (!compiled.ok()) {
      return api::ErrorReply(
          api::ErrorType::kBadData,
          absl::StrFormat("invalid metric_name_pattern: error parsing regexp: %s",
                          Message(compiled.status())));
    }
    pattern = *std::move(compiled);
  }
  return api::SuccessReply([&](JsonWriter& json) {
    json.BeginArray();
    for (const MetricFamily& family : families) {
      if (!pattern || pattern->FullMatch(family.name)) WriteFamily(json, family);
    }
    json.EndArray();
  });
}

}  // namespace lockstep::server
