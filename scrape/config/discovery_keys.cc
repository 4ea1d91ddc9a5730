// The part of ConfigKeys for service discovery.
#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/config/config_keys.h"
#include "scrape/config/discovery_keys.h"
#include "scrape/config/target_groups.h"

namespace lockstep::scrape {

std::vector<YamlKey> ConfigKeys::Discovery(std::string_view where, DiscoveryConfig& into) const {
  std::vector<YamlKey> keys = {
      {"static_configs",
       [this, &into](const YAML::Node& node) -> absl::Status {
         LOCKSTEP_ASSIGN_OR_RETURN(into.static_groups,
                                   ReadTargetGroups(path_, node, "static_configs"));
         return absl::OkStatus();
       }},
      {"file_sd_configs",
       [this, &into](const YAML::Node& node) { return ReadFiles(node, into.files); }},
      {"http_sd_configs",
       [this, &into](const YAML::Node& node) { return ReadUrls(node, into.urls); }},
      {"dns_sd_configs",
       [this, &into](const YAML::Node& node) { return ReadDnsDiscovery(*this, node, into.dns); }},
      {"ec2_sd_configs",
       [this, &into](const YAML::Node& node) { return ReadEc2Discovery(*this, node, into.ec2); }},
      {"kubernetes_sd_configs",
       [this, &into](const YAML::Node& node) {
         return ReadKubernetesDiscovery(*this, node, into.kubernetes);
       }},
      {"slurm_sd_configs",
       [this, &into](const YAML::Node& node) {
         return ReadSlurmDiscovery(*this, node, into.slurm);
       }},
  };
  AddUnsupported(path_, where,
                 {"azure_sd_configs",     "consul_sd_configs",      "digitalocean_sd_configs",
                  "docker_sd_configs",    "dockerswarm_sd_configs", "eureka_sd_configs",
                  "gce_sd_configs",       "hetzner_sd_configs",     "ionos_sd_configs",
                  "kuma_sd_configs",      "lightsail_sd_configs",   "linode_sd_configs",
                  "marathon_sd_configs",  "nerve_sd_configs",       "nomad_sd_configs",
                  "openstack_sd_configs", "ovhcloud_sd_configs",    "puppetdb_sd_configs",
                  "scaleway_sd_configs",  "serverset_sd_configs",   "stackit_sd_configs",
                  "triton_sd_configs",    "uyuni_sd_configs",       "vultr_sd_configs"},
                 keys);
  return keys;
}

absl::Status ConfigKeys::ReadFiles(const YAML::Node& node, std::vector<FileDiscovery>& into) const {
  if (!node.IsSequence()) return Error(node, "file_sd_configs has to be a list");
  for (const YAML::Node& item : node) {
    FileDiscovery files;
    // Accepted but unused: files are checked every few seconds anyway.
    milliseconds refresh_interval{};
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, item, "file_sd_configs",
        {Texts("files", files.patterns), Duration("refresh_interval", refresh_interval)}));
    LOCKSTEP_RETURN_IF_ERROR(CheckPatterns(item, files));
    into.push_back(std::move(files));
  }
  return absl::OkStatus();
}

absl::Status ConfigKeys::CheckPatterns(const YAML::Node& node, FileDiscovery& files) const {
  if (files.patterns.empty()) return Error(node, "file_sd_configs needs files");
  for (std::string& pattern : files.patterns) {
    const std::filesystem::path file(pattern);
    const std::string name = file.filename().string();
    const std::string type = file.extension().string();
    const bool has_type = type == ".json" || type == ".yml" || type == ".yaml";
    const bool is_plain = file.parent_path().string().find('*') == std::string::npos &&
                          name.find('*') == name.rfind('*');
    if (!has_type || !is_plain) {
      return Error(node, absl::StrFormat("\"%s\" is not a file that ends with .json, .yml or "
                                         ".yaml, with at most one * in its name",
                                         pattern));
    }
    pattern = (std::filesystem::absolute(path_).parent_path() / file).string();
  }
  return absl::OkStatus();
}

absl::Status ConfigKeys::ReadUrls(const YAML::Node& node, std::vector<HttpDiscovery>& into) const {
  if (!node.IsSequence()) return Error(node, "http_sd_configs has to be a list");
  for (const YAML::Node& item : node) {
    HttpDiscovery discovery;
    std::vector<YamlKey> keys = {Text("url", discovery.url),
                                 Duration("refresh_interval", discovery.refresh_interval)};
    for (YamlKey& key : HttpClient(discovery.http)) keys.push_back(std::move(key));
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path_, item, "http_sd_configs", keys));
    if (!discovery.url.starts_with("http://") && !discovery.url.starts_with("https://")) {
      return Error(item, absl::StrFormat("\"%s\" is not an http or https URL", discovery.url));
    }
    LOCKSTEP_RETURN_IF_ERROR(CheckHttpClient(*this, item, discovery.http));
    into.push_back(std::move(discovery));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
