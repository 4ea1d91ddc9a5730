#include "api/result_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/float_format.h"
#include "query/engine/kernels/histogram_buckets.h"

namespace lockstep::api {
namespace {

void WriteQuotedValue(JsonWriter& json, double value) {
  std::string& out = json.Raw();
  out += '"';
  AppendSampleValue(out, value);
  out += '"';
}

// [T,"V"] in one go: by far the most of what a result is made of.
void WritePoint(JsonWriter& json, int64_t timestamp_ms, double value) {
  std::string& out = json.Raw();
  out += '[';
  AppendTimestamp(out, timestamp_ms);
  out += ",\"";
  AppendSampleValue(out, value);
  out += "\"]";
}

void WriteHistogram(JsonWriter& json, const Histogram& histogram) {
  json.BeginObject();
  json.Key("count");
  WriteQuotedValue(json, histogram.count);
  json.Key("sum");
  WriteQuotedValue(json, histogram.sum);
  const auto buckets = engine::ListBuckets(histogram);
  if (!buckets.empty()) {
    json.Key("buckets");
    json.BeginArray();
    for (const engine::ListedBucket& bucket : buckets) {
      json.BeginArray();
      json.Number(bucket.boundary_rule);
      WriteQuotedValue(json, bucket.lower);
      WriteQuotedValue(json, bucket.upper);
      WriteQuotedValue(json, bucket.count);
      json.EndArray();
    }
    json.EndArray();
  }
  json.EndObject();
}

void WriteHistogramPoint(JsonWriter& json, int64_t timestamp_ms, const Histogram& histogram) {
  json.BeginArray();
  AppendTimestamp(json.Raw(), timestamp_ms);
  WriteHistogram(json, histogram);
  json.EndArray();
}

void WriteElement(JsonWriter& json, const engine::VectorElement& element) {
  json.BeginObject();
  json.Key("metric");
  WriteLabels(json, element.labels);
  if (element.histogram != nullptr) {
    json.Key("histogram");
    WriteHistogramPoint(json, element.timestamp_ms, *element.histogram);
  } else {
    json.Key("value");
    WritePoint(json, element.timestamp_ms, element.value);
  }
  json.EndObject();
}

void WriteSeries(JsonWriter& json, const engine::MatrixSeries& series) {
  const SampleColumns& samples = series.samples;
  json.BeginObject();
  json.Key("metric");
  WriteLabels(json, series.labels);
  if (!samples.values.empty()) {
    json.Key("values");
    json.BeginArray();
    for (size_t i = 0; i < samples.values.size(); ++i) {
      WritePoint(json, samples.timestamps_ms[i], samples.values[i]);
    }
    json.EndArray();
  }
  if (!samples.histograms.empty()) {
    json.Key("histograms");
    json.BeginArray();
    for (const HistogramSample& sample : samples.histograms) {
      WriteHistogramPoint(json, sample.timestamp_ms, *sample.histogram);
    }
    json.EndArray();
  }
  json.EndObject();
}

size_t PointCount(const engine::VectorElement& /*element*/) { return 1; }
size_t PointCount(const engine::MatrixSeries& series) { return series.samples.size(); }

// Writes an array, in parts if it has very many points.
template <typename Element>
void WriteAll(JsonWriter& json, const std::vector<Element>& elements, TaskPool& pool,
              void (*write)(JsonWriter&, const Element&)) {
  constexpr size_t kPointsOfPart = 8192;
  // As most have; a text that is longer grows.
  constexpr size_t kBytesOfPoint = 34, kBytesOfLabels = 300;
  size_t point_count = 0;
  for (const Element& element : elements) point_count += PointCount(element);
  const size_t part_count = std::max<size_t>(
      1, std::min({point_count / kPointsOfPart, elements.size(), 4 * pool.concurrency()}));
  std::vector<std::string> texts(part_count);
  pool.Run(part_count, [&](size_t part) {
    const size_t begin = elements.size() * part / part_count;
    const size_t end = elements.size() * (part + 1) / part_count;
    size_t points = 0;
    for (size_t i = begin; i < end; ++i) points += PointCount(elements[i]);
    texts[part].reserve(points * kBytesOfPoint + (end - begin) * kBytesOfLabels);
    JsonWriter of_part(texts[part]);
    for (size_t i = begin; i < end; ++i) write(of_part, elements[i]);
  });
  std::string& out = json.Raw();
  size_t byte_count = 2 + part_count;
  for (const std::string& text : texts) byte_count += text.size();
  out.reserve(out.size() + byte_count + kBytesOfLabels);
  out += '[';
  for (size_t part = 0; part < part_count; ++part) {
    if (part > 0) out += ',';
    out += texts[part];
  }
  out += ']';
}

// One overload per alternative of QueryValue.
struct ResultWriter {
  void operator()(const engine::ScalarResult& scalar) const {
    json.BeginArray();
    AppendShortestTimestamp(json.Raw(), scalar.timestamp_ms);
    json.String(FormatPlainValue(scalar.value));
    json.EndArray();
  }
  void operator()(const engine::StringResult& text) const {
    json.BeginArray();
    AppendShortestTimestamp(json.Raw(), text.timestamp_ms);
    json.String(text.value);
    json.EndArray();
  }
  void operator()(const engine::VectorResult& vector) const {
    WriteAll(json, vector, pool, WriteElement);
  }
  void operator()(const engine::MatrixResult& matrix) const {
    WriteAll(json, matrix, pool, WriteSeries);
  }

  JsonWriter& json;
  TaskPool& pool;
};

}  // namespace

std::string_view ResultTypeName(const engine::QueryValue& value) {
  static constexpr std::string_view kNames[] = {"scalar", "string", "vector", "matrix"};
  return kNames[value.index()];
}

void WriteResult(JsonWriter& json, const engine::QueryValue& value, TaskPool& pool) {
  std::visit(ResultWriter{json, pool}, value);
}

void WriteLabels(JsonWriter& json, const LabelSet& labels) {
  json.BeginObject();
  for (const LabelView& label : labels) {
    json.LabelKey(label.name);
    json.Label(label.value);
  }
  json.EndObject();
}

}  // namespace lockstep::api
