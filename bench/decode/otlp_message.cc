#include "bench/decode/otlp_message.h"

#include <map>
#include <protozero/pbf_writer.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"

namespace lockstep {
namespace {

constexpr uint64_t kNsPerMs = 1'000'000;

using ByMetric = std::map<std::string_view, std::vector<const SeriesWrite*>>;
using Target = std::pair<std::string_view, std::string_view>;  // job, instance

std::map<Target, ByMetric> Grouped(const WriteRequest& request) {
  std::map<Target, ByMetric> groups;
  for (const SeriesWrite& series : request.series) {
    const Target target{series.labels.Get("job"), series.labels.Get("instance")};
    groups[target][series.labels.metric_name()].push_back(&series);
  }
  return groups;
}

std::vector<LabelView> AttributesOf(const LabelSet& labels) {
  std::vector<LabelView> attributes;
  for (const LabelView& label : labels) {
    if (label.name == kMetricName || label.name == "job" || label.name == "instance") continue;
    attributes.push_back(label);
  }
  return attributes;
}

std::vector<LabelView> AttributesOf(const Target& target) {
  return {{"service.name", target.first}, {"service.instance.id", target.second}};
}

void PutText(protozero::pbf_writer& writer, uint32_t tag, std::string_view text) {
  writer.add_bytes(tag, text.data(), text.size());
}

void PutAttributes(protozero::pbf_writer& writer, uint32_t tag,
                   const std::vector<LabelView>& attributes) {
  for (const LabelView& attribute : attributes) {
    protozero::pbf_writer key_value(writer, tag);
    PutText(key_value, 1, attribute.name);
    protozero::pbf_writer value(key_value, 2);
    PutText(value, 1, attribute.value);
  }
}

void PutMetric(protozero::pbf_writer& scope_metrics, std::string_view name,
               const std::vector<const SeriesWrite*>& all) {
  protozero::pbf_writer metric(scope_metrics, 2);
  PutText(metric, 1, name);
  protozero::pbf_writer gauge(metric, 5);
  for (const SeriesWrite* series : all) {
    const Sample& sample = series->samples.at(0);
    protozero::pbf_writer point(gauge, 1);
    point.add_fixed64(3, static_cast<uint64_t>(sample.timestamp_ms) * kNsPerMs);
    point.add_double(4, sample.value);
    PutAttributes(point, 7, AttributesOf(series->labels));
  }
}

std::string JsonAttributes(const std::vector<LabelView>& attributes) {
  std::string text;
  for (const LabelView& attribute : attributes) {
    absl::StrAppendFormat(&text, R"(%s{"key":"%s","value":{"stringValue":"%s"}})",
                          text.empty() ? "" : ",", attribute.name, attribute.value);
  }
  return "[" + text + "]";
}

std::string JsonMetric(std::string_view name, const std::vector<const SeriesWrite*>& all) {
  std::string points;
  for (const SeriesWrite* series : all) {
    const Sample& sample = series->samples.at(0);
    absl::StrAppendFormat(&points, R"(%s{"attributes":%s,"timeUnixNano":"%d","asDouble":%s})",
                          points.empty() ? "" : ",", JsonAttributes(AttributesOf(series->labels)),
                          static_cast<uint64_t>(sample.timestamp_ms) * kNsPerMs,
                          FormatSampleValue(sample.value));
  }
  return absl::StrFormat(R"({"name":"%s","gauge":{"dataPoints":[%s]}})", name, points);
}

}  // namespace

std::string OtlpProtobuf(const WriteRequest& request) {
  std::string message;
  protozero::pbf_writer writer(message);
  for (const auto& [target, metrics] : Grouped(request)) {
    protozero::pbf_writer resource_metrics(writer, 1);
    {
      protozero::pbf_writer resource(resource_metrics, 1);
      PutAttributes(resource, 1, AttributesOf(target));
    }
    protozero::pbf_writer scope_metrics(resource_metrics, 2);
    for (const auto& [name, all] : metrics) PutMetric(scope_metrics, name, all);
  }
  return message;
}

std::string OtlpJson(const WriteRequest& request) {
  std::string resources;
  for (const auto& [target, metrics] : Grouped(request)) {
    std::string all_metrics;
    for (const auto& [name, all] : metrics) {
      if (!all_metrics.empty()) all_metrics += ',';
      all_metrics += JsonMetric(name, all);
    }
    absl::StrAppendFormat(
        &resources, R"(%s{"resource":{"attributes":%s},"scopeMetrics":[{"metrics":[%s]}]})",
        resources.empty() ? "" : ",", JsonAttributes(AttributesOf(target)), all_metrics);
  }
  return "{\"resourceMetrics\":[" + resources + "]}";
}

}  // namespace lockstep
