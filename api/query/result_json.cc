#include "api/query/result_json.h"

#include <span>
#include <string>
#include <vector>

#include "api/query/point_text.h"
#include "base/text/float_format.h"
#include "query/engine/kernels/histograms/histogram_buckets.h"

namespace lockstep::api {
namespace {

void WriteQuotedValue(JsonWriter& json, double value) {
  std::string& out = json.Raw();
  out += '"';
  AppendSampleValue(out, value);
  out += '"';
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

// Writes elements one after another.
class ElementWriter {
 public:
  explicit ElementWriter(std::string& out) : json_(out) {}

  void Write(const engine::VectorElement& element) {
    Begin(element.labels);
    if (element.histogram != nullptr) {
      json_.Key("histogram");
      WriteHistogramPoint(json_, element.timestamp_ms, *element.histogram);
    } else {
      json_.Key("value");
      points_.Append({&element.timestamp_ms, 1}, {&element.value, 1}, json_.Raw());
    }
    json_.EndObject();
  }

  void Write(const engine::MatrixSeries& series) {
    const SampleColumns& samples = series.samples;
    Begin(series.labels);
    if (!samples.values.empty()) {
      json_.Key("values");
      json_.BeginArray();
      points_.Append(samples.timestamps_ms, samples.values, json_.Raw());
      json_.EndArray();
    }
    if (!samples.histograms.empty()) {
      json_.Key("histograms");
      json_.BeginArray();
      for (const HistogramSample& sample : samples.histograms) {
        WriteHistogramPoint(json_, sample.timestamp_ms, *sample.histogram);
      }
      json_.EndArray();
    }
    json_.EndObject();
  }

 private:
  void Begin(const LabelSet& labels) {
    json_.BeginObject();
    json_.Key("metric");
    WriteLabels(json_, labels);
  }

  JsonWriter json_;
  PointText points_;
};

size_t PointCount(const engine::VectorElement& /*element*/) { return 1; }
size_t PointCount(const engine::MatrixSeries& series) { return series.samples.size(); }

// Typical sizes; longer texts make the buffer grow.
constexpr size_t kBytesOfPoint = 34, kBytesOfLabels = 300;
// The amount that one thread writes at a time.
constexpr size_t kPointsOfTask = 4096;

// Comma-separated elements, and their number of points.
template <typename Element>
struct Portion {
  std::span<const Element> elements;
  size_t point_count = 0;
};

// The leading elements, at least one, that together have about this many points.
template <typename Element>
Portion<Element> TakePortion(std::span<const Element> elements, size_t point_count) {
  Portion<Element> portion;
  size_t count = 0;
  while (count < elements.size() && portion.point_count < point_count) {
    portion.point_count += PointCount(elements[count++]);
  }
  portion.elements = elements.first(count);
  return portion;
}

template <typename Element>
void WritePortion(const Portion<Element>& portion, std::string& out) {
  out.reserve(out.size() + portion.point_count * kBytesOfPoint +
              portion.elements.size() * kBytesOfLabels);
  ElementWriter writer(out);
  for (const Element& element : portion.elements) writer.Write(element);
}

template <typename Element>
size_t WriteSome(std::span<const Element> elements, TaskPool& pool, std::string& out) {
  std::vector<Portion<Element>> portions;
  size_t count = 0;
  while (portions.size() < 2 * pool.concurrency() && count < elements.size()) {
    portions.push_back(TakePortion(elements.subspan(count), kPointsOfTask));
    count += portions.back().elements.size();
  }
  if (portions.size() == 1) {
    WritePortion(portions.front(), out);
    return count;
  }
  std::vector<std::string> texts(portions.size());
  pool.Run(portions.size(), [&](size_t i) { WritePortion(portions[i], texts[i]); });
  size_t byte_count = out.size() + portions.size();
  for (const std::string& text : texts) byte_count += text.size();
  out.reserve(byte_count);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ',';
    out += texts[i];
  }
  return count;
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
  void operator()(const auto& elements) const {
    json.BeginArray();
    for (size_t next = 0; next < elements.size();) {
      next = WriteElements(value, next, pool, json.Raw());
    }
    json.EndArray();
  }

  JsonWriter& json;
  const engine::QueryValue& value;
  TaskPool& pool;
};

}  // namespace

std::string_view ResultTypeName(const engine::QueryValue& value) {
  static constexpr std::string_view kNames[] = {"scalar", "string", "vector", "matrix"};
  return kNames[value.index()];
}

void WriteResult(JsonWriter& json, const engine::QueryValue& value, TaskPool& pool) {
  std::visit(ResultWriter{json, value, pool}, value);
}

bool IsLongResult(const engine::QueryValue& value) {
  constexpr size_t kLongPointCount = 4 * kPointsOfTask;
  size_t point_count = 0;
  if (const auto* matrix = std::get_if<engine::MatrixResult>(&value)) {
    for (const engine::MatrixSeries& series : *matrix) point_count += PointCount(series);
  } else if (const auto* vector = std::get_if<engine::VectorResult>(&value)) {
    point_count = vector->size();
  }
  return point_count > kLongPointCount;
}

size_t WriteElements(const engine::QueryValue& value, size_t begin, TaskPool& pool,
                     std::string& out) {
  if (const auto* vector = std::get_if<engine::VectorResult>(&value)) {
    return begin + WriteSome(std::span(*vector).subspan(begin), pool, out);
  }
  const auto& matrix = std::get<engine::MatrixResult>(value);
  return begin + WriteSome(std::span(matrix).subspan(begin), pool, out);
}

size_t ElementCount(const engine::QueryValue& value) {
  if (const auto* vector = std::get_if<engine::VectorResult>(&value)) return vector->size();
  if (const auto* matrix = std::get_if<engine::MatrixResult>(&value)) return matrix->size();
  return 1;
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
