#include "ingest/json/datadog_payload.h"

#include <algorithm>
#include <cmath>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/json/datadog_names.h"
#include "ingest/write/sample_gatherer.h"

namespace lockstep::json {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

struct Point {
  double value = 0;
  int64_t seconds = 0;
};

Point ReadPoint(std::string_view message) {
  Point point;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        point.value = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        point.seconds = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  return point;
}

// The resource's type is the label name.
LabelView ReadResource(std::string_view message) {
  LabelView label;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        label.name = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        label.value = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return label;
}

class PayloadDecoder {
 public:
  PayloadDecoder(int64_t now_ms, const IngestLimits& limits)
      : now_ms_(now_ms), gatherer_(limits, out_), limits_(limits) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view body) {
    out_.memory.Begin(body.size(), limits_);
    // The memory of a series' points while it is decoded: a point may take only two bytes in the
    // body.
    constexpr uint64_t kExpansion = 16;
    if (!out_.memory.Add(kExpansion * body.size())) return out_.memory.status();
    protozero::pbf_reader reader(body);
    while (reader.next()) {
      if (reader.tag_and_type() != tag_and_type(1, pbf_wire_type::length_delimited)) {
        reader.skip();
        continue;
      }
      TakeSeries(reader.get_view());
      LOCKSTEP_RETURN_IF_ERROR(gatherer_.status());
    }
    return std::move(out_);
  }

 private:
  void TakeSeries(std::string_view message) {
    labels_.clear();
    samples_.clear();
    metric_.clear();
    out_of_range_count_ = 0;
    Read(message);
    const std::string place = absl::StrFormat("series %d", ++series_number_);
    if (metric_.empty()) {
      return Refuse(place, samples_.size() + out_of_range_count_, "it has no metric");
    }
    if (out_of_range_count_ > 0) {
      Refuse(place, out_of_range_count_, "the time of a point is out of range");
    }
    labels_.push_back({kMetricName, metric_});
    gatherer_.Add(labels_, samples_, place);
  }

  void Refuse(std::string_view place, uint64_t sample_count, std::string_view why) {
    const uint64_t count = std::max<uint64_t>(1, sample_count);
    out_.sample_count += count;
    out_.refusals.AddAt(place, RejectReason::kBadLine, count, why);
  }

  void Read(std::string_view message) {
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(1, pbf_wire_type::length_delimited):
          AddLabel(ReadResource(reader.get_view()));
          break;
        case tag_and_type(2, pbf_wire_type::length_delimited):
          metric_ = PlainDatadogName(reader.get_view());
          break;
        case tag_and_type(3, pbf_wire_type::length_delimited):
          AddLabel(LabelOfTag(reader.get_view()));
          break;
        case tag_and_type(4, pbf_wire_type::length_delimited):
          AddPoint(ReadPoint(reader.get_view()));
          break;
        case tag_and_type(7, pbf_wire_type::length_delimited):
          AddLabel({"source_type_name", reader.get_view()});
          break;
        default:
          reader.skip();
      }
    }
  }

  void AddLabel(LabelView label) {
    const bool says_something = !label.name.empty() && !label.value.empty();
    if (says_something && gatherer_.HasRoomFor(labels_)) labels_.push_back(label);
  }

  void AddPoint(Point point) {
    if (std::abs(static_cast<double>(point.seconds)) > kMaxDatadogSeconds) {
      ++out_of_range_count_;
      return;
    }
    samples_.push_back({point.seconds > 0 ? point.seconds * 1000 : now_ms_, point.value});
  }

  const int64_t now_ms_;
  DecodedWrite out_;
  SampleGatherer gatherer_;
  const IngestLimits& limits_;
  size_t series_number_ = 0;
  std::string metric_;
  std::vector<LabelView> labels_;
  std::vector<Sample> samples_;
  uint64_t out_of_range_count_ = 0;
};

}  // namespace

absl::StatusOr<DecodedWrite> DecodeDatadogPayload(std::string_view body, int64_t now_ms,
                                                  const IngestLimits& limits) {
  try {
    return PayloadDecoder(now_ms, limits).Decode(body);
  } catch (const protozero::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the body is not a MetricPayload: %s", error.what()));
  }
}

}  // namespace lockstep::json
