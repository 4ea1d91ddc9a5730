// Form: the parameters of a request, from the query string and from a form body.
//
// Tolerates what clients send: brackets and braces need no encoding, a stray '%' stands for itself,
// '+' is a space. Parameters of the body come before those of the URL, as in Go's
// http.Request.Form.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/http.h"

namespace lockstep::api {

class Form {
 public:
  Form() = default;
  static Form Of(const Request& request);

  // The first value of that name, or "".
  std::string_view Get(std::string_view name) const;
  // All values of that name, in order.
  std::vector<std::string_view> GetAll(std::string_view name) const;

 private:
  void Parse(std::string_view text);

  std::vector<std::pair<std::string, std::string>> fields_;
};

// Whether to parse the body of `request` as a form. True if the Content-Type is missing, because
// some clients omit it.
bool IsForm(const Request& request);

enum class PlusSign { kIsSpace, kIsPlus };
// Decodes percent-encoding.
std::string PercentDecode(std::string_view text, PlusSign plus);

}  // namespace lockstep::api
