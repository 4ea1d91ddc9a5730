#include "ingest/json/datadog_series.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/json/datadog_names.h"
#include "ingest/json/json_number.h"
#include "ingest/write/sample_gatherer.h"

namespace lockstep::json {
namespace {

using simdjson::SUCCESS;
using simdjson::ondemand::array;
using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

absl::Status BadSeries(std::string_view what) {
  return absl::InvalidArgumentError(std::string(what));
}

// Treats null as absent text.
absl::Status ReadOptionalText(value content, std::string_view what, std::string_view& text) {
  json_type type{};
  if (content.type().get(type) == SUCCESS && type == json_type::null) return absl::OkStatus();
  if (content.get_string().get(text) == SUCCESS) return absl::OkStatus();
  return BadSeries(absl::StrFormat("\"%s\" is not a string", what));
}

class DatadogDecoder {
 public:
  DatadogDecoder(int64_t now_ms, const IngestLimits& limits)
      : now_ms_(now_ms), gatherer_(limits, out_), limits_(limits) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view body) {
    out_.memory.Begin(body.size(), limits_);
    // The memory of the copy, the parser's index, and a series' points and tags, which may take
    // only two bytes each in the body.
    constexpr uint64_t kExpansion = 16;
    if (!out_.memory.Add(kExpansion * body.size())) return out_.memory.status();
    const simdjson::padded_string padded(body);
    simdjson::ondemand::document document;
    object whole;
    if (parser_.iterate(padded).get(document) != SUCCESS ||
        document.get_object().get(whole) != SUCCESS) {
      return absl::InvalidArgumentError("the body is not a JSON object");
    }
    for (auto member : whole) {
      std::string_view key;
      if (member.unescaped_key().get(key) != SUCCESS) {
        return absl::InvalidArgumentError("the body is not a JSON object");
      }
      if (key != "series") continue;
      array all;
      if (member.value().get_array().get(all) != SUCCESS) {
        return absl::InvalidArgumentError("\"series\" is not a list");
      }
      LOCKSTEP_RETURN_IF_ERROR(ReadAll(all));
    }
    if (!IsAtEnd(document)) {
      return absl::InvalidArgumentError("there is text after the body's JSON object");
    }
    return std::move(out_);
  }

 private:
  absl::Status ReadAll(array all) {
    size_t number = 0;
    for (auto element : all) {
      ++number;
      object one;
      if (element.get_object().get(one) != SUCCESS) {
        return absl::InvalidArgumentError(
            absl::StrFormat("series %d is not a JSON object", number));
      }
      Clear();
      const std::string place = absl::StrFormat("series %d", number);
      if (const absl::Status read = Read(one); read.ok()) {
        gatherer_.Add(labels_, samples_, place);
      } else {
        const uint64_t count = std::max<uint64_t>(1, samples_.size());
        out_.sample_count += count;
        out_.refusals.AddAt(place, RejectReason::kBadLine, count, Message(read));
      }
      LOCKSTEP_RETURN_IF_ERROR(gatherer_.status());
    }
    return absl::OkStatus();
  }

  void Clear() {
    labels_.clear();
    samples_.clear();
    metric_.clear();
  }

  absl::Status Read(object one) {
    for (auto member : one) {
      std::string_view key;
      value content;
      if (member.unescaped_key().get(key) != SUCCESS || member.value().get(content) != SUCCESS) {
        return BadSeries("it is not a JSON object");
      }
      LOCKSTEP_RETURN_IF_ERROR(ReadMember(key, content));
    }
    if (metric_.empty()) return BadSeries("it has no \"metric\"");
    labels_.push_back({kMetricName, metric_});
    return absl::OkStatus();
  }

  absl::Status ReadMember(std::string_view key, value content) {
    if (key == "points") return ReadPoints(content);
    if (key == "tags") return ReadTags(content);
    if (key == "resources") return ReadResources(content);
    std::string_view text;
    if (key == "metric") {
      LOCKSTEP_RETURN_IF_ERROR(ReadOptionalText(content, key, text));
      metric_ = PlainDatadogName(text);
    } else if (key == "host" || key == "device" || key == "source_type_name") {
      LOCKSTEP_RETURN_IF_ERROR(ReadOptionalText(content, key, text));
      AddLabel(key == "host" ? "host" : key == "device" ? "device" : "source_type_name", text);
    }
    return absl::OkStatus();
  }

  void AddLabel(std::string_view name, std::string_view text) {
    if (!text.empty() && gatherer_.HasRoomFor(labels_)) labels_.push_back({name, text});
  }

  absl::Status ReadTags(value content) {
    array all;
    if (content.get_array().get(all) != SUCCESS) return BadSeries("\"tags\" is not a list");
    for (auto element : all) {
      std::string_view tag;
      if (element.get_string().get(tag) != SUCCESS)
        return BadSeries("\"tags\" contains a value that is not a string");
      const LabelView label = LabelOfTag(tag);
      AddLabel(label.name, label.value);
    }
    return absl::OkStatus();
  }

  absl::Status ReadResources(value content) {
    array all;
    if (content.get_array().get(all) != SUCCESS) return BadSeries("\"resources\" is not a list");
    for (auto element : all) {
      object one;
      if (element.get_object().get(one) != SUCCESS) return BadSeries("a resource is not an object");
      std::string_view type;
      std::string_view name;
      for (auto member : one) {
        std::string_view key;
        value text;
        if (member.unescaped_key().get(key) != SUCCESS || member.value().get(text) != SUCCESS) {
          return BadSeries("a resource is not an object");
        }
        if (key == "type") LOCKSTEP_RETURN_IF_ERROR(ReadOptionalText(text, key, type));
        if (key == "name") LOCKSTEP_RETURN_IF_ERROR(ReadOptionalText(text, key, name));
      }
      if (!type.empty()) AddLabel(type, name);
    }
    return absl::OkStatus();
  }

  absl::Status ReadPoints(value content) {
    array all;
    if (content.get_array().get(all) != SUCCESS) return BadSeries("\"points\" is not a list");
    for (auto element : all) {
      value point;
      json_type type{};
      if (element.get(point) != SUCCESS || point.type().get(type) != SUCCESS) {
        return BadSeries("\"points\" is not a list");
      }
      const auto numbers = type == json_type::array ? ReadPair(point) : ReadPoint(point);
      if (!numbers) {
        return BadSeries(
            absl::StrFormat("point %d is not a [time, number] pair", samples_.size() + 1));
      }
      const auto [seconds, number] = *numbers;
      if (std::abs(seconds) > kMaxDatadogSeconds) {
        return BadSeries(
            absl::StrFormat("the time of point %d is out of range", samples_.size() + 1));
      }
      samples_.push_back({seconds > 0 ? std::llround(seconds * 1e3) : now_ms_, number});
    }
    return absl::OkStatus();
  }

  // [seconds, value]
  static std::optional<std::pair<double, double>> ReadPair(value point) {
    array both;
    if (point.get_array().get(both) != SUCCESS) return std::nullopt;
    double numbers[2] = {};
    size_t count = 0;
    for (auto element : both) {
      value one;
      if (count == 2 || element.get(one) != SUCCESS) return std::nullopt;
      const auto number = ReadDouble(one);
      if (!number) return std::nullopt;
      numbers[count++] = *number;
    }
    if (count != 2) return std::nullopt;
    return std::pair(numbers[0], numbers[1]);
  }

  // {"timestamp": seconds, "value": value}
  static std::optional<std::pair<double, double>> ReadPoint(value point) {
    object both;
    if (point.get_object().get(both) != SUCCESS) return std::nullopt;
    double seconds = 0;
    std::optional<double> number;
    for (auto member : both) {
      std::string_view key;
      value one;
      if (member.unescaped_key().get(key) != SUCCESS || member.value().get(one) != SUCCESS) {
        return std::nullopt;
      }
      if (key != "timestamp" && key != "value") continue;
      const auto read = ReadDouble(one);
      if (!read) return std::nullopt;
      if (key == "value") {
        number = read;
      } else {
        seconds = *read;
      }
    }
    if (!number) return std::nullopt;
    return std::pair(seconds, *number);
  }

  const int64_t now_ms_;
  DecodedWrite out_;
  SampleGatherer gatherer_;
  const IngestLimits& limits_;
  simdjson::ondemand::parser parser_;
  std::string metric_;
  std::vector<LabelView> labels_;
  std::vector<Sample> samples_;
};

}  // namespace

absl::StatusOr<DecodedWrite> DecodeDatadogSeries(std::string_view body, int64_t now_ms,
                                                 const IngestLimits& limits) {
  return DatadogDecoder(now_ms, limits).Decode(body);
}

}  // namespace lockstep::json
