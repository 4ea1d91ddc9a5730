// The part of scrape_config_yaml.h for service discovery.
#include <string>

#include "base/text/url.h"
#include "scrape/config/scrape_config_yaml.h"

namespace lockstep::scrape {
namespace {

void WriteOne(const FileDiscovery& files, YamlWriter& yaml) { yaml.Texts("files", files.patterns); }

void WriteOne(const HttpDiscovery& discovery, YamlWriter& yaml) {
  WriteHttpClient(discovery.http, yaml);
  WriteDuration("refresh_interval", discovery.refresh_interval, yaml);
  yaml.Text("url", RedactUrl(discovery.url));
}

void WriteOne(const DnsDiscovery& discovery, YamlWriter& yaml) {
  yaml.Texts("names", discovery.names);
  WriteDuration("refresh_interval", discovery.refresh_interval, yaml);
  yaml.Text("type", Name(discovery.type));
  if (discovery.port != 0) yaml.Number("port", discovery.port);
}

void WriteSelectors(const std::vector<KubernetesSelector>& selectors, YamlWriter& yaml) {
  if (selectors.empty()) return;
  yaml.Key("selectors");
  yaml.BeginList();
  for (const KubernetesSelector& selector : selectors) {
    yaml.BeginMap();
    yaml.Text("role", Name(selector.role));
    if (!selector.label.empty()) yaml.Text("label", selector.label);
    if (!selector.field.empty()) yaml.Text("field", selector.field);
    yaml.EndMap();
  }
  yaml.EndList();
}

void WriteOne(const KubernetesDiscovery& discovery, YamlWriter& yaml) {
  if (!discovery.api_server.empty()) yaml.Text("api_server", RedactUrl(discovery.api_server));
  yaml.Text("role", Name(discovery.role));
  WriteHttpClient(discovery.http, yaml);
  WriteDuration("refresh_interval", discovery.refresh_interval, yaml);
  if (discovery.own_namespace || !discovery.namespaces.empty()) {
    yaml.Key("namespaces");
    yaml.BeginMap();
    yaml.Bool("own_namespace", discovery.own_namespace);
    if (!discovery.namespaces.empty()) yaml.Texts("names", discovery.namespaces);
    yaml.EndMap();
  }
  WriteSelectors(discovery.selectors, yaml);
  if (!discovery.attach_node && !discovery.attach_namespace) return;
  yaml.Key("attach_metadata");
  yaml.BeginMap();
  if (discovery.attach_node) yaml.Bool("node", true);
  if (discovery.attach_namespace) yaml.Bool("namespace", true);
  yaml.EndMap();
}

void WriteFilters(const std::vector<Ec2Filter>& filters, YamlWriter& yaml) {
  if (filters.empty()) return;
  yaml.Key("filters");
  yaml.BeginList();
  for (const Ec2Filter& filter : filters) {
    yaml.BeginMap();
    yaml.Text("name", filter.name);
    yaml.Texts("values", filter.values);
    yaml.EndMap();
  }
  yaml.EndList();
}

void WriteOne(const Ec2Discovery& discovery, YamlWriter& yaml) {
  if (!discovery.endpoint.empty()) yaml.Text("endpoint", discovery.endpoint);
  if (!discovery.region.empty()) yaml.Text("region", discovery.region);
  if (!discovery.access_key.empty()) {
    yaml.Text("access_key", discovery.access_key);
    yaml.Text("secret_key", kSecretText);
  }
  WriteConnection(discovery.http, yaml);
  WriteDuration("refresh_interval", discovery.refresh_interval, yaml);
  yaml.Number("port", discovery.port);
  WriteFilters(discovery.filters, yaml);
}

void WriteOne(const SlurmDiscovery& discovery, YamlWriter& yaml) {
  if (discovery.file.empty()) {
    yaml.Texts("command", discovery.command);
  } else {
    yaml.Text("file", discovery.file);
  }
  yaml.Number("port", discovery.port);
  WriteDuration("refresh_interval", discovery.refresh_interval, yaml);
}

void WriteOne(const TargetGroup& group, YamlWriter& yaml) {
  yaml.Texts("targets", group.addresses);
  WriteLabels("labels", group.labels, yaml);
}

template <typename Discoveries>
void WriteList(std::string_view key, const Discoveries& discoveries, YamlWriter& yaml) {
  if (discoveries.empty()) return;
  yaml.Key(key);
  yaml.BeginList();
  for (const auto& discovery : discoveries) {
    yaml.BeginMap();
    WriteOne(discovery, yaml);
    yaml.EndMap();
  }
  yaml.EndList();
}

}  // namespace

void WriteDiscovery(const DiscoveryConfig& config, YamlWriter& yaml) {
  WriteList("file_sd_configs", config.files, yaml);
  WriteList("http_sd_configs", config.urls, yaml);
  WriteList("dns_sd_configs", config.dns, yaml);
  WriteList("ec2_sd_configs", config.ec2, yaml);
  WriteList("kubernetes_sd_configs", config.kubernetes, yaml);
  WriteList("slurm_sd_configs", config.slurm, yaml);
  WriteList("static_configs", config.static_groups, yaml);
}

}  // namespace lockstep::scrape
