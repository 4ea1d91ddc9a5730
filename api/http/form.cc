#include "api/http/form.h"

#include <algorithm>

namespace lockstep::api {
namespace {

// -1 if `c` is not a hexadecimal digit.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string PercentDecode(std::string_view text, PlusSign plus) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (text[i] == '%' && high >= 0 && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' && plus == PlusSign::kIsSpace ? ' ' : text[i];
    }
  }
  return out;
}

bool IsForm(const Request& request) {
  if (request.method != "POST") return false;
  const std::string_view type = request.header("Content-Type");
  return type.empty() || type.starts_with("application/x-www-form-urlencoded");
}

Form Form::Of(const Request& request) {
  Form form;
  if (IsForm(request)) form.Parse(request.body);
  const std::string_view target = request.target;
  if (const size_t mark = target.find('?'); mark != std::string_view::npos) {
    form.Parse(target.substr(mark + 1));
  }
  return form;
}

void Form::Parse(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (field.empty()) continue;
    const size_t equals = std::min(field.find('='), field.size());
    const std::string_view value = field.substr(std::min(equals + 1, field.size()));
    fields_.emplace_back(PercentDecode(field.substr(0, equals), PlusSign::kIsSpace),
                         PercentDecode(value, PlusSign::kIsSpace));
  }
}

std::string_view Form::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string_view> Form::GetAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

}  // namespace lockstep::api
