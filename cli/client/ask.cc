#include "cli/client/ask.h"

#include <limits>

#include "absl/strings/str_format.h"
#include "base/text/url.h"

namespace lockstep::cli {
namespace {

using simdjson::dom::element;

constexpr int kHttpOk = 200;
constexpr int kHttpUnauthorized = 401;
constexpr int kHttpForbidden = 403;

std::string FormOf(const std::vector<Parameter>& parameters) {
  std::string form;
  for (const Parameter& parameter : parameters) {
    if (parameter.value.empty()) continue;
    if (!form.empty()) form += '&';
    form += absl::StrFormat("%s=%s", parameter.name, PercentEncode(parameter.value));
  }
  return form;
}

absl::Status NoAnswer() { return absl::DataLossError("the response is not a valid API response"); }

// Returns the body of a 200 response.
absl::StatusOr<std::string> BodyOf(absl::StatusOr<HttpReply> reply) {
  if (!reply.ok()) return reply.status();
  if (reply->status == kHttpOk) return std::move(reply->body);
  if (reply->status == kHttpUnauthorized || reply->status == kHttpForbidden) {
    return absl::PermissionDeniedError(absl::StrFormat(
        "HTTP %d: %s", reply->status, reply->body.substr(0, reply->body.find('\n'))));
  }
  const absl::StatusOr<Answer> answer = Answer::Parse(reply->body);
  return Annotate(answer.ok() ? NoAnswer() : answer.status(),
                  absl::StrFormat("HTTP %d", reply->status));
}

}  // namespace

absl::StatusOr<std::string> AskForText(HttpClient& client, std::string_view path,
                                       const std::vector<Parameter>& parameters) {
  return BodyOf(
      client.Post(path, {"Content-Type: application/x-www-form-urlencoded"}, FormOf(parameters)));
}

absl::StatusOr<Answer> Answer::Parse(std::string_view json) {
  Answer answer;
  answer.parser_ = std::make_unique<simdjson::dom::parser>();
  element whole;
  if (answer.parser_->parse(json.data(), json.size()).get(whole) != simdjson::SUCCESS) {
    return NoAnswer();
  }
  if (TextAt(whole, "/status") == "error") {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: %s", TextAt(whole, "/errorType"), TextAt(whole, "/error")));
  }
  if (whole["data"].get(answer.data_) != simdjson::SUCCESS) return NoAnswer();
  return answer;
}

absl::StatusOr<Answer> Ask(HttpClient& client, std::string_view path,
                           const std::vector<Parameter>& parameters) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, AskForText(client, path, parameters));
  return Answer::Parse(text);
}

absl::StatusOr<Answer> AskByGet(HttpClient& client, std::string_view path,
                                const std::vector<Parameter>& parameters) {
  const std::string with_parameters = absl::StrFormat("%s?%s", path, FormOf(parameters));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, BodyOf(client.Get(with_parameters)));
  return Answer::Parse(text);
}

double NumberAt(element element, std::string_view pointer) {
  double number = 0;
  return element.at_pointer(pointer).get(number) == simdjson::SUCCESS
             ? number
             : std::numeric_limits<double>::quiet_NaN();
}

std::string TextAt(element element, std::string_view pointer) {
  std::string_view text;
  if (element.at_pointer(pointer).get(text) != simdjson::SUCCESS) return "";
  return std::string(text);
}

std::vector<element> ListAt(element element, std::string_view pointer) {
  simdjson::dom::array array;
  if (element.at_pointer(pointer).get(array) != simdjson::SUCCESS) return {};
  return {array.begin(), array.end()};
}

std::vector<double> NumbersAt(element element, std::string_view pointer) {
  std::vector<double> numbers;
  for (const auto item : ListAt(element, pointer)) numbers.push_back(NumberAt(item, ""));
  return numbers;
}

}  // namespace lockstep::cli
