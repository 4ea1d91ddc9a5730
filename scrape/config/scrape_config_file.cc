#include "scrape/config/scrape_config_file.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/string_map.h"
#include "base/yaml/yaml_reader.h"
#include "scrape/config/config_keys.h"
#include "scrape/config/target_groups.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kGlobal = "global";
constexpr std::string_view kScrapeConfig = "a scrape configuration";

void Append(std::vector<YamlKey>& keys, std::vector<YamlKey> more) {
  for (YamlKey& key : more) keys.push_back(std::move(key));
}

class Reader {
 public:
  explicit Reader(const std::string& path) : keys_(path) {
    defaults_.protocols = {ScrapeProtocol::kOpenMetrics100, ScrapeProtocol::kOpenMetrics001,
                           ScrapeProtocol::kPrometheusText100, ScrapeProtocol::kPrometheusText004};
  }

  absl::StatusOr<std::vector<ScrapeConfig>> Read(const YAML::Node& root) {
    if (const YAML::Node global = root[std::string(kGlobalKey)]) {
      LOCKSTEP_RETURN_IF_ERROR(ReadGlobal(global));
    }
    std::vector<ScrapeConfig> configs;
    const YAML::Node list = root[std::string(kScrapeConfigsKey)];
    if (!list || list.IsNull()) return configs;
    if (!list.IsSequence()) return keys_.Error(list, "scrape_configs has to be a list");
    StringSet names;
    for (const YAML::Node& node : list) {
      LOCKSTEP_ASSIGN_OR_RETURN(ScrapeConfig config, ReadOne(node));
      if (!names.insert(config.job_name).second) {
        return keys_.Error(node, absl::StrFormat("the job \"%s\" is there twice", config.job_name));
      }
      configs.push_back(std::move(config));
    }
    return configs;
  }

 private:
  absl::Status ReadGlobal(const YAML::Node& node) {
    std::vector<YamlKey> keys = {keys_.Duration("scrape_interval", defaults_.interval),
                                 keys_.Duration("scrape_timeout", defaults_.timeout),
                                 keys_.Protocols("scrape_protocols", defaults_.protocols)};
    Append(keys, LimitKeys(defaults_.limits));
    ConfigKeys::AddUnsupported(
        keys_.path(), kGlobal,
        {"evaluation_interval", "rule_query_offset", "query_log_file", "scrape_failure_log_file",
         "external_labels", "runtime", "metric_name_validation_scheme",
         "metric_name_escaping_scheme", "convert_classic_histograms_to_nhcb",
         "always_scrape_classic_histograms", "scrape_native_histograms"},
        keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kGlobal, keys));
    if (defaults_.timeout > defaults_.interval) {
      if (node["scrape_timeout"]) return TimeoutTooLong(node, defaults_);
      defaults_.timeout = defaults_.interval;
    }
    return absl::OkStatus();
  }

  std::vector<YamlKey> LimitKeys(ScrapeLimits& into) const {
    return {keys_.Bytes("body_size_limit", into.body_bytes),
            keys_.Number("sample_limit", into.samples),
            keys_.Number("label_limit", into.labels),
            keys_.Number("label_name_length_limit", into.label_name_bytes),
            keys_.Number("label_value_length_limit", into.label_value_bytes),
            keys_.Number("target_limit", into.targets),
            keys_.Number("keep_dropped_targets", into.kept_dropped_targets)};
  }

  absl::Status TimeoutTooLong(const YAML::Node& node, const ScrapeConfig& config) const {
    return keys_.Error(node,
                       absl::StrFormat("scrape_timeout of %d ms is longer than scrape_interval "
                                       "of %d ms",
                                       config.timeout.count(), config.interval.count()));
  }

  absl::StatusOr<ScrapeConfig> ReadOne(const YAML::Node& node) {
    ScrapeConfig config = defaults_;
    std::vector<YamlKey> keys = {
        keys_.Text("job_name", config.job_name),
        keys_.Duration("scrape_interval", config.interval),
        keys_.Duration("scrape_timeout", config.timeout),
        keys_.Text("metrics_path", config.metrics_path),
        keys_.Text("scheme", config.scheme),
        {"params", [&](const YAML::Node& value) { return ReadParams(value, config); }},
        keys_.Bool("honor_labels", config.honor_labels),
        keys_.Bool("honor_timestamps", config.honor_timestamps),
        keys_.Bool("track_timestamps_staleness", config.track_timestamps_staleness),
        keys_.Bool("enable_compression", config.enable_compression),
        keys_.Protocols("scrape_protocols", config.protocols),
        keys_.Protocols("fallback_scrape_protocol", config.fallback_protocol),
        keys_.Relabelling("relabel_configs", config.relabel_rules),
        keys_.Relabelling("metric_relabel_configs", config.metric_relabel_rules),
        {"static_configs", [&](const YAML::Node& value) { return ReadStatic(value, config); }},
        {"file_sd_configs", [&](const YAML::Node& value) { return ReadFiles(value, config); }},
        {"http_sd_configs", [&](const YAML::Node& value) { return ReadUrls(value, config); }},
    };
    Append(keys, LimitKeys(config.limits));
    Append(keys, keys_.HttpClient(config.http));
    AddUnsupportedOfJobs(keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kScrapeConfig, keys));
    LOCKSTEP_RETURN_IF_ERROR(Check(node, config));
    return config;
  }

  void AddUnsupportedOfJobs(std::vector<YamlKey>& keys) const {
    ConfigKeys::AddUnsupported(keys_.path(), kScrapeConfig,
                               {"azure_sd_configs",
                                "consul_sd_configs",
                                "digitalocean_sd_configs",
                                "dns_sd_configs",
                                "docker_sd_configs",
                                "dockerswarm_sd_configs",
                                "ec2_sd_configs",
                                "eureka_sd_configs",
                                "gce_sd_configs",
                                "hetzner_sd_configs",
                                "ionos_sd_configs",
                                "kubernetes_sd_configs",
                                "kuma_sd_configs",
                                "lightsail_sd_configs",
                                "linode_sd_configs",
                                "marathon_sd_configs",
                                "nerve_sd_configs",
                                "nomad_sd_configs",
                                "openstack_sd_configs",
                                "ovhcloud_sd_configs",
                                "puppetdb_sd_configs",
                                "scaleway_sd_configs",
                                "serverset_sd_configs",
                                "stackit_sd_configs",
                                "triton_sd_configs",
                                "uyuni_sd_configs",
                                "vultr_sd_configs",
                                "native_histogram_bucket_limit",
                                "native_histogram_min_bucket_factor",
                                "scrape_classic_histograms",
                                "always_scrape_classic_histograms",
                                "convert_classic_histograms_to_nhcb",
                                "scrape_native_histograms",
                                "metric_name_validation_scheme",
                                "metric_name_escaping_scheme",
                                "scrape_failure_log_file"},
                               keys);
  }

  absl::Status Check(const YAML::Node& node, ScrapeConfig& config) const {
    if (config.job_name.empty()) return keys_.Error(node, "a scrape configuration needs job_name");
    if (config.timeout > config.interval) {
      if (node["scrape_timeout"]) return TimeoutTooLong(node, config);
      config.timeout = config.interval;
    }
    if (config.scheme != "http" && config.scheme != "https") {
      return keys_.Error(node["scheme"],
                         absl::StrFormat("scheme \"%s\" is neither http nor https", config.scheme));
    }
    if (config.fallback_protocol.size() > 1) {
      return keys_.Error(node["fallback_scrape_protocol"],
                         "fallback_scrape_protocol has to be one protocol");
    }
    return CheckHttpClient(keys_, node, config.http);
  }

  absl::Status ReadParams(const YAML::Node& node, ScrapeConfig& config) const {
    if (!node.IsMap()) return keys_.Error(node, "params has to map names to lists");
    for (const auto& entry : node) {
      LOCKSTEP_ASSIGN_OR_RETURN(std::string name,
                                YamlText(keys_.path(), entry.first, "a parameter"));
      LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> values,
                                YamlTexts(keys_.path(), entry.second, name));
      config.params.emplace_back(std::move(name), std::move(values));
    }
    return absl::OkStatus();
  }

  absl::Status ReadStatic(const YAML::Node& node, ScrapeConfig& config) const {
    LOCKSTEP_ASSIGN_OR_RETURN(config.static_groups,
                              ReadTargetGroups(keys_.path(), node, "static_configs"));
    return absl::OkStatus();
  }

  absl::Status ReadFiles(const YAML::Node& node, ScrapeConfig& config) const {
    if (!node.IsSequence()) return keys_.Error(node, "file_sd_configs has to be a list");
    for (const YAML::Node& item : node) {
      FileDiscovery files;
      // Files are looked at every few seconds anyway.
      milliseconds refresh_interval{};
      LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), item, "file_sd_configs",
                                           {keys_.Texts("files", files.patterns),
                                            keys_.Duration("refresh_interval", refresh_interval)}));
      LOCKSTEP_RETURN_IF_ERROR(CheckPatterns(item, files));
      config.files.push_back(std::move(files));
    }
    return absl::OkStatus();
  }

  absl::Status CheckPatterns(const YAML::Node& node, FileDiscovery& files) const {
    if (files.patterns.empty()) return keys_.Error(node, "file_sd_configs needs files");
    for (std::string& pattern : files.patterns) {
      const std::filesystem::path file(pattern);
      const std::string name = file.filename().string();
      const std::string type = file.extension().string();
      const bool has_type = type == ".json" || type == ".yml" || type == ".yaml";
      const bool is_plain = file.parent_path().string().find('*') == std::string::npos &&
                            name.find('*') == name.rfind('*');
      if (!has_type || !is_plain) {
        return keys_.Error(node,
                           absl::StrFormat("\"%s\" is not a file that ends with .json, .yml or "
                                           ".yaml, with at most one * in its name",
                                           pattern));
      }
      pattern = (std::filesystem::absolute(keys_.path()).parent_path() / file).string();
    }
    return absl::OkStatus();
  }

  absl::Status ReadUrls(const YAML::Node& node, ScrapeConfig& config) const {
    if (!node.IsSequence()) return keys_.Error(node, "http_sd_configs has to be a list");
    for (const YAML::Node& item : node) {
      HttpDiscovery discovery;
      std::vector<YamlKey> keys = {keys_.Text("url", discovery.url),
                                   keys_.Duration("refresh_interval", discovery.refresh_interval)};
      Append(keys, keys_.HttpClient(discovery.http));
      LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), item, "http_sd_configs", keys));
      if (!discovery.url.starts_with("http://") && !discovery.url.starts_with("https://")) {
        return keys_.Error(item,
                           absl::StrFormat("\"%s\" is not a URL of http or https", discovery.url));
      }
      LOCKSTEP_RETURN_IF_ERROR(CheckHttpClient(keys_, item, discovery.http));
      config.urls.push_back(std::move(discovery));
    }
    return absl::OkStatus();
  }

  const ConfigKeys keys_;
  ScrapeConfig defaults_;
};

}  // namespace

absl::StatusOr<std::vector<ScrapeConfig>> ParseScrapeConfigs(std::string_view yaml,
                                                             const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(yaml, path));
  return Reader(path).Read(root);
}

absl::StatusOr<std::vector<ScrapeConfig>> ReadScrapeConfigs(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  return ParseScrapeConfigs(std::move(content).str(), path);
}

}  // namespace lockstep::scrape
