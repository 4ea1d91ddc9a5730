#include "cli/list_setting.h"

#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep::cli {

bool IsListed(const GivenValue& value, const ListForm& form) {
  return value.name.size() > form.name.size() && value.name.starts_with(form.name) &&
         value.name[form.name.size()] == '[';
}

absl::StatusOr<ListedValue> ParseListed(const GivenValue& value, const ListForm& form,
                                        size_t count) {
  const std::string_view rest = std::string_view(value.name).substr(form.name.size() + 1);
  size_t index = 0;
  const char* const end = rest.data() + rest.size();
  const auto [at, error] = std::from_chars(rest.data(), end, index);
  const std::string_view key(at, static_cast<size_t>(end - at));
  if (error == std::errc() && key == "]") {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: \"%s\" %s", value.origin, value.name, form.needs));
  }
  // The file counts them; a flag cannot be called so.
  if (error != std::errc() || !key.starts_with("].") || index > count) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: unknown key \"%s\"", value.origin, value.name));
  }
  if (index == form.max_count) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: %s: at most %d %s can be given", value.origin, form.name, form.max_count, form.items));
  }
  return ListedValue{index, std::string(key.substr(2))};
}

}  // namespace lockstep::cli
