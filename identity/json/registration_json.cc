#include "identity/json/registration_json.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::identity {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr int64_t kMaxNumber = int64_t{1} << 31;
// Unix seconds stay below this until the year 5138; milliseconds exceeded it in 1973.
constexpr double kFirstMilliseconds = 1e11;
constexpr double kLastMilliseconds = 1e14;

absl::Status Wrong(std::string_view key, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" %s", key, what));
}

absl::Status ReadNumber(std::string_view key, element value, int64_t& number) {
  if (value.get(number) != SUCCESS || number < 0 || number > kMaxNumber) {
    return Wrong(key, "must be an integer from 0 to 2^31");
  }
  return absl::OkStatus();
}

absl::Status ReadNumber(std::string_view key, element value, std::optional<int64_t>& number) {
  return ReadNumber(key, value, number.emplace());
}

// Accepts numbers too, because people write names of jobs and indices of GPUs as numbers.
absl::Status ReadText(std::string_view key, element value, std::string& text) {
  int64_t number = 0;
  std::string_view view;
  if (value.get(view) == SUCCESS) {
    text = view;
  } else if (value.get(number) == SUCCESS) {
    text = std::to_string(number);
  } else {
    return Wrong(key, "must be a string or an integer");
  }
  if (text.size() <= kMaxTextBytes) return absl::OkStatus();
  return Wrong(
      key, absl::StrFormat("has %d bytes, more than the limit of %d", text.size(), kMaxTextBytes));
}

absl::Status ReadTime(std::string_view key, element value, std::optional<int64_t>& time_ms) {
  double number = 0;
  if (value.get(number) != SUCCESS || !(number >= 0 && number < kLastMilliseconds)) {
    return Wrong(key, "must be a Unix time in seconds or milliseconds");
  }
  time_ms = std::llround(number < kFirstMilliseconds ? number * 1e3 : number);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ValueText(std::string_view key, element value) {
  double number = 0;
  bool truth = false;
  std::string text;
  if (value.get(truth) == SUCCESS) return std::string(truth ? "true" : "false");
  if (value.is_double() && value.get(number) == SUCCESS) return absl::StrFormat("%.15g", number);
  LOCKSTEP_RETURN_IF_ERROR(ReadText(key, value, text));
  return text;
}

absl::Status ReadEntries(std::string_view prefix, element value, int depth, Entries& entries) {
  simdjson::dom::object object;
  if (value.get(object) != SUCCESS) return Wrong(prefix, "must be an object");
  if (depth == 0) return Wrong(prefix, "nests objects too deeply");
  for (const auto& [key, member] : object) {
    const std::string name =
        depth == kMaxInfoDepth ? std::string(key) : absl::StrFormat("%s_%s", prefix, key);
    if (key.empty() || name.size() > kMaxTextBytes)
      return Wrong(prefix, "has a member whose name is empty or too long");
    if (member.is_null()) continue;
    if (member.is_object()) {
      LOCKSTEP_RETURN_IF_ERROR(ReadEntries(name, member, depth - 1, entries));
      continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(std::string text, ValueText(name, member));
    entries.emplace_back(name, std::move(text));
    if (entries.size() > kMaxInfoEntries) {
      return Wrong(prefix, absl::StrFormat("has more than %d values", kMaxInfoEntries));
    }
  }
  return absl::OkStatus();
}

// Nothing if the member has another name.
std::optional<absl::Status> ReadWho(std::string_view key, element value, Registration& out) {
  if (key == "job") return ReadText(key, value, out.job);
  if (key == "attempt") return ReadNumber(key, value, out.attempt);
  if (key == "rank") return ReadNumber(key, value, out.rank);
  if (key == "host") return ReadText(key, value, out.seat.host);
  if (key == "gpu") return ReadText(key, value, out.seat.gpu);
  if (key == "uuid") return ReadText(key, value, out.seat.uuid);
  if (key == "gpu_model") return ReadText(key, value, out.seat.model);
  const auto coordinate = std::ranges::find(kCoordinateNames, key);
  if (coordinate == kCoordinateNames.end()) return std::nullopt;
  return ReadNumber(key, value,
                    out.coordinates[static_cast<size_t>(coordinate - kCoordinateNames.begin())]);
}

absl::Status ReadMember(std::string_view key, element value, Registration& out) {
  if (value.is_null()) return absl::OkStatus();
  if (const auto read = ReadWho(key, value, out)) return *read;
  if (key == "world_size") return ReadNumber(key, value, out.world_size);
  if (key == "from") return ReadTime(key, value, out.from_ms);
  if (key == "to") return ReadTime(key, value, out.to_ms);
  if (key == "alive") return ReadTime(key, value, out.alive_ms);
  if (key == "exit_code") return ReadNumber(key, value, out.exit_code);
  if (key == "model") return ReadEntries(key, value, kMaxInfoDepth, out.model);
  if (key == "parallelism") return ReadEntries(key, value, kMaxInfoDepth, out.parallelism);
  return absl::InvalidArgumentError(absl::StrFormat("unknown member \"%s\"", key));
}

absl::Status ReadOne(element value, std::vector<Registration>& out) {
  simdjson::dom::object object;
  if (value.get(object) != SUCCESS) return absl::InvalidArgumentError("not a JSON object");
  if (out.size() == kMaxRegistrations) {
    return absl::InvalidArgumentError(
        absl::StrFormat("a request may have at most %d registrations", kMaxRegistrations));
  }
  Registration& registration = out.emplace_back();
  for (const auto& [key, member] : object) {
    LOCKSTEP_RETURN_IF_ERROR(ReadMember(key, member, registration));
  }
  return absl::OkStatus();
}

absl::Status ReadNext(element value, std::vector<Registration>& out) {
  const size_t number = out.size() + 1;
  const absl::Status read = ReadOne(value, out);
  return read.ok() ? read : Annotate(read, absl::StrFormat("registration %d", number));
}

absl::Status ReadDocument(element document, std::vector<Registration>& out) {
  simdjson::dom::array list;
  if (document.get(list) != SUCCESS) return ReadNext(document, out);
  for (const element one : list) LOCKSTEP_RETURN_IF_ERROR(ReadNext(one, out));
  return absl::OkStatus();
}

absl::Status ReadLines(std::string_view text, simdjson::dom::parser& parser,
                       std::vector<Registration>& out) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    element document;
    const simdjson::error_code error = parser.parse(line.data(), line.size()).get(document);
    if (error != SUCCESS) {
      return absl::InvalidArgumentError(
          absl::StrFormat("line %d: %s", number, simdjson::error_message(error)));
    }
    LOCKSTEP_RETURN_IF_ERROR(ReadNext(document, out));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Registration>> ParseRegistrations(std::string_view text) {
  std::vector<Registration> registrations;
  simdjson::dom::parser parser;
  element document;
  if (parser.parse(text.data(), text.size()).get(document) == SUCCESS) {
    LOCKSTEP_RETURN_IF_ERROR(ReadDocument(document, registrations));
  } else {
    LOCKSTEP_RETURN_IF_ERROR(ReadLines(text, parser, registrations));
  }
  if (registrations.empty()) return absl::InvalidArgumentError("the request has no registrations");
  return registrations;
}

}  // namespace lockstep::identity
