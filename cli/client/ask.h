// Requests to a server's HTTP API, and its responses. Not thread-safe.
#pragma once

#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/client/http_client.h"

namespace lockstep::cli {

struct Parameter {
  std::string_view name;
  std::string value;  // omitted from the request when empty
};

// Returns the body of a 200 response. Fails with kFailedPrecondition and the server's message, with
// kDataLoss if the body is not a valid API response, or with the transport error.
absl::StatusOr<std::string> AskForText(HttpClient& client, std::string_view path,
                                       const std::vector<Parameter>& parameters);

// A JSON response. Its elements live as long as it does.
class Answer {
 public:
  // Fails with kDataLoss if the text is not an API response, and with kFailedPrecondition and the
  // server's message if it is an error.
  static absl::StatusOr<Answer> Parse(std::string_view json);

  simdjson::dom::element data() const { return data_; }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element data_;
};

absl::StatusOr<Answer> Ask(HttpClient& client, std::string_view path,
                           const std::vector<Parameter>& parameters);
// The same for a path that only supports GET.
absl::StatusOr<Answer> AskByGet(HttpClient& client, std::string_view path,
                                const std::vector<Parameter>& parameters);

// The value at a JSON pointer; NaN, "" or an empty list if it is missing or has another type.
double NumberAt(simdjson::dom::element element, std::string_view pointer);
std::string TextAt(simdjson::dom::element element, std::string_view pointer);
std::vector<simdjson::dom::element> ListAt(simdjson::dom::element element,
                                           std::string_view pointer);
// The numbers of a list; null becomes NaN.
std::vector<double> NumbersAt(simdjson::dom::element element, std::string_view pointer);

}  // namespace lockstep::cli
