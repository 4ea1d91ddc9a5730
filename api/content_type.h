// ContentType: what a Content-Type header says. Source: RFC 9110, "Media Type".
#pragma once

#include <string_view>

namespace lockstep::api {

class ContentType {
 public:
  // A view of the header, which outlives it.
  explicit ContentType(std::string_view header) : header_(header) {}

  // Whether the type before the parameters is `media_type`, any case: "application/json".
  bool Is(std::string_view media_type) const;
  // The value of the first parameter of that name, any case, without its quotes; "" when there is none.
  std::string_view Parameter(std::string_view name) const;

 private:
  std::string_view header_;
};

}  // namespace lockstep::api
