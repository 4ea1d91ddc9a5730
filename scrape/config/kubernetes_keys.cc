#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/config/discovery_keys.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kKubernetesKey = "kubernetes_sd_configs";
// Indexed by KubernetesRole.
constexpr std::array<std::string_view, 7> kRoleNames = {
    "node", "pod", "service", "endpoints", "endpointslice", "ingress", "namespace"};

std::optional<KubernetesRole> RoleOf(std::string_view name) {
  const auto known = std::find(kRoleNames.begin(), kRoleNames.end(), name);
  const auto role = static_cast<KubernetesRole>(known - kRoleNames.begin());
  if (known == kRoleNames.end() || role == KubernetesRole::kNamespace) return std::nullopt;
  return role;
}

bool HasPods(KubernetesRole role) {
  return role == KubernetesRole::kPod || role == KubernetesRole::kEndpoints ||
         role == KubernetesRole::kEndpointSlice;
}

// Whether this discovery lists objects of the role `listed`.
bool Lists(const KubernetesDiscovery& discovery, KubernetesRole listed) {
  if (listed == discovery.role) return true;
  switch (listed) {
    case KubernetesRole::kNode:
      return discovery.attach_node;
    case KubernetesRole::kPod:
    case KubernetesRole::kService:
      return discovery.role == KubernetesRole::kEndpoints ||
             discovery.role == KubernetesRole::kEndpointSlice;
    default:
      return false;
  }
}

class KubernetesReader {
 public:
  explicit KubernetesReader(const ConfigKeys& keys) : keys_(keys) {}

  absl::StatusOr<KubernetesDiscovery> Read(const YAML::Node& node) const {
    KubernetesDiscovery discovery;
    std::string role;
    std::vector<YamlKey> keys = {
        keys_.Text("role", role),
        keys_.Text("api_server", discovery.api_server),
        keys_.Duration("refresh_interval", discovery.refresh_interval),
        {"namespaces", [&](const YAML::Node& value) { return ReadNamespaces(value, discovery); }},
        {"selectors", [&](const YAML::Node& value) { return ReadSelectors(value, discovery); }},
        {"attach_metadata",
         [&](const YAML::Node& value) { return ReadAttached(value, discovery); }},
    };
    for (YamlKey& key : keys_.HttpClient(discovery.http)) keys.push_back(std::move(key));
    ConfigKeys::AddUnsupported(keys_.path(), kKubernetesKey, {"kubeconfig_file"}, keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kKubernetesKey, keys));
    if (role.empty()) return keys_.Error(node, "kubernetes_sd_configs needs role");
    LOCKSTEP_ASSIGN_OR_RETURN(discovery.role, ReadRole(node["role"], role));
    LOCKSTEP_RETURN_IF_ERROR(CheckServer(node, discovery));
    LOCKSTEP_RETURN_IF_ERROR(CheckLists(node, discovery));
    LOCKSTEP_RETURN_IF_ERROR(CheckHttpClient(keys_, node, discovery.http));
    return discovery;
  }

 private:
  absl::StatusOr<KubernetesRole> ReadRole(const YAML::Node& node, std::string_view name) const {
    if (const auto role = RoleOf(name)) return *role;
    return keys_.Error(node, absl::StrFormat("role \"%s\" is not one of node, pod, service, "
                                             "endpoints, endpointslice and ingress",
                                             name));
  }

  absl::Status ReadNamespaces(const YAML::Node& node, KubernetesDiscovery& discovery) const {
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, "namespaces",
                                         {keys_.Texts("names", discovery.namespaces),
                                          keys_.Bool("own_namespace", discovery.own_namespace)}));
    for (const std::string& name : discovery.namespaces) {
      if (name.empty()) return keys_.Error(node, "namespaces: a name is empty");
    }
    return absl::OkStatus();
  }

  absl::Status ReadSelectors(const YAML::Node& node, KubernetesDiscovery& discovery) const {
    if (!node.IsSequence()) return keys_.Error(node, "selectors has to be a list");
    for (const YAML::Node& item : node) {
      KubernetesSelector selector;
      std::string role;
      LOCKSTEP_RETURN_IF_ERROR(
          ReadYamlMap(keys_.path(), item, "selectors",
                      {keys_.Text("role", role), keys_.Text("label", selector.label),
                       keys_.Text("field", selector.field)}));
      LOCKSTEP_ASSIGN_OR_RETURN(selector.role, ReadRole(item, role));
      const bool is_there = std::ranges::any_of(
          discovery.selectors, [&](const auto& other) { return other.role == selector.role; });
      if (is_there) {
        return keys_.Error(item, absl::StrFormat("selectors has the role %s twice", role));
      }
      discovery.selectors.push_back(std::move(selector));
    }
    return absl::OkStatus();
  }

  absl::Status ReadAttached(const YAML::Node& node, KubernetesDiscovery& discovery) const {
    std::vector<YamlKey> keys = {keys_.Bool("node", discovery.attach_node),
                                 keys_.Bool("namespace", discovery.attach_namespace)};
    ConfigKeys::AddUnsupported(keys_.path(), "attach_metadata", {"deployment", "job", "cronjob"},
                               keys);
    return ReadYamlMap(keys_.path(), node, "attach_metadata", keys);
  }

  absl::Status CheckServer(const YAML::Node& node, KubernetesDiscovery& discovery) const {
    std::string& url = discovery.api_server;
    if (url.empty()) {
      if (discovery.http == HttpClientConfig()) return absl::OkStatus();
      return keys_.Error(node,
                         "kubernetes_sd_configs allows HTTP client keys only with "
                         "api_server");
    }
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
      return keys_.Error(node["api_server"],
                         absl::StrFormat("api_server: \"%s\" is not an http or https URL", url));
    }
    while (url.ends_with('/')) url.pop_back();
    if (!discovery.own_namespace) return absl::OkStatus();
    return keys_.Error(node, "namespaces: own_namespace cannot be used with api_server");
  }

  absl::Status CheckLists(const YAML::Node& node, const KubernetesDiscovery& discovery) const {
    const std::string_view role = Name(discovery.role);
    const bool is_node = discovery.role == KubernetesRole::kNode;
    if ((discovery.attach_node && !HasPods(discovery.role)) ||
        (discovery.attach_namespace && is_node)) {
      return keys_.Error(node["attach_metadata"],
                         absl::StrFormat("attach_metadata cannot be used with the role %s", role));
    }
    for (const KubernetesSelector& selector : discovery.selectors) {
      if (Lists(discovery, selector.role)) continue;
      return keys_.Error(node["selectors"],
                         absl::StrFormat("selectors for %s cannot be used with the role %s",
                                         Name(selector.role), role));
    }
    return absl::OkStatus();
  }

  const ConfigKeys& keys_;
};

}  // namespace

std::string_view Name(KubernetesRole role) { return kRoleNames[static_cast<size_t>(role)]; }

absl::Status ReadKubernetesDiscovery(const ConfigKeys& keys, const YAML::Node& node,
                                     std::vector<KubernetesDiscovery>& into) {
  if (!node.IsSequence()) return keys.Error(node, "kubernetes_sd_configs has to be a list");
  for (const YAML::Node& item : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(KubernetesDiscovery discovery, KubernetesReader(keys).Read(item));
    into.push_back(std::move(discovery));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
