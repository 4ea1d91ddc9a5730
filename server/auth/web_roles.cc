#include "server/auth/web_roles.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"
#include "model/matcher.h"
#include "model/tenant.h"

namespace lockstep::server {
namespace {

using Node = YAML::Node;

// One entry of the list, as written.
struct RoleEntry {
  std::string user;
  std::string token;
  std::string san;
  std::string subject;
  std::vector<std::string> roles;
  std::optional<std::string> jobs;
  std::optional<std::vector<std::string>> tenants;
  uint64_t max_samples_per_second = 0;

  std::pair<std::string_view, std::string_view> who() const {
    if (!user.empty()) return {"user", user};
    if (!token.empty()) return {"token", token};
    if (!san.empty()) return {"certificate_san", san};
    return {"certificate_subject", subject};
  }
};

class RoleReader {
 public:
  RoleReader(const std::string& path, WebConfig& config) : path_(path), config_(config) {}

  absl::Status Read(const Node& list) {
    if (!list.IsSequence()) return Wrong(list, "lockstep_roles must be a list");
    config_.has_roles = true;
    for (BasicAuthUser& user : config_.users) user.grant.roles = api::RoleSet();
    for (BearerToken& token : config_.tokens) token.grant.roles = api::RoleSet();
    for (const Node& node : list) {
      LOCKSTEP_ASSIGN_OR_RETURN(const RoleEntry entry, ReadEntry(node));
      LOCKSTEP_ASSIGN_OR_RETURN(api::Grant grant, GrantOf(node, entry));
      LOCKSTEP_RETURN_IF_ERROR(Give(node, entry, std::move(grant)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Wrong(const Node& node, std::string_view what) const {
    return YamlError(path_, node, what);
  }

  absl::StatusOr<RoleEntry> ReadEntry(const Node& node) const {
    RoleEntry entry;
    const auto text = [this](std::string_view key, std::string& into) -> YamlKey {
      return {key, [this, key, &into](const Node& value) -> absl::Status {
                LOCKSTEP_ASSIGN_OR_RETURN(into, YamlText(path_, value, key));
                return absl::OkStatus();
              }};
    };
    const auto read_roles = [this, &entry](const Node& value) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(entry.roles, YamlTexts(path_, value, "roles"));
      return absl::OkStatus();
    };
    const auto read_jobs = [this, &entry](const Node& value) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(entry.jobs, YamlText(path_, value, "jobs"));
      return absl::OkStatus();
    };
    const auto read_tenants = [this, &entry](const Node& value) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(entry.tenants, YamlTexts(path_, value, "tenants"));
      return absl::OkStatus();
    };
    const auto read_rate = [this, &entry](const Node& value) -> absl::Status {
      if (YAML::convert<uint64_t>::decode(value, entry.max_samples_per_second) &&
          entry.max_samples_per_second > 0) {
        return absl::OkStatus();
      }
      return Wrong(value, "max_samples_per_second must be a positive whole number");
    };
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path_, node, "lockstep_roles",
                                         {text("user", entry.user),
                                          text("token", entry.token),
                                          text("certificate_san", entry.san),
                                          text("certificate_subject", entry.subject),
                                          {"roles", read_roles},
                                          {"jobs", read_jobs},
                                          {"tenants", read_tenants},
                                          {"max_samples_per_second", read_rate}}));
    const auto named =
        !entry.user.empty() + !entry.token.empty() + !entry.san.empty() + !entry.subject.empty();
    if (named == 1) return entry;
    return Wrong(node,
                 "each entry of lockstep_roles must name one user, token, certificate_san or "
                 "certificate_subject");
  }

  absl::StatusOr<api::Grant> GrantOf(const Node& node, const RoleEntry& entry) const {
    api::Grant grant{.roles = api::RoleSet()};
    grant.max_samples_per_second = entry.max_samples_per_second;
    for (const std::string& name : entry.roles) {
      const std::optional<api::Role> role = api::ParseRole(name);
      if (!role.has_value()) {
        return Wrong(node, absl::StrFormat("\"%s\" is not a role; roles are read, write, push, "
                                           "rules, metrics, cross-tenant and admin",
                                           name));
      }
      grant.roles.Add(*role);
    }
    LOCKSTEP_ASSIGN_OR_RETURN(grant.tenants, TenantsOf(node, entry.tenants, grant.roles));
    if (!entry.jobs.has_value()) return grant;
    if (!grant.roles.CanBeHeldToJobs()) {
      return Wrong(node,
                   "jobs limits what is read and written; it only applies to the roles read, "
                   "write, push and cross-tenant");
    }
    absl::StatusOr<Matcher> jobs = Matcher::Make(MatchType::kRegex, "job", *entry.jobs);
    if (!jobs.ok()) return Wrong(node, absl::StrFormat("jobs: %s", Message(jobs.status())));
    grant.jobs = *std::move(jobs);
    return grant;
  }

  // nullopt: all tenants.
  absl::StatusOr<std::optional<std::vector<std::string>>> TenantsOf(
      const Node& node, const std::optional<std::vector<std::string>>& given,
      const api::RoleSet& roles) const {
    if (!given.has_value()) {
      if (roles.Allows(api::Role::kAdmin)) return std::nullopt;
      return std::vector<std::string>{""};
    }
    const std::vector<std::string>& ids = *given;
    if (ids == std::vector<std::string>{"*"}) return std::nullopt;
    if (ids.empty()) return Wrong(node, "tenants must name at least one tenant");
    std::vector<std::string> tenants;
    for (const std::string& id : ids) {
      absl::StatusOr<std::string> tenant =
          id == "*" ? absl::InvalidArgumentError("\"*\" must be the only entry") : TenantOfId(id);
      if (!tenant.ok()) {
        return Wrong(node, absl::StrFormat("tenants: \"%s\": %s", id, Message(tenant.status())));
      }
      tenants.push_back(*std::move(tenant));
    }
    return tenants;
  }

  absl::Status Give(const Node& node, const RoleEntry& entry, api::Grant grant) {
    const auto [kind, name] = entry.who();
    if (!seen_.emplace(kind, name).second) {
      return Wrong(node, absl::StrFormat("the roles of %s \"%s\" are listed twice", kind, name));
    }
    if (!entry.user.empty()) return GiveTo(node, entry, config_.users, std::move(grant));
    if (!entry.token.empty()) return GiveTo(node, entry, config_.tokens, std::move(grant));
    const bool is_verified =
        config_.tls.has_value() && (config_.tls->client_auth == ClientAuth::kVerifyIfGiven ||
                                    config_.tls->client_auth == ClientAuth::kRequireAndVerify);
    if (!is_verified) {
      return Wrong(node,
                   "roles of certificates require a client_auth_type that verifies them: "
                   "VerifyClientCertIfGiven or RequireAndVerifyClientCert");
    }
    config_.certificates.push_back({entry.san, entry.subject, std::move(grant)});
    return absl::OkStatus();
  }

  template <typename Named>
  absl::Status GiveTo(const Node& node, const RoleEntry& entry, std::vector<Named>& all,
                      api::Grant grant) const {
    const auto [kind, name] = entry.who();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Named& known) {
      return known.name == entry.who().second;
    });
    if (found == all.end()) {
      return Wrong(node, absl::StrFormat("there is no %s \"%s\"", kind, name));
    }
    found->grant = std::move(grant);
    return absl::OkStatus();
  }

  const std::string& path_;
  WebConfig& config_;
  std::set<std::pair<std::string, std::string>> seen_;  // kind and name
};

}  // namespace

absl::Status ReadRoles(const std::string& path, const YAML::Node& node, WebConfig& config) {
  return RoleReader(path, config).Read(node);
}

}  // namespace lockstep::server
