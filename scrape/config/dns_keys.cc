#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/config/discovery_keys.h"

namespace lockstep::scrape {
namespace {

// The limit of the wire format.
constexpr size_t kMaxNameBytes = 253;
// Indexed by DnsRecordType.
constexpr std::array<std::string_view, 5> kRecordTypeNames = {"SRV", "A", "AAAA", "MX", "NS"};

absl::Status CheckDns(const ConfigKeys& keys, const YAML::Node& node, std::string_view type,
                      DnsDiscovery& discovery) {
  const auto known = std::find(kRecordTypeNames.begin(), kRecordTypeNames.end(), type);
  if (known == kRecordTypeNames.end()) {
    return keys.Error(node,
                      absl::StrFormat("dns_sd_configs: type \"%s\" is not one of SRV, A, AAAA, MX "
                                      "and NS",
                                      type));
  }
  discovery.type = static_cast<DnsRecordType>(known - kRecordTypeNames.begin());
  if (discovery.names.empty()) return keys.Error(node, "dns_sd_configs needs names");
  for (const std::string& name : discovery.names) {
    if (name.empty() || name.size() > kMaxNameBytes || name.find('\0') != std::string::npos) {
      return keys.Error(node, absl::StrFormat("dns_sd_configs: \"%s\" is not a DNS name", name));
    }
  }
  if (discovery.type != DnsRecordType::kSrv && discovery.port == 0) {
    return keys.Error(node,
                      absl::StrFormat("dns_sd_configs needs port for records of type %s", type));
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view Name(DnsRecordType type) { return kRecordTypeNames[static_cast<size_t>(type)]; }

absl::Status ReadDnsDiscovery(const ConfigKeys& keys, const YAML::Node& node,
                              std::vector<DnsDiscovery>& into) {
  if (!node.IsSequence()) return keys.Error(node, "dns_sd_configs has to be a list");
  for (const YAML::Node& item : node) {
    DnsDiscovery discovery;
    std::string type(Name(discovery.type));
    LOCKSTEP_RETURN_IF_ERROR(
        ReadYamlMap(keys.path(), item, "dns_sd_configs",
                    {keys.Texts("names", discovery.names), keys.Text("type", type),
                     keys.Port("port", discovery.port),
                     keys.Duration("refresh_interval", discovery.refresh_interval)}));
    LOCKSTEP_RETURN_IF_ERROR(CheckDns(keys, item, type, discovery));
    into.push_back(std::move(discovery));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
