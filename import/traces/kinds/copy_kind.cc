#include "import/traces/kinds/copy_kind.h"

#include <utility>

namespace lockstep::traces {
namespace {

constexpr std::pair<std::string_view, std::string_view> kDirections[] = {
    {"HtoD", "h2d"}, {"DtoH", "d2h"}, {"DtoD", "d2d"}, {"PtoP", "p2p"},
    {"HtoH", "h2h"}, {"HtoA", "h2d"}, {"AtoH", "d2h"}, {"Memset", "memset"},
};

bool Contains(std::string_view text, std::string_view words) {
  return text.find(words) != text.npos;
}

std::string_view DirectionOf(std::string_view name) {
  for (const auto& [written, direction] : kDirections) {
    if (Contains(name, written)) return direction;
  }
  return "other";
}

std::string_view MemoryOf(std::string_view name) {
  if (Contains(name, "Pageable")) return "pageable";
  if (Contains(name, "Pinned")) return "pinned";
  if (Contains(name, "Device") || Contains(name, "Array")) return "device";
  return "";
}

}  // namespace

CopyKind CopyKindOf(std::string_view name) { return {DirectionOf(name), MemoryOf(name)}; }

bool IsBlockingCopy(std::string_view call) {
  const bool copies = Contains(call, "Memcpy") || Contains(call, "Memset");
  return copies && !Contains(call, "Async");
}

}  // namespace lockstep::traces
