#include "ingest/exposition/family_message.h"

#include <algorithm>
#include <protozero/pbf_reader.hpp>

#include "ingest/exposition/family_histogram.h"

namespace lockstep::exposition {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

std::pair<std::string_view, std::string_view> ReadLabel(std::string_view message) {
  std::pair<std::string_view, std::string_view> label;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        label.first = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        label.second = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return label;
}

int64_t ReadTimeMs(std::string_view message) {
  constexpr int64_t kMaxSeconds = int64_t{1} << 52;  // fits as milliseconds, too
  constexpr int64_t kNsPerMs = 1'000'000;
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        seconds = reader.get_int64();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        nanoseconds = reader.get_int32();
        break;
      default:
        reader.skip();
    }
  }
  return std::clamp(seconds, -kMaxSeconds, kMaxSeconds) * 1000 + nanoseconds / kNsPerMs;
}

// The value of a gauge, a counter or an untyped metric.
FamilySample ReadNumber(std::string_view message) {
  FamilySample sample;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        sample.value = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        sample.exemplars = {reader.get_view()};
        break;
      default:
        reader.skip();
    }
  }
  return sample;
}

FamilySample ReadQuantile(std::string_view message) {
  FamilySample sample{.bound_label = "quantile"};
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        sample.bound = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::fixed64):
        sample.value = reader.get_double();
        break;
      default:
        reader.skip();
    }
  }
  return sample;
}

std::vector<FamilySample> ReadSummary(std::string_view message) {
  std::vector<FamilySample> samples = {{.suffix = "_count"}, {.suffix = "_sum"}};
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        samples[0].value = static_cast<double>(reader.get_uint64());
        break;
      case tag_and_type(2, pbf_wire_type::fixed64):
        samples[1].value = reader.get_double();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        samples.push_back(ReadQuantile(reader.get_view()));
        break;
      default:
        reader.skip();
    }
  }
  return samples;
}

// The field of a metric that holds the value for this family type.
uint32_t FieldOf(FamilyType type) {
  switch (type) {
    case FamilyType::kGauge:
      return 2;
    case FamilyType::kCounter:
      return 3;
    case FamilyType::kSummary:
      return 4;
    case FamilyType::kUntyped:
      return 5;
    case FamilyType::kHistogram:
    case FamilyType::kGaugeHistogram:
      break;
  }
  return 7;
}

absl::StatusOr<std::vector<FamilySample>> ReadSamples(std::string_view message, FamilyType type,
                                                      const HistogramChoice& choice) {
  switch (type) {
    case FamilyType::kSummary:
      return ReadSummary(message);
    case FamilyType::kHistogram:
      return ReadHistogram(message, CounterResetHint::kUnknown, choice);
    case FamilyType::kGaugeHistogram:
      return ReadHistogram(message, CounterResetHint::kGauge, choice);
    default:
      return std::vector<FamilySample>{ReadNumber(message)};
  }
}

FamilyType TypeOf(int32_t number) {
  const bool is_known = number >= 0 && number <= static_cast<int32_t>(FamilyType::kGaugeHistogram);
  return is_known ? static_cast<FamilyType>(number) : FamilyType::kUntyped;
}

}  // namespace

MetricFamily ReadFamily(std::string_view message) {
  MetricFamily family;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        family.name = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        family.help = reader.get_view();
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        family.type = TypeOf(reader.get_enum());
        break;
      case tag_and_type(4, pbf_wire_type::length_delimited):
        family.metrics.push_back(reader.get_view());
        break;
      case tag_and_type(5, pbf_wire_type::length_delimited):
        family.unit = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return family;
}

absl::StatusOr<FamilyMetric> ReadMetric(std::string_view message, FamilyType type,
                                        const HistogramChoice& choice) {
  FamilyMetric metric;
  std::string_view content;  // empty if omitted: all zeros
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (reader.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited)) {
      metric.labels.push_back(ReadLabel(reader.get_view()));
    } else if (reader.tag_and_type() == tag_and_type(6, pbf_wire_type::varint)) {
      // Go's client library writes 0 for no timestamp.
      const int64_t timestamp_ms = reader.get_int64();
      if (timestamp_ms != 0) metric.timestamp_ms = timestamp_ms;
    } else if (reader.tag() == FieldOf(type) &&
               reader.wire_type() == pbf_wire_type::length_delimited) {
      content = reader.get_view();
    } else {
      reader.skip();
    }
  }
  LOCKSTEP_ASSIGN_OR_RETURN(metric.samples, ReadSamples(content, type, choice));
  return metric;
}

FamilyExemplar ReadExemplar(std::string_view message) {
  FamilyExemplar exemplar;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        exemplar.labels.push_back(ReadLabel(reader.get_view()));
        break;
      case tag_and_type(2, pbf_wire_type::fixed64):
        exemplar.value = reader.get_double();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        exemplar.timestamp_ms = ReadTimeMs(reader.get_view());
        break;
      default:
        reader.skip();
    }
  }
  return exemplar;
}

}  // namespace lockstep::exposition
