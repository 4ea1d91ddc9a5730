// A flat dictionary as Python prints it: {'loss': 2.31, 'epoch': '0.04', 'grad_norm': nan}. Pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::logs {

// Takes "'name': value" from the front of what stands inside the braces, with the comma behind it.
struct DictItem {
  std::string_view name;
  std::string_view value;  // without its quotes
};
std::optional<DictItem> TakeDictItem(std::string_view& text);

}  // namespace lockstep::logs
