// GroupName: one string for a tenant and one of its jobs or metric names. Only in memory. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

struct GroupParts {
  std::string_view tenant;
  std::string_view value;
};

// `value` itself for the default tenant. A tenant's name has no zero byte, so no two groups share a
// string; a value that begins with a zero byte is marked by a second one.
inline std::string GroupName(std::string_view tenant, std::string_view value) {
  if (tenant.empty() && !value.starts_with('\0')) return std::string(value);
  std::string name(1, '\0');
  name += tenant;
  name += '\0';
  name += value;
  return name;
}

// Views into `name`.
inline GroupParts PartsOfGroupName(std::string_view name) {
  if (!name.starts_with('\0')) return {"", name};
  name.remove_prefix(1);
  const size_t end = name.find('\0');
  return {name.substr(0, end), name.substr(end + 1)};
}

}  // namespace lockstep
