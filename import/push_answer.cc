#include "import/push_answer.h"

#include <simdjson.h>

namespace lockstep::importer {
namespace {

std::string TextIn(simdjson::dom::element object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

std::optional<SampleFates> FatesIn(simdjson::dom::element object) {
  SampleFates fates;
  const bool is_told = object["new_samples"].get(fates.stored) == simdjson::SUCCESS &&
                       object["duplicate_samples"].get(fates.duplicate) == simdjson::SUCCESS &&
                       object["overwritten_samples"].get(fates.overwritten) == simdjson::SUCCESS;
  return is_told ? std::optional(fates) : std::nullopt;
}

}  // namespace

std::optional<PushAnswer> ReadPushAnswer(int status, std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element answer;
  if (parser.parse(body.data(), body.size()).get(answer) != simdjson::SUCCESS) return std::nullopt;
  PushAnswer read;
  read.is_gap = status == 409;
  if (read.is_gap) {
    if (answer["expected_offset"].get(read.next_offset) != simdjson::SUCCESS) return std::nullopt;
    return read;
  }
  // That of a log is wrapped up, that of steps is not.
  simdjson::dom::element data;
  if (answer["data"].get(data) == simdjson::SUCCESS) answer = data;
  if (answer["next_offset"].get(read.next_offset) != simdjson::SUCCESS) return std::nullopt;
  if (answer["refused_samples"].get(read.refused_samples) != simdjson::SUCCESS) return std::nullopt;
  read.refused = TextIn(answer, "refused");
  read.format = TextIn(answer, "format");
  read.fates = FatesIn(answer);
  return read;
}

}  // namespace lockstep::importer
