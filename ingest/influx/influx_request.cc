#include "ingest/influx/influx_request.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "ingest/influx/line_protocol.h"
#include "ingest/influx/plain_name.h"
#include "ingest/write/sample_gatherer.h"

namespace lockstep::influx {
namespace {

constexpr std::string_view kDatabaseLabel = "db";
constexpr std::string_view kNamelessField = "value";

// Rounds down to milliseconds. Nothing if it does not fit.
std::optional<int64_t> ToMilliseconds(int64_t time, Precision precision) {
  const auto floor_by = [time](int64_t divisor) {
    return time / divisor - (time % divisor < 0 ? 1 : 0);
  };
  const auto times = [time](int64_t factor) -> std::optional<int64_t> {
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    if (time > kMax / factor || time < -(kMax / factor)) return std::nullopt;
    return time * factor;
  };
  switch (precision) {
    case Precision::kNanoseconds:
      return floor_by(1'000'000);
    case Precision::kMicroseconds:
      return floor_by(1000);
    case Precision::kMilliseconds:
      return time;
    case Precision::kSeconds:
      return times(1000);
    case Precision::kMinutes:
      return times(60'000);
    case Precision::kHours:
      return times(3'600'000);
  }
  return std::nullopt;
}

// The series of a field in an earlier line with the same measurement and tags.
struct KnownField {
  std::string_view written_key;
  std::optional<size_t> series_index;
};
using KnownFields = std::vector<KnownField>;  // in the order of the first such line

// An entry in a hash table that may have room for twice as many.
constexpr size_t kKnownHeadBytes = 2 * (sizeof(std::string_view) + sizeof(KnownFields) + 1);

class Decoder {
 public:
  Decoder(const LineTerms& terms, const IngestLimits& limits)
      : terms_(terms), limits_(limits), gatherer_(limits, out_) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view body) {
    out_.memory.Begin(body.size(), limits_);
    size_t line_count = 0;
    while (!body.empty()) {
      LOCKSTEP_RETURN_IF_ERROR(gatherer_.status());
      line_number_ = line_count + 1;
      const std::string_view line = TakeLine(body, line_count);
      if (line.empty()) continue;
      if (const absl::Status read = Read(line); !read.ok()) {
        ++out_.sample_count;
        out_.refusals.AddAt(Place(), RejectReason::kBadLine, 1, Message(read));
      }
    }
    LOCKSTEP_RETURN_IF_ERROR(gatherer_.status());
    return std::move(out_);
  }

 private:
  std::string Place() const { return absl::StrFormat("line %d", line_number_); }

  absl::Status Read(std::string_view line) {
    if (line.size() > limits_.max_point_bytes) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "its size of %d bytes exceeds the limit of %d", line.size(), limits_.max_point_bytes));
    }
    if (!gatherer_.ChargeLine(line.size())) return absl::OkStatus();
    point_.Begin(line.size());
    head_ = TakeHead(line);
    has_tags_ = false;
    const auto known = heads_.find(head_);
    const bool is_new = known == heads_.end();
    if (is_new) LOCKSTEP_RETURN_IF_ERROR(ReadTags());
    LOCKSTEP_RETURN_IF_ERROR(ParseFieldsAndTime(line, point_));
    LOCKSTEP_ASSIGN_OR_RETURN(const int64_t time_ms, TimeMs());
    KnownFields new_fields(is_new ? point_.fields.size() : 0);
    AddSamples(time_ms, is_new ? new_fields : known->second);
    const size_t bytes = kKnownHeadBytes + new_fields.size() * sizeof(KnownField);
    if (is_new && gatherer_.Charge(bytes)) heads_.emplace(head_, std::move(new_fields));
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> TimeMs() const {
    if (!point_.time.has_value()) return terms_.now_ms;
    const auto given_ms = ToMilliseconds(*point_.time, terms_.precision);
    if (!given_ms) return absl::InvalidArgumentError("its time is out of range");
    return *given_ms;
  }

  absl::Status ReadTags() {
    has_tags_ = true;
    LOCKSTEP_RETURN_IF_ERROR(ParseHead(head_, point_));
    NameTags();
    return absl::OkStatus();
  }

  void AddSamples(int64_t time_ms, KnownFields& known) {
    KnownField beyond;
    for (size_t i = 0; i < point_.fields.size(); ++i) {
      const Field& field = point_.fields[i];
      if (!field.value.has_value()) {
        ++out_.text_value_count;
        continue;
      }
      KnownField& place = i < known.size() ? known[i] : beyond;
      const Sample sample{time_ms, *field.value};
      if (place.series_index.has_value() && place.written_key == field.written_key) {
        gatherer_.AddTo(*place.series_index, sample);
      } else {
        place = {field.written_key, AddSample(field, sample)};
      }
    }
  }

  void NameTags() {
    names_.clear();
    tags_.clear();
    const bool has_database = std::ranges::any_of(
        point_.tags, [](const auto& tag) { return tag.first == kDatabaseLabel; });
    size_t name_bytes = 0;
    for (const auto& [name, value] : point_.tags) name_bytes += name.size() + 1;
    // Keeps views into it valid.
    names_.reserve(name_bytes);
    for (const auto& [name, value] : point_.tags) {
      if (!gatherer_.HasRoomFor(tags_)) break;
      const size_t begin = names_.size();
      AppendPlainLabelName(names_, name);
      tags_.push_back({std::string_view(names_).substr(begin), value});
    }
    if (!has_database && !terms_.database.empty()) {
      tags_.push_back({kDatabaseLabel, terms_.database});
    }
  }

  std::optional<size_t> AddSample(const Field& field, const Sample& sample) {
    // Without an error, because an earlier line had the same head.
    if (!has_tags_) ReadTags().IgnoreError();
    metric_.assign(point_.measurement);
    if (field.key != kNamelessField) {
      metric_ += '_';
      metric_ += field.key;
    }
    name_.clear();
    AppendPlainMetricName(name_, metric_);
    labels_.assign(tags_.begin(), tags_.end());
    labels_.push_back({kMetricName, name_});
    return gatherer_.Add(labels_, sample, Place());
  }

  const LineTerms& terms_;
  const IngestLimits& limits_;
  DecodedWrite out_;
  SampleGatherer gatherer_;
  // Views into the body.
  absl::flat_hash_map<std::string_view, KnownFields> heads_;

  // The current line.
  size_t line_number_ = 0;
  std::string_view head_;
  Point point_;
  bool has_tags_ = false;  // whether `tags_` are those of this line
  std::string names_;      // of the tags
  std::vector<LabelView> tags_;
  std::string metric_;
  std::string name_;
  std::vector<LabelView> labels_;
};

}  // namespace

std::optional<Precision> ParsePrecision(std::string_view name) {
  if (name.empty() || name == "ns" || name == "n") return Precision::kNanoseconds;
  if (name == "us" || name == "u" || name == "\u00b5" || name == "\u00b5s") {
    return Precision::kMicroseconds;
  }
  if (name == "ms") return Precision::kMilliseconds;
  if (name == "s") return Precision::kSeconds;
  if (name == "m") return Precision::kMinutes;
  if (name == "h") return Precision::kHours;
  return std::nullopt;
}

absl::StatusOr<DecodedWrite> DecodeLines(std::string_view body, const LineTerms& terms,
                                         const IngestLimits& limits) {
  return Decoder(terms, limits).Decode(body);
}

}  // namespace lockstep::influx
