// A Kubernetes API server as a source of targets. Every lookup lists all objects that the role
// needs, in pages; nothing is watched in between.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "scrape/discovery/environment.h"
#include "scrape/discovery/kubernetes_objects.h"
#include "scrape/discovery/kubernetes_targets.h"
#include "scrape/discovery/sources.h"
#include "scrape/http_fetch.h"

namespace lockstep::scrape {
namespace {

using Clock = std::chrono::steady_clock;

// For all lists of a lookup together.
constexpr milliseconds kLookTimeout{30'000};
// Keeps a page of large pods to a few MB.
constexpr int kObjectsPerPage = 500;

struct Resource {
  std::string_view group;  // API group: "/api/v1"
  std::string_view name;
  bool has_namespace = true;
};

Resource ResourceOf(KubernetesRole role) {
  switch (role) {
    case KubernetesRole::kNode:
      return {"/api/v1", "nodes", false};
    case KubernetesRole::kPod:
      return {"/api/v1", "pods"};
    case KubernetesRole::kService:
      return {"/api/v1", "services"};
    case KubernetesRole::kEndpoints:
      return {"/api/v1", "endpoints"};
    case KubernetesRole::kEndpointSlice:
      return {"/apis/discovery.k8s.io/v1", "endpointslices"};
    case KubernetesRole::kIngress:
      return {"/apis/networking.k8s.io/v1", "ingresses"};
    case KubernetesRole::kNamespace:
      return {"/api/v1", "namespaces", false};
  }
  return {};
}

absl::StatusOr<std::string> OwnNamespace(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  std::string name = std::move(content).str();
  absl::StripAsciiWhitespace(&name);
  if (!file || name.empty()) {
    return absl::NotFoundError(absl::StrFormat("cannot read the pod's namespace in \"%s\"", path));
  }
  return name;
}

class KubernetesSource : public TargetSource {
 public:
  explicit KubernetesSource(KubernetesDiscovery config) : config_(std::move(config)) {}

  std::string name() const override {
    const std::string server = config_.api_server.empty() ? "the API server of this cluster"
                                                          : RedactUrl(config_.api_server);
    return absl::StrFormat("%s of %s", Name(config_.role), server);
  }

  absl::StatusOr<std::optional<FoundTargets>> Look() override {
    deadline_ = Clock::now() + kLookTimeout;
    LOCKSTEP_ASSIGN_OR_RETURN(const KubernetesAccess access, KubernetesAccessOf(config_));
    KubernetesObjects objects;
    for (const KubernetesRole role : ListedRoles()) {
      const absl::Status status = ListAll(access, role, objects);
      fetch_.DropBody();
      if (!status.ok()) return Annotate(status, ResourceOf(role).name);
    }
    LOCKSTEP_ASSIGN_OR_RETURN(FoundTargets found, KubernetesTargets(config_, objects));
    return found;
  }

 private:
  std::vector<KubernetesRole> ListedRoles() const {
    std::vector<KubernetesRole> roles = {config_.role};
    if (config_.role == KubernetesRole::kEndpoints ||
        config_.role == KubernetesRole::kEndpointSlice) {
      roles.push_back(KubernetesRole::kService);
      roles.push_back(KubernetesRole::kPod);
    }
    if (config_.attach_node) roles.push_back(KubernetesRole::kNode);
    if (config_.attach_namespace) roles.push_back(KubernetesRole::kNamespace);
    return roles;
  }

  absl::Status ListAll(const KubernetesAccess& access, KubernetesRole role,
                       KubernetesObjects& objects) {
    const Resource resource = ResourceOf(role);
    if (!resource.has_namespace || access.namespaces.empty()) {
      const std::string path = absl::StrFormat("%s/%s", resource.group, resource.name);
      return List(access, role, path, objects);
    }
    for (const std::string& name : access.namespaces) {
      const std::string path = absl::StrFormat("%s/namespaces/%s/%s", resource.group,
                                               PercentEncode(name), resource.name);
      LOCKSTEP_RETURN_IF_ERROR(List(access, role, path, objects));
    }
    return absl::OkStatus();
  }

  absl::Status List(const KubernetesAccess& access, KubernetesRole role, const std::string& path,
                    KubernetesObjects& objects) {
    const std::string url =
        absl::StrFormat("%s%s?limit=%d%s", access.url, path, kObjectsPerPage, SelectorOf(role));
    std::string next;
    do {
      FetchOptions options;
      options.url = next.empty() ? url : url + "&continue=" + PercentEncode(next);
      options.headers = {"Accept: application/json"};
      options.http = access.http;
      options.is_cancelled = &is_cancelled();
      options.timeout = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
      if (options.timeout <= milliseconds(0)) {
        return absl::DeadlineExceededError(
            absl::StrFormat("the lists took longer than %d ms", kLookTimeout.count()));
      }
      const absl::Status status = fetch_.Send(options);
      if (!status.ok()) return Refusal(status);
      LOCKSTEP_ASSIGN_OR_RETURN(next, ReadKubernetesPage(role, fetch_.body(), objects));
    } while (!next.empty());
    return absl::OkStatus();
  }

  // Adds the server's explanation.
  absl::Status Refusal(const absl::Status& status) const {
    const std::string reason = KubernetesRefusal(fetch_.body());
    if (reason.empty()) return status;
    return {status.code(), absl::StrFormat("%s: %s", Message(status), reason)};
  }

  std::string SelectorOf(KubernetesRole role) const {
    std::string parameters;
    for (const KubernetesSelector& selector : config_.selectors) {
      if (selector.role != role) continue;
      if (!selector.label.empty()) parameters += "&labelSelector=" + PercentEncode(selector.label);
      if (!selector.field.empty()) parameters += "&fieldSelector=" + PercentEncode(selector.field);
    }
    return parameters;
  }

  const KubernetesDiscovery config_;
  HttpFetch fetch_;
  Clock::time_point deadline_;  // of the lookup
};

}  // namespace

absl::StatusOr<KubernetesAccess> KubernetesAccessOf(const KubernetesDiscovery& config,
                                                    std::string_view service_account_folder) {
  KubernetesAccess access;
  access.namespaces = config.namespaces;
  access.url = config.api_server;
  access.http = config.http;
  if (access.url.empty()) {
    const std::string_view host = EnvironmentAt("KUBERNETES_SERVICE_HOST");
    const std::string_view port = EnvironmentAt("KUBERNETES_SERVICE_PORT");
    if (host.empty() || port.empty()) {
      return absl::FailedPreconditionError(
          "this process is not in a pod with KUBERNETES_SERVICE_HOST and "
          "KUBERNETES_SERVICE_PORT in its environment: kubernetes_sd_configs needs api_server");
    }
    access.url = absl::StrFormat("https://%s:%s", HostOfUrl(host), port);
    access.http.credentials.file = absl::StrFormat("%s/token", service_account_folder);
    access.http.tls.ca_file = absl::StrFormat("%s/ca.crt", service_account_folder);
  }
  if (config.own_namespace) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        std::string own, OwnNamespace(absl::StrFormat("%s/namespace", service_account_folder)));
    access.namespaces.push_back(std::move(own));
  }
  std::ranges::sort(access.namespaces);
  const auto repeated = std::ranges::unique(access.namespaces);
  access.namespaces.erase(repeated.begin(), repeated.end());
  return access;
}

std::unique_ptr<TargetSource> MakeKubernetesSource(KubernetesDiscovery config) {
  return std::make_unique<KubernetesSource>(std::move(config));
}

}  // namespace lockstep::scrape
