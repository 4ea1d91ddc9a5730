#include "ingest/logs/json/json_line.h"

#include <utility>

namespace lockstep::logs {
namespace {

using simdjson::ondemand::field;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

constexpr std::string_view kTooDeep = "objects are nested too deeply";

std::string_view Reason(simdjson::error_code error) { return simdjson::error_message(error); }

}  // namespace

LineVerdict JsonLineReader::Read(const LogLine& line, std::string_view text, RecordWriter& out) {
  out.Begin(line, RecordKind::kStep);
  fields_.Begin();
  if (scanner_.Scan(text, out)) return kTaken;
  out.Begin(line, RecordKind::kStep);
  fields_.Begin();
  return Parse(text, out);
}

LineVerdict JsonLineReader::Parse(std::string_view text, RecordWriter& out) {
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  if (const auto error = parser_.iterate(padded).get(document)) return Rejected(Reason(error));
  object members;
  if (const auto error = document.get_object().get(members)) return Rejected(Reason(error));
  if (const Error error = ReadMembers(members, nullptr, 0, out); !error.empty()) {
    return Rejected(error);
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return Rejected("text after the end of the object");
  }
  return kTaken;
}

LineVerdict JsonLineReader::ReadObject(object members, RecordWriter& out) {
  fields_.Begin();
  const Error error = ReadMembers(members, nullptr, 0, out);
  return error.empty() ? kTaken : Rejected(error);
}

JsonLineReader::Error JsonLineReader::ReadMembers(object members, const MetricKey* parent,
                                                  int depth, RecordWriter& out) {
  if (depth > kMaxJsonDepth) return kTooDeep;
  for (auto result : members) {
    field member;
    if (const auto error = std::move(result).get(member)) return Reason(error);
    if (const Error error = ReadMember(member, parent, depth, out); !error.empty()) return error;
  }
  return {};
}

JsonLineReader::Error JsonLineReader::ReadMember(field member, const MetricKey* parent, int depth,
                                                 RecordWriter& out) {
  const MetricKey* key = keys_.FindQuoted(member.key().raw(), parent);
  if (key == nullptr) {
    std::string_view written;
    if (const auto error = member.unescaped_key().get(written)) return Reason(error);
    key = keys_.Find(written, parent);
  }
  value content = member.value();
  const std::string_view token = content.raw_json_token();
  switch (token.front()) {
    case '{': {
      object members;
      if (const auto error = content.get_object().get(members)) return Reason(error);
      // Without a usable key, none of its members has one either.
      return key == nullptr ? DropMembers(members, depth + 1, out)
                            : ReadMembers(members, key, depth + 1, out);
    }
    case '[':
      return {};
    case '"':
      return ReadText(content, key, out);
    case 't':
    case 'f':
    case 'n':
    case 'N':
    case 'I':
      return ReadBareWord(token, key, out);
    default:
      break;
  }
  double number;
  if (content.get_double().get(number) != simdjson::SUCCESS) {
    return ReadBareWord(token, key, out);
  }
  fields_.TakeNumber(key, number, out);
  return {};
}

JsonLineReader::Error JsonLineReader::DropMembers(object members, int depth, RecordWriter& out) {
  if (depth > kMaxJsonDepth) return kTooDeep;
  for (auto result : members) {
    field member;
    if (const auto error = std::move(result).get(member)) return Reason(error);
    value content = member.value();
    const std::string_view token = content.raw_json_token();
    if (token.front() == '{') {
      object inner;
      if (const auto error = content.get_object().get(inner)) return Reason(error);
      if (const Error error = DropMembers(inner, depth + 1, out); !error.empty()) return error;
      continue;
    }
    if (token.front() == '[' || token.front() == '"') continue;
    double number;
    if (content.get_double().get(number) == simdjson::SUCCESS || NumberOfBareWord(token)) {
      out.Add(nullptr, 0);
    }
  }
  return {};
}

JsonLineReader::Error JsonLineReader::ReadBareWord(std::string_view token, const MetricKey* key,
                                                   RecordWriter& out) {
  if (const auto number = NumberOfBareWord(token)) {
    fields_.TakeNumber(key, *number, out);
    return {};
  }
  const bool is_json =
      token.starts_with("true") || token.starts_with("false") || token.starts_with("null");
  return is_json ? Error() : Error("a value that is not valid JSON");
}

JsonLineReader::Error JsonLineReader::ReadText(value content, const MetricKey* key,
                                               RecordWriter& out) {
  std::string_view text;
  if (const auto error = content.get_string().get(text)) return Reason(error);
  if (key != nullptr) fields_.TakeText(key, text, out);
  return {};
}

}  // namespace lockstep::logs
