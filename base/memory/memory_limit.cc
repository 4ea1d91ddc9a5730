#include "base/memory/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/budget/memory_budget.h"

namespace lockstep {
namespace {

constexpr uint64_t kUnknown = MemoryBudget::kNoLimit;

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The number at the front; for no limit, version 2 has "max" and version 1 a number larger than any
// memory.
uint64_t NumberOr(std::string_view text, uint64_t otherwise) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::min(number, kUnknown) : otherwise;
}

uint64_t MachineBytes(const std::string& root) {
  const std::string text = ReadText(root + "/proc/meminfo");
  constexpr std::string_view kTotal = "MemTotal:";
  const size_t at = text.find(kTotal);
  if (at == std::string::npos) return kUnknown;
  std::string_view rest = std::string_view(text).substr(at + kTotal.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const uint64_t kibibytes = NumberOr(rest, kUnknown);
  return kibibytes == kUnknown ? kUnknown : kibibytes << 10;
}

// The smallest limit of the group at `path` below `mount` and of its parent groups.
uint64_t SmallestLimit(const std::string& mount, std::string path, const std::string& file) {
  uint64_t smallest = kUnknown;
  while (true) {
    smallest = std::min(smallest, NumberOr(ReadText(mount + path + "/" + file), kUnknown));
    if (path.empty() || path == "/") return smallest;
    path.resize(path.rfind('/'));
  }
}

// Lines of /proc/self/cgroup: "0::/path" in version 2, "4:memory:/path" in version 1. In a
// container the path may be the host's; then only its parent groups that exist are checked.
uint64_t GroupBytes(const std::string& root) {
  std::istringstream lines(ReadText(root + "/proc/self/cgroup"));
  uint64_t smallest = kUnknown;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    if (controllers == ",,") {
      smallest = std::min(smallest, SmallestLimit(root + "/sys/fs/cgroup", path, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      smallest = std::min(
          smallest, SmallestLimit(root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
    }
  }
  return smallest;
}

}  // namespace

uint64_t AvailableMemoryBytes(const std::string& root) {
  const uint64_t bytes = std::min(MachineBytes(root), GroupBytes(root));
  return bytes == kUnknown ? 0 : bytes;
}

uint64_t DefaultMemoryLimitBytes(const std::string& root) {
  const uint64_t available = AvailableMemoryBytes(root);
  return available == 0 ? MemoryBudget::kNoLimit : available / 10 * 6;
}

}  // namespace lockstep
