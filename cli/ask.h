// Questions to a server's HTTP API, and its answers. Not thread-safe.
#pragma once

#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct Parameter {
  std::string_view name;
  std::string value;  // left out of the question when empty
};

// The body of an answer of 200. Else kFailedPrecondition with the server's words, kDataLoss if the answer
// is none of the API's, or why none came.
absl::StatusOr<std::string> AskForText(HttpClient& client, std::string_view path,
                                       const std::vector<Parameter>& parameters);

// What an answer in JSON holds. Its elements live as long as it does.
class Answer {
 public:
  // kDataLoss if the text is no answer of the API; kFailedPrecondition with the server's words if it is an error.
  static absl::StatusOr<Answer> Parse(std::string_view json);

  simdjson::dom::element data() const { return data_; }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element data_;
};

absl::StatusOr<Answer> Ask(HttpClient& client, std::string_view path,
                           const std::vector<Parameter>& parameters);
// Likewise of a path that takes only GET.
absl::StatusOr<Answer> AskByGet(HttpClient& client, std::string_view path,
                                const std::vector<Parameter>& parameters);

// What stands at a JSON pointer: NaN, "" and an empty list where there is none of that kind.
double NumberAt(simdjson::dom::element element, std::string_view pointer);
std::string TextAt(simdjson::dom::element element, std::string_view pointer);
std::vector<simdjson::dom::element> ListAt(simdjson::dom::element element,
                                           std::string_view pointer);
// Numbers of a list; NaN for those that are null.
std::vector<double> NumbersAt(simdjson::dom::element element, std::string_view pointer);

}  // namespace lockstep::cli
