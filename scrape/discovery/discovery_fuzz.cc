// Answers of a name server, an API server, Slurm or EC2 are refused, or become targets with an
// address and a source. The first byte selects the sender.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/check.h"
#include "scrape/discovery/ec2_answers.h"
#include "scrape/discovery/kubernetes_targets.h"
#include "scrape/discovery/sources.h"

namespace lockstep::scrape {
namespace {

constexpr std::array kTypes = {DnsRecordType::kSrv, DnsRecordType::kA, DnsRecordType::kAaaa,
                               DnsRecordType::kMx, DnsRecordType::kNs};
constexpr std::array kRoles = {KubernetesRole::kNode, KubernetesRole::kPod,
                               KubernetesRole::kService, KubernetesRole::kEndpoints,
                               KubernetesRole::kEndpointSlice};

constexpr uint8_t kSlurmKind = kTypes.size() + kRoles.size();
constexpr uint8_t kIngressKind = kSlurmKind + 2;
constexpr uint8_t kKinds = kIngressKind + 1;

absl::StatusOr<FoundTargets> Kubernetes(KubernetesRole role, const std::string& json) {
  KubernetesDiscovery config;
  config.role = role;
  KubernetesObjects objects;
  LOCKSTEP_RETURN_IF_ERROR(ReadKubernetesPage(role, json, objects).status());
  return KubernetesTargets(config, objects);
}

absl::StatusOr<FoundTargets> Ec2(const std::string& xml) {
  Ec2Refusal(xml);
  const auto zones = ReadEc2Zones(xml);
  LOCKSTEP_ASSIGN_OR_RETURN(const Ec2Page page, ReadEc2Page(xml));
  FoundTargets found;
  LOCKSTEP_RETURN_IF_ERROR(
      AddEc2Targets(page, "us-east-1", zones.ok() ? *zones : Ec2Zones(), 1, found));
  return found;
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
  if (kind < kSlurmKind) {
    KubernetesRefusal(text);
    return Kubernetes(kRoles[kind - kTypes.size()], text);
  }
  if (kind == kSlurmKind) return SlurmTargets(text, 1);
  if (kind == kIngressKind) return Kubernetes(KubernetesRole::kIngress, text);
  return Ec2(text);
}

}  // namespace
}  // namespace lockstep::scrape

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::scrape;
  if (size == 0) return 0;
  const auto found = Found(data[0] % kKinds, std::span(data + 1, size - 1));
  if (!found.ok()) return 0;
  for (const TargetGroup& group : found->groups) {
    LOCKSTEP_CHECK(!group.source.empty());
    LOCKSTEP_CHECK(group.addresses.size() == 1 && !group.addresses.front().empty());
  }
  return 0;
}
