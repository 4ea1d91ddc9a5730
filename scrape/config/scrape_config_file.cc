#include "scrape/config/scrape_config_file.h"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/string_map.h"
#include "base/yaml/yaml_reader.h"
#include "scrape/config/config_keys.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kGlobal = "global";
constexpr std::string_view kScrapeConfig = "a scrape configuration";

void Append(std::vector<YamlKey>& keys, std::vector<YamlKey> more) {
  for (YamlKey& key : more) keys.push_back(std::move(key));
}

// Only protobuf contains native histograms.
std::vector<ScrapeProtocol> DefaultProtocols(const ScrapeConfig& config) {
  std::vector<ScrapeProtocol> protocols = {
      ScrapeProtocol::kOpenMetrics100, ScrapeProtocol::kOpenMetrics001,
      ScrapeProtocol::kPrometheusText100, ScrapeProtocol::kPrometheusText004};
  if (config.scrape_native_histograms) {
    protocols.insert(protocols.begin(), ScrapeProtocol::kPrometheusProto);
  }
  return protocols;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : keys_(path) {}

  absl::StatusOr<ScrapeConfig> ReadDefaults(const YAML::Node& root) {
    if (const YAML::Node global = root[std::string(kGlobalKey)]) {
      LOCKSTEP_RETURN_IF_ERROR(ReadGlobal(global));
    }
    return defaults_;
  }

  absl::StatusOr<std::vector<ScrapeConfig>> Read(const YAML::Node& root) {
    LOCKSTEP_RETURN_IF_ERROR(ReadDefaults(root).status());
    std::vector<ScrapeConfig> configs;
    const YAML::Node list = root[std::string(kScrapeConfigsKey)];
    if (!list || list.IsNull()) return configs;
    if (!list.IsSequence()) return keys_.Error(list, "scrape_configs has to be a list");
    StringSet names;
    for (const YAML::Node& node : list) {
      LOCKSTEP_ASSIGN_OR_RETURN(ScrapeConfig config, ReadOne(node));
      if (!names.insert(config.job_name).second) {
        return keys_.Error(node, absl::StrFormat("the job \"%s\" appears twice", config.job_name));
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
    Append(keys, HistogramKeys(defaults_));
    Append(keys, LimitKeys(defaults_.limits));
    // These keys are read by the rule evaluation.
    for (const char* key : {"evaluation_interval", "rule_query_offset", "external_labels"}) {
      keys.push_back({key, [](const YAML::Node&) { return absl::OkStatus(); }});
    }
    ConfigKeys::AddUnsupported(
        keys_.path(), kGlobal,
        {"query_log_file", "scrape_failure_log_file", "runtime", "metric_name_validation_scheme",
         "metric_name_escaping_scheme", "convert_classic_histograms_to_nhcb"},
        keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kGlobal, keys));
    if (defaults_.timeout > defaults_.interval) {
      if (node["scrape_timeout"]) return TimeoutTooLong(node, defaults_);
      defaults_.timeout = defaults_.interval;
    }
    return absl::OkStatus();
  }

  std::vector<YamlKey> HistogramKeys(ScrapeConfig& into) const {
    return {keys_.Bool("scrape_native_histograms", into.scrape_native_histograms),
            keys_.Bool("always_scrape_classic_histograms", into.always_scrape_classic_histograms)};
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
    };
    Append(keys, HistogramKeys(config));
    Append(keys, LimitKeys(config.limits));
    Append(keys, keys_.HttpClient(config.http));
    Append(keys, keys_.Discovery(kScrapeConfig, config));
    AddUnsupportedOfJobs(keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kScrapeConfig, keys));
    LOCKSTEP_RETURN_IF_ERROR(Check(node, config));
    return config;
  }

  void AddUnsupportedOfJobs(std::vector<YamlKey>& keys) const {
    ConfigKeys::AddUnsupported(
        keys_.path(), kScrapeConfig,
        {"native_histogram_bucket_limit", "native_histogram_min_bucket_factor",
         "scrape_classic_histograms", "convert_classic_histograms_to_nhcb",
         "metric_name_validation_scheme", "metric_name_escaping_scheme", "scrape_failure_log_file"},
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
    if (config.protocols.empty()) config.protocols = DefaultProtocols(config);
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

  const ConfigKeys keys_;
  ScrapeConfig defaults_;
};

absl::StatusOr<std::string> ContentOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  return std::move(content).str();
}

}  // namespace

absl::StatusOr<std::vector<ScrapeConfig>> ParseScrapeConfigs(std::string_view yaml,
                                                             const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(yaml, path));
  return Reader(path).Read(root);
}

absl::StatusOr<std::vector<ScrapeConfig>> ReadScrapeConfigs(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string content, ContentOf(path));
  return ParseScrapeConfigs(content, path);
}

absl::StatusOr<ScrapeConfig> ParseScrapeDefaults(std::string_view yaml, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(yaml, path));
  return Reader(path).ReadDefaults(root);
}

absl::StatusOr<ScrapeConfig> ReadScrapeDefaults(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string content, ContentOf(path));
  return ParseScrapeDefaults(content, path);
}

}  // namespace lockstep::scrape
