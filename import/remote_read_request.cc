#include "import/remote_read_request.h"

#include <snappy.h>

#include <protozero/pbf_writer.hpp>

namespace lockstep::importer {
namespace {

// prometheus.ReadRequest.ResponseType.
constexpr int32_t kSamples = 0;
constexpr int32_t kStreamedChunks = 1;

// prometheus.LabelMatcher.Type.
int32_t TypeNumber(MatchType type) {
  switch (type) {
    case MatchType::kEqual:
      return 0;
    case MatchType::kNotEqual:
      return 1;
    case MatchType::kRegex:
      return 2;
    case MatchType::kNotRegex:
      break;
  }
  return 3;
}

}  // namespace

std::string EncodeReadRequest(const std::vector<Matcher>& matchers, const TimeRange& range) {
  std::string message;
  protozero::pbf_writer writer(message);
  {
    protozero::pbf_writer query(writer, 1);
    query.add_int64(1, range.min_ms);
    query.add_int64(2, range.max_ms);
    for (const Matcher& matcher : matchers) {
      protozero::pbf_writer one(query, 3);
      one.add_enum(1, TypeNumber(matcher.type()));
      one.add_string(2, matcher.name().data(), matcher.name().size());
      one.add_string(3, matcher.value().data(), matcher.value().size());
    }
  }
  const int32_t accepted[] = {kStreamedChunks, kSamples};
  writer.add_packed_enum(2, std::begin(accepted), std::end(accepted));
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  return body;
}

}  // namespace lockstep::importer
