#include <protozero/pbf_writer.hpp>

#include "base/coding.h"
#include "export/exposition.h"

namespace lockstep {
namespace {

// Values of io.prometheus.client.MetricType.
constexpr int32_t kUntyped = 3;
constexpr int32_t kHistogram = 4;
constexpr int32_t kGaugeHistogram = 5;

int32_t TypeOf(const ExposedSample& sample) {
  if (sample.histogram == nullptr) return kUntyped;
  return sample.histogram->reset_hint == CounterResetHint::kGauge ? kGaugeHistogram : kHistogram;
}

void PutLabel(protozero::pbf_writer& metric, std::string_view name, std::string_view value) {
  protozero::pbf_writer writer(metric, 1);
  writer.add_string(1, name.data(), name.size());
  writer.add_string(2, value.data(), value.size());
}

void PutSpans(protozero::pbf_writer& message, uint32_t tag, const std::vector<BucketSpan>& spans) {
  for (const BucketSpan& span : spans) {
    protozero::pbf_writer writer(message, tag);
    writer.add_sint32(1, span.offset);
    writer.add_uint32(2, span.length);
  }
}

void PutHistogram(protozero::pbf_writer& metric, const Histogram& h) {
  protozero::pbf_writer message(metric, 7);
  message.add_double(2, h.sum);
  message.add_double(4, h.count);
  message.add_sint32(5, h.schema);
  message.add_double(6, h.zero_threshold);
  message.add_double(8, h.zero_count);
  PutSpans(message, 9, h.negative_spans);
  for (const double count : h.negative_counts) message.add_double(11, count);
  PutSpans(message, 12, h.positive_spans);
  for (const double count : h.positive_counts) message.add_double(14, count);
}

void PutMetric(protozero::pbf_writer& family, const ExposedSample& sample, NameEscaping escaping) {
  protozero::pbf_writer metric(family, 4);
  for (const LabelView& label : sample.labels) {
    if (label.name != kMetricName) PutLabel(metric, EscapeName(label.name, escaping), label.value);
  }
  if (!sample.labels.Has("instance")) PutLabel(metric, "instance", "");
  if (sample.histogram == nullptr) {
    protozero::pbf_writer untyped(metric, 5);
    untyped.add_double(1, sample.value);
  }
  metric.add_int64(6, sample.timestamp_ms);
  if (sample.histogram != nullptr) PutHistogram(metric, *sample.histogram);
}

}  // namespace

std::string ProtobufOfFamily(NameEscaping escaping, std::span<const ExposedSample> family) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, EscapeName(family.front().labels.metric_name(), escaping));
  writer.add_enum(3, TypeOf(family.front()));
  for (const ExposedSample& sample : family) PutMetric(writer, sample, escaping);
  std::string delimited;
  PutLengthPrefixed(delimited, message);
  return delimited;
}

}  // namespace lockstep
