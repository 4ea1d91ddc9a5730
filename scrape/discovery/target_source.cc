#include "scrape/discovery/target_source.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::scrape {

absl::Status FoundTargets::Add(TargetGroup group) {
  // Its texts are in the group, in the pool's copy of it, and twice in the pool's target.
  constexpr uint64_t kCopies = 4;
  constexpr uint64_t kGroupBytes = 512;
  uint64_t bytes = group.labels.bytes().size() + group.source.size();
  for (const std::string& address : group.addresses) bytes += address.size();
  LOCKSTEP_RETURN_IF_ERROR(memory.Add(kGroupBytes + kCopies * bytes));
  groups.push_back(std::move(group));
  return absl::OkStatus();
}

std::string HostOfUrl(std::string_view host) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  return is_ipv6 ? absl::StrFormat("[%s]", host) : std::string(host);
}

std::string HostWithPort(std::string_view host, uint64_t port) {
  return absl::StrFormat("%s:%d", HostOfUrl(host), port);
}

}  // namespace lockstep::scrape
