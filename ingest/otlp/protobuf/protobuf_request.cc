#include "ingest/otlp/protobuf/protobuf_request.h"

#include <array>
#include <initializer_list>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <utility>
#include <vector>

#include "ingest/otlp/points/metric_points.h"
#include "ingest/otlp/protobuf/known_points.h"
#include "ingest/otlp/protobuf/plain_points.h"
#include "ingest/otlp/protobuf/protobuf_attributes.h"
#include "ingest/otlp/protobuf/protobuf_points.h"

namespace lockstep::otlp {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// Calls visit(message) for each message in field `tag`.
template <typename Visit>
void ForEachMessage(std::string_view message, uint32_t tag, const Visit& visit) {
  protozero::pbf_reader reader(message);
  while (reader.next(tag, pbf_wire_type::length_delimited)) visit(reader.get_view());
}

Attributes ReadResource(std::string_view resource_metrics) {
  Attributes attributes;
  ForEachMessage(resource_metrics, 1, [&](std::string_view resource) {
    ForEachMessage(resource, 1,
                   [&](std::string_view attribute) { ReadAttribute(attribute, attributes); });
  });
  return attributes;
}

void ReadScopeMessage(std::string_view message, Scope& scope) {
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        scope.name = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        scope.version = reader.get_view();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        ReadAttribute(reader.get_view(), scope.attributes);
        break;
      default:
        reader.skip();
    }
  }
}

Scope ReadScope(std::string_view scope_metrics) {
  Scope scope;
  ForEachMessage(scope_metrics, 1, [&](std::string_view it) { ReadScopeMessage(it, scope); });
  ForEachMessage(scope_metrics, 3, [&](std::string_view url) { scope.schema_url = url; });
  return scope;
}

std::optional<MetricKind> KindOf(uint32_t tag) {
  switch (tag) {
    case 5:
      return MetricKind::kGauge;
    case 7:
      return MetricKind::kSum;
    case 9:
      return MetricKind::kHistogram;
    case 10:
      return MetricKind::kExponentialHistogram;
    case 11:
      return MetricKind::kSummary;
    default:
      return std::nullopt;
  }
}

// Reads a metric's temporality and monotonicity.
void ReadDataFields(std::string_view data, MetricHeader& header) {
  if (header.kind == MetricKind::kGauge || header.kind == MetricKind::kSummary) return;
  protozero::pbf_reader reader(data);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(2, pbf_wire_type::varint):
        header.temporality = static_cast<Temporality>(reader.get_enum());
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        // get_bool() reads a byte without checking that there is one.
        header.is_monotonic = reader.get_uint64() != 0;
        break;
      default:
        reader.skip();
    }
  }
}

struct MetricMessage {
  MetricHeader header;
  std::optional<std::string_view> data;  // nothing if the metric's kind is unknown
};

MetricMessage ReadMetricMessage(std::string_view message) {
  MetricMessage read;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (reader.wire_type() != pbf_wire_type::length_delimited) {
      reader.skip();
      continue;
    }
    const uint32_t tag = reader.tag();
    const std::string_view field = reader.get_view();
    if (tag == 1) read.header.name = field;
    if (tag == 2) read.header.description = field;
    if (tag == 3) read.header.unit = field;
    if (const auto kind = KindOf(tag)) {
      read.header.kind = *kind;
      read.data = field;
    }
  }
  if (read.data.has_value()) ReadDataFields(*read.data, read.header);
  return read;
}

class RequestReader {
 public:
  RequestReader(const Translation& translation, SpellingUse use, Translator& translator)
      : translation_(translation), use_(use), translator_(translator) {}

  void ReadResourceMetrics(std::string_view message) {
    resource_metrics_ = message;
    resource_is_open_ = scope_is_open_ = false;
    resource_spelling_ = SpellingOfFields(message, {1});
    ForEachMessage(message, 2, [this](std::string_view it) { ReadScopeMetrics(it); });
    EndResource();
  }

 private:
  void ReadScopeMetrics(std::string_view message) {
    scope_metrics_ = message;
    scope_is_open_ = false;
    scope_spelling_ = SpellingOf(resource_spelling_, SpellingOfFields(message, {1, 3}));
    ForEachMessage(message, 2, [this](std::string_view it) { ReadMetric(it); });
  }

  void ReadMetric(std::string_view message) {
    const MetricMessage metric = ReadMetricMessage(message);
    if (!metric.data.has_value()) return;
    header_ = metric.header;
    metric_is_open_ = false;
    may_be_known_ = use_.keys != nullptr && MayBeKnown();
    if (may_be_known_) metric_spelling_ = SpellingOf(scope_spelling_, SpellingOfHeader());
    ForEachMessage(*metric.data, 1, [this](std::string_view point) { ReadPoint(point); });
    TakeWaiting();
  }

  // Deltas that are added up need translation: their series may be known, but not their totals.
  bool MayBeKnown() const {
    const bool is_histogram = header_.kind == MetricKind::kHistogram &&
                              translation_.histograms == HistogramForm::kClassic;
    if (header_.kind == MetricKind::kGauge) return true;
    return (header_.kind == MetricKind::kSum || is_histogram) &&
           (header_.temporality != Temporality::kDelta ||
            translation_.deltas == DeltaPolicy::kKeep);
  }

  // The spelling of the messages in these fields, in order.
  Spelling SpellingOfFields(std::string_view message, std::initializer_list<uint32_t> tags) {
    Spelling spelling;
    if (use_.keys == nullptr) return spelling;
    for (const uint32_t tag : tags) {
      ForEachMessage(message, tag, [&](std::string_view field) {
        spelling = SpellingOf(spelling, SpellingOf(field));
      });
      spelling.low += tag;
    }
    return spelling;
  }

  // The spelling of everything a metric says about itself.
  Spelling SpellingOfHeader() {
    Spelling spelling{static_cast<uint64_t>(header_.kind) << 1 | (header_.is_monotonic ? 1 : 0),
                      static_cast<uint64_t>(header_.temporality)};
    for (const std::string_view text : {header_.name, header_.unit, header_.description}) {
      spelling = SpellingOf(spelling, text.empty() ? Spelling() : SpellingOf(text));
    }
    return spelling;
  }

  void ReadPoint(std::string_view message) {
    // The memory of a point on its way, by either path.
    constexpr uint64_t kPointBytes = 2 * (sizeof(KnownSample) + sizeof(SeriesKey));
    if (!translator_.memory().Add(kPointBytes)) return;
    if (translator_.IsTooLong(message)) {
      OpenMetric();
      return translator_.RefuseTooLong(message);
    }
    if (!may_be_known_) return Translate(message, {});
    if (header_.kind == MetricKind::kHistogram) return ReadHistogram(message);
    WaitingPoint& waiting = waiting_[waiting_count_];
    if (!ReadPlainPoint(message, waiting.point)) return Translate(message, {});
    waiting.message = message;
    waiting.spelling = SpellingOf(metric_spelling_, SpellingOf(waiting.point.attributes));
    use_.keys->Prefetch(waiting.spelling);
    if (++waiting_count_ == waiting_.size()) TakeWaiting();
  }

  // Takes the waiting points: adds those of known series, translates the others and learns their
  // spelling.
  void TakeWaiting() {
    const size_t count = std::exchange(waiting_count_, 0);
    for (size_t i = 0; i < count; ++i) {
      const WaitingPoint& waiting = waiting_[i];
      if (!TakeKnown(waiting.spelling, waiting.point)) Translate(waiting.message, waiting.spelling);
    }
  }

  void ReadHistogram(std::string_view message) {
    PlainHistogramPoint point;
    if (!ReadPlainPoint(message, point)) return Translate(message, {});
    const Spelling spelling = SpellingOf(metric_spelling_, SpellingOf(point.attributes));
    if (!TakeKnown(spelling, point)) Translate(message, spelling);
  }

  template <typename Point>
  bool TakeKnown(const Spelling& spelling, const Point& point) {
    if (use_.known == nullptr) return false;
    const PointTimes times{MillisecondsOf(point.time_ns),
                           Translator::StartMs(header_.kind, point.start_ns, point.time_ns)};
    if (!AddKnown(spelling, times, point, *use_.known)) return false;
    translator_.NotePoint(point.time_ns);
    return true;
  }

  // Translates a point; the keys learn its series if its spelling identifies it.
  void Translate(std::string_view point, const std::optional<Spelling>& spelling) {
    OpenMetric();
    translator_.Learn(spelling.has_value() ? Translator::Learning{use_.keys, *spelling}
                                           : Translator::Learning());
    Add(point);
  }

  void Add(std::string_view point) {
    switch (header_.kind) {
      case MetricKind::kGauge:
      case MetricKind::kSum:
        return translator_.Add(ReadNumberPoint(point));
      case MetricKind::kHistogram:
        return translator_.Add(ReadHistogramPoint(point));
      case MetricKind::kExponentialHistogram:
        return translator_.Add(ReadExponentialHistogramPoint(point));
      case MetricKind::kSummary:
        return translator_.Add(ReadSummaryPoint(point));
    }
  }

  // Resource, scope and metric are read only when a point needs them.
  void OpenResource() {
    if (std::exchange(resource_is_open_, true)) return;
    resource_ = ReadResource(resource_metrics_);
    translator_.BeginResource(resource_);
  }
  void OpenMetric() {
    OpenResource();
    if (!std::exchange(scope_is_open_, true)) {
      scope_ = ReadScope(scope_metrics_);
      translator_.BeginScope(scope_);
    }
    if (!std::exchange(metric_is_open_, true)) translator_.BeginMetric(header_);
  }

  void EndResource() {
    std::vector<Sample> samples = translator_.TakeTargetInfo();
    if (samples.empty()) return;
    const Spelling spelling = SpellingOf(resource_spelling_, SpellingOf("target_info"));
    if (use_.known != nullptr) {
      const SeriesKey* const key = use_.keys->Find(spelling);
      if (key != nullptr && *key != kNoSeries) use_.known->Add(*key, samples);
      if (key != nullptr) return;
    }
    OpenResource();
    translator_.Learn({use_.keys, spelling});
    const bool has_some = translator_.AddTargetInfo(std::move(samples));
    if (use_.keys != nullptr && !has_some) use_.keys->Put(spelling, kNoSeries);
  }

  // Stands for a resource without target_info.
  static constexpr SeriesKey kNoSeries{};

  const Translation& translation_;
  const SpellingUse use_;
  Translator& translator_;

  std::string_view resource_metrics_;
  std::string_view scope_metrics_;
  MetricHeader header_;
  Spelling resource_spelling_;
  Spelling scope_spelling_;
  Spelling metric_spelling_;
  bool may_be_known_ = false;
  // Number points waiting for their series lookup: looked up one by one, each would wait for
  // memory.
  struct WaitingPoint {
    std::string_view message;
    PlainNumberPoint point;
    Spelling spelling;
  };
  std::array<WaitingPoint, 32> waiting_;
  size_t waiting_count_ = 0;
  bool resource_is_open_ = false;
  bool scope_is_open_ = false;
  bool metric_is_open_ = false;
  Attributes resource_;
  Scope scope_;
};

}  // namespace

void ReadProtobufRequest(std::string_view message, const Translation& translation, SpellingUse use,
                         Translator& translator) {
  RequestReader reader(translation, use, translator);
  ForEachMessage(message, 1, [&](std::string_view it) { reader.ReadResourceMetrics(it); });
}

}  // namespace lockstep::otlp
