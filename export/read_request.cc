#include "export/read_request.h"

#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::StatusOr<Matcher> ReadMatcher(std::string_view message) {
  static constexpr MatchType kTypes[] = {MatchType::kEqual, MatchType::kNotEqual, MatchType::kRegex,
                                         MatchType::kNotRegex};
  int32_t type = 0;
  std::string_view name;
  std::string_view value;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        type = reader.get_enum();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        name = reader.get_view();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        value = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  if (type < 0 || type > 3) return Invalid(absl::StrFormat("invalid matcher type %d", type));
  return Matcher::Make(kTypes[type], std::string(name), std::string(value));
}

absl::StatusOr<ReadQuery> ReadOneQuery(std::string_view message) {
  ReadQuery query;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        query.range.min_ms = reader.get_int64();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        query.range.max_ms = reader.get_int64();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited): {
        LOCKSTEP_ASSIGN_OR_RETURN(Matcher matcher, ReadMatcher(reader.get_view()));
        query.matchers.push_back(std::move(matcher));
        break;
      }
      default:
        reader.skip();
    }
  }
  return query;
}

// Chooses among the accepted types in the client's order; the first supported type wins.
class TypeChoice {
 public:
  void Offer(int32_t type) {
    offered_ = true;
    const bool known = type == static_cast<int32_t>(ReadResponseType::kSamples) ||
                       type == static_cast<int32_t>(ReadResponseType::kStreamedChunks);
    if (known && !chosen_) chosen_ = static_cast<ReadResponseType>(type);
  }
  absl::StatusOr<ReadResponseType> Choice() const {
    if (chosen_) return *chosen_;
    if (!offered_) return ReadResponseType::kSamples;
    return Invalid(
        "server does not support any of the requested response types; supported: SAMPLES, "
        "STREAMED_XOR_CHUNKS");
  }

 private:
  bool offered_ = false;
  std::optional<ReadResponseType> chosen_;
};

absl::StatusOr<ReadRequest> Read(std::string_view message) {
  ReadRequest request;
  TypeChoice choice;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited): {
        if (request.queries.size() == kMaxReadQueries) {
          return Invalid(absl::StrFormat("more than %d queries in one request", kMaxReadQueries));
        }
        LOCKSTEP_ASSIGN_OR_RETURN(ReadQuery query, ReadOneQuery(reader.get_view()));
        request.queries.push_back(std::move(query));
        break;
      }
      case tag_and_type(2, pbf_wire_type::varint):
        choice.Offer(reader.get_enum());
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        for (const int32_t type : reader.get_packed_enum()) choice.Offer(type);
        break;
      default:
        reader.skip();
    }
  }
  LOCKSTEP_ASSIGN_OR_RETURN(request.response_type, choice.Choice());
  return request;
}

}  // namespace

absl::StatusOr<ReadRequest> ParseReadRequest(std::string_view message) {
  try {
    return Read(message);
  } catch (const protozero::exception& error) {
    return Invalid(
        absl::StrFormat("the body is not a valid prometheus.ReadRequest: %s", error.what()));
  }
}

}  // namespace lockstep
