// ContentType: a parsed Content-Type header. Source: RFC 9110, "Media Type".
#pragma once

#include <string_view>

namespace lockstep::api {

class ContentType {
 public:
  // Keeps a view of the header, which must outlive it.
  explicit ContentType(std::string_view header) : header_(header) {}

  // Whether the media type without parameters is `media_type`, ignoring case: "application/json".
  bool Is(std::string_view media_type) const;
  // The value of the first parameter of that name, ignoring case, without quotes; "" if there is
  // none.
  std::string_view Parameter(std::string_view name) const;

 private:
  std::string_view header_;
};

}  // namespace lockstep::api
