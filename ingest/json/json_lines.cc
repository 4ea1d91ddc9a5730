#include "ingest/json/json_lines.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/json/json_number.h"
#include "ingest/write/sample_gatherer.h"

namespace lockstep::json {
namespace {

using simdjson::SUCCESS;
using simdjson::ondemand::array;
using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

// Source: Prometheus, model/value (NormalNaN).
constexpr uint64_t kNormalNanBits = 0x7ff8000000000001;

absl::Status Malformed(const std::string& what) { return absl::InvalidArgumentError(what); }

// Values that JSON numbers cannot express.
std::optional<double> WordToDouble(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::string_view name : {"Infinity", "infinity", "Inf", "inf"}) {
    if (word == name) return kInfinity;
    if (word.starts_with('-') && word.substr(1) == name) return -kInfinity;
  }
  if (word == "NaN" || word == "nan") return std::bit_cast<double>(kNormalNanBits);
  return std::nullopt;
}

std::optional<double> ReadValue(value one) {
  json_type type{};
  if (one.type().get(type) != SUCCESS) return std::nullopt;
  if (type == json_type::number) return ReadDouble(one);
  if (type == json_type::null) {
    bool is_null = false;
    if (one.is_null().get(is_null) == SUCCESS && is_null) return StaleNan();
    return std::nullopt;
  }
  std::string_view word;
  if (type != json_type::string || one.get_string().get(word) != SUCCESS) return std::nullopt;
  return WordToDouble(word);
}

class Decoder {
 public:
  Decoder(const ExtraLabels& extra, const IngestLimits& limits)
      : extra_(extra), limits_(limits), gatherer_(limits, out_) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view body) {
    out_.memory.Begin(body.size(), limits_);
    size_t number = 0;
    while (!body.empty()) {
      LOCKSTEP_RETURN_IF_ERROR(gatherer_.status());
      const size_t end = std::min(body.find('\n'), body.size());
      const std::string_view line = body.substr(0, end);
      body.remove_prefix(std::min(end + 1, body.size()));
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const std::string place = absl::StrFormat("line %d", number);
      if (const absl::Status read = Read(line, place); !read.ok()) {
        const uint64_t count = std::max<uint64_t>(1, values_.size());
        out_.sample_count += count;
        out_.refusals.AddAt(place, RejectReason::kBadLine, count, Message(read));
      }
    }
    LOCKSTEP_RETURN_IF_ERROR(gatherer_.status());
    return std::move(out_);
  }

 private:
  absl::Status Read(std::string_view line, std::string_view place) {
    labels_.clear();
    values_.clear();
    times_ms_.clear();
    if (!gatherer_.ChargeLine(line.size())) return absl::OkStatus();
    buffer_.assign(line);
    // The parser may read past the end.
    buffer_.append(simdjson::SIMDJSON_PADDING, ' ');
    simdjson::ondemand::document document;
    object whole;
    const simdjson::padded_string_view padded(buffer_.data(), line.size(), buffer_.size());
    if (parser_.iterate(padded).get(document) != SUCCESS ||
        document.get_object().get(whole) != SUCCESS) {
      return Malformed("it is not a JSON object");
    }
    LOCKSTEP_RETURN_IF_ERROR(ReadMembers(whole));
    if (!IsAtEnd(document)) return Malformed("there is text after its JSON object");
    if (values_.size() != times_ms_.size()) {
      return Malformed(
          absl::StrFormat("it has %d values and %d timestamps", values_.size(), times_ms_.size()));
    }
    if (values_.empty()) return Malformed("it has no values");
    if (!out_.memory.Add(values_.size() * sizeof(Sample))) return absl::OkStatus();
    samples_.clear();
    for (size_t i = 0; i < values_.size(); ++i) samples_.push_back({times_ms_[i], values_[i]});
    extra_.Apply(labels_);
    gatherer_.Add(labels_, samples_, place);
    return absl::OkStatus();
  }

  absl::Status ReadMembers(object whole) {
    for (auto member : whole) {
      std::string_view key;
      value content;
      if (member.unescaped_key().get(key) != SUCCESS || member.value().get(content) != SUCCESS) {
        return Malformed("it is not a JSON object");
      }
      if (key == "metric") {
        LOCKSTEP_RETURN_IF_ERROR(ReadLabels(content));
      } else if (key == "values") {
        LOCKSTEP_RETURN_IF_ERROR(ReadValues(content));
      } else if (key == "timestamps") {
        LOCKSTEP_RETURN_IF_ERROR(ReadTimes(content));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadLabels(value content) {
    object all;
    if (content.get_object().get(all) != SUCCESS) return Malformed("\"metric\" is not an object");
    for (auto member : all) {
      std::string_view name;
      std::string_view label;
      if (member.unescaped_key().get(name) != SUCCESS ||
          member.value().get_string().get(label) != SUCCESS) {
        return Malformed("\"metric\" is not an object of strings");
      }
      if (gatherer_.HasRoomFor(labels_)) labels_.push_back({name, label});
    }
    return absl::OkStatus();
  }

  absl::Status ReadValues(value content) {
    array all;
    if (content.get_array().get(all) != SUCCESS) return Malformed("\"values\" is not a list");
    for (auto element : all) {
      value one;
      const auto number = element.get(one) == SUCCESS ? ReadValue(one) : std::optional<double>();
      if (!number) {
        return Malformed(absl::StrFormat("value %d is not a number", values_.size() + 1));
      }
      values_.push_back(*number);
    }
    return absl::OkStatus();
  }

  absl::Status ReadTimes(value content) {
    array all;
    if (content.get_array().get(all) != SUCCESS) return Malformed("\"timestamps\" is not a list");
    for (auto element : all) {
      value one;
      const auto number = element.get(one) == SUCCESS ? ReadInteger(one) : std::optional<int64_t>();
      if (!number) {
        return Malformed(absl::StrFormat("timestamp %d is not an integer number of milliseconds",
                                         times_ms_.size() + 1));
      }
      times_ms_.push_back(*number);
    }
    return absl::OkStatus();
  }

  const ExtraLabels& extra_;
  const IngestLimits& limits_;
  DecodedWrite out_;
  SampleGatherer gatherer_;
  simdjson::ondemand::parser parser_;
  std::string buffer_;
  std::vector<LabelView> labels_;
  std::vector<double> values_;
  std::vector<int64_t> times_ms_;
  std::vector<Sample> samples_;
};

}  // namespace

absl::StatusOr<DecodedWrite> DecodeJsonLines(std::string_view body, const ExtraLabels& extra,
                                             const IngestLimits& limits) {
  return Decoder(extra, limits).Decode(body);
}

}  // namespace lockstep::json
