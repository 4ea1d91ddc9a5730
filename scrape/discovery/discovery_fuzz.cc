// What a name server, an API server or Slurm answers is refused, or becomes targets that have an
// address and a source. The first byte says whose answer the rest is.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/check.h"
#include "scrape/discovery/dns_source.h"
#include "scrape/discovery/kubernetes_targets.h"
#include "scrape/discovery/slurm_source.h"

namespace lockstep::scrape {
namespace {

constexpr std::array kTypes = {DnsRecordType::kSrv, DnsRecordType::kA, DnsRecordType::kAaaa,
                               DnsRecordType::kMx, DnsRecordType::kNs};
constexpr std::array kRoles = {KubernetesRole::kNode, KubernetesRole::kPod,
                               KubernetesRole::kService, KubernetesRole::kEndpoints,
                               KubernetesRole::kEndpointSlice};

absl::StatusOr<FoundTargets> Kubernetes(KubernetesRole role, const std::string& json) {
  KubernetesDiscovery config;
  config.role = role;
  KubernetesObjects objects;
  LOCKSTEP_RETURN_IF_ERROR(ReadKubernetesPage(role, json, objects).status());
  return KubernetesTargets(config, objects);
}

absl::StatusOr<FoundTargets> Found(uint8_t kind, std::span<const uint8_t> answer) {
  const std::string text(reinterpret_cast<const char*>(answer.data()), answer.size());
  if (kind < kTypes.size()) {
    DnsDiscovery config;
    config.names = {"n.example"};
    config.type = kTypes[kind];
    config.port = 1;
    return DnsTargets(config, answer);
  }
  if (kind < kTypes.size() + kRoles.size()) {
    KubernetesRefusal(text);
    return Kubernetes(kRoles[kind - kTypes.size()], text);
  }
  return SlurmTargets(text, 1);
}

}  // namespace
}  // namespace lockstep::scrape

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::scrape;
  if (size == 0) return 0;
  constexpr uint8_t kKinds = kTypes.size() + kRoles.size() + 1;
  const auto found = Found(data[0] % kKinds, std::span(data + 1, size - 1));
  if (!found.ok()) return 0;
  for (const TargetGroup& group : found->groups) {
    LOCKSTEP_CHECK(!group.source.empty());
    LOCKSTEP_CHECK(group.addresses.size() == 1 && !group.addresses.front().empty());
  }
  return 0;
}
