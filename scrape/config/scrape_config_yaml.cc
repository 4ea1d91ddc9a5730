#include "scrape/config/scrape_config_yaml.h"

#include <string>

#include "base/text/url.h"
#include "query/promql/parser/literal.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kParameterLabel = "__param_";

void WriteSecret(std::string_view key, std::string_view file_key, const Secret& secret,
                 YamlWriter& yaml) {
  if (!secret.text.empty()) yaml.Text(key, kSecretText);
  if (!secret.file.empty()) yaml.Text(file_key, secret.file);
}

void WriteIfGiven(std::string_view key, const std::string& text, YamlWriter& yaml) {
  if (!text.empty()) yaml.Text(key, text);
}

void WriteTls(const TlsClientConfig& tls, YamlWriter& yaml) {
  if (tls == TlsClientConfig()) return;
  yaml.Key("tls_config");
  yaml.BeginMap();
  WriteIfGiven("ca_file", tls.ca_file, yaml);
  WriteIfGiven("cert_file", tls.cert_file, yaml);
  WriteIfGiven("key_file", tls.key_file, yaml);
  yaml.Bool("insecure_skip_verify", tls.insecure_skip_verify);
  yaml.EndMap();
}

void WriteRule(const RelabelSpec& spec, YamlWriter& yaml) {
  yaml.BeginMap();
  if (!spec.source_labels.empty()) yaml.Texts("source_labels", spec.source_labels);
  if (spec.separator) yaml.Text("separator", *spec.separator);
  if (spec.regex) yaml.Text("regex", *spec.regex);
  if (spec.modulus != 0) yaml.Number("modulus", spec.modulus);
  WriteIfGiven("target_label", spec.target_label, yaml);
  if (spec.replacement) yaml.Text("replacement", *spec.replacement);
  yaml.Text("action", Name(spec.action));
  yaml.EndMap();
}

void WriteLimit(std::string_view key, uint64_t limit, YamlWriter& yaml) {
  if (limit != 0) yaml.Number(key, limit);
}

void WriteLimits(const ScrapeLimits& limits, YamlWriter& yaml) {
  if (limits.body_bytes != 0) {
    yaml.Text("body_size_limit", std::to_string(limits.body_bytes) + "B");
  }
  WriteLimit("sample_limit", limits.samples, yaml);
  WriteLimit("label_limit", limits.labels, yaml);
  WriteLimit("label_name_length_limit", limits.label_name_bytes, yaml);
  WriteLimit("label_value_length_limit", limits.label_value_bytes, yaml);
  WriteLimit("target_limit", limits.targets, yaml);
  WriteLimit("keep_dropped_targets", limits.kept_dropped_targets, yaml);
}

void WriteProtocols(const std::vector<ScrapeProtocol>& protocols, YamlWriter& yaml) {
  if (protocols.empty()) return;
  yaml.Key("scrape_protocols");
  yaml.BeginList();
  for (const ScrapeProtocol protocol : protocols) yaml.Text(Name(protocol));
  yaml.EndList();
}

void WriteParams(const ScrapeConfig& config, YamlWriter& yaml) {
  if (config.params.empty()) return;
  yaml.Key("params");
  yaml.BeginMap();
  for (const auto& [name, values] : config.params) {
    const std::vector<std::string> hidden(values.size(), std::string(kSecretText));
    yaml.Texts(name, NamesSecret(name) ? hidden : values);
  }
  yaml.EndMap();
}

void WriteJob(const ScrapeConfig& config, YamlWriter& yaml) {
  yaml.BeginMap();
  yaml.Text("job_name", config.job_name);
  yaml.Bool("honor_labels", config.honor_labels);
  yaml.Bool("honor_timestamps", config.honor_timestamps);
  yaml.Bool("track_timestamps_staleness", config.track_timestamps_staleness);
  WriteParams(config, yaml);
  WriteScrapeDefaults(config, yaml);
  if (!config.fallback_protocol.empty()) {
    yaml.Text("fallback_scrape_protocol", Name(config.fallback_protocol.front()));
  }
  yaml.Text("metrics_path", config.metrics_path);
  yaml.Text("scheme", config.scheme);
  yaml.Bool("enable_compression", config.enable_compression);
  WriteHttpClient(config.http, yaml);
  WriteDiscovery(config, yaml);
  WriteRelabelling("relabel_configs", config.relabel_rules, yaml);
  WriteRelabelling("metric_relabel_configs", config.metric_relabel_rules, yaml);
  yaml.EndMap();
}

}  // namespace

void WriteDuration(std::string_view key, milliseconds duration, YamlWriter& yaml) {
  yaml.Text(key, promql::FormatDurationMs(duration.count()));
}

void WriteLabels(std::string_view key, const LabelSet& labels, YamlWriter& yaml) {
  if (labels.empty()) return;
  yaml.Key(key);
  yaml.BeginMap();
  for (const LabelView& label : labels) {
    // Request parameters are labels too.
    const bool is_secret = label.name.starts_with(kParameterLabel) &&
                           NamesSecret(label.name.substr(kParameterLabel.size()));
    yaml.Text(label.name, is_secret ? kSecretText : label.value);
  }
  yaml.EndMap();
}

void WriteRelabelling(std::string_view key, const std::vector<RelabelRule>& rules,
                      YamlWriter& yaml) {
  if (rules.empty()) return;
  yaml.Key(key);
  yaml.BeginList();
  for (const RelabelRule& rule : rules) WriteRule(rule.spec(), yaml);
  yaml.EndList();
}

void WriteHttpClient(const HttpClientConfig& config, YamlWriter& yaml) {
  if (!config.user.empty()) {
    yaml.Key("basic_auth");
    yaml.BeginMap();
    yaml.Text("username", config.user);
    WriteSecret("password", "password_file", config.password, yaml);
    yaml.EndMap();
  }
  if (config.credentials.given()) {
    yaml.Key("authorization");
    yaml.BeginMap();
    yaml.Text("type", config.authorization_type);
    WriteSecret("credentials", "credentials_file", config.credentials, yaml);
    yaml.EndMap();
  }
  yaml.Bool("follow_redirects", config.follow_redirects);
  WriteConnection(config, yaml);
}

void WriteConnection(const HttpClientConfig& config, YamlWriter& yaml) {
  WriteTls(config.tls, yaml);
  WriteIfGiven("proxy_url", RedactUrl(config.proxy_url), yaml);
}

void WriteScrapeDefaults(const ScrapeConfig& defaults, YamlWriter& yaml) {
  WriteDuration("scrape_interval", defaults.interval, yaml);
  WriteDuration("scrape_timeout", defaults.timeout, yaml);
  WriteProtocols(defaults.protocols, yaml);
  yaml.Bool("scrape_native_histograms", defaults.scrape_native_histograms);
  yaml.Bool("always_scrape_classic_histograms", defaults.always_scrape_classic_histograms);
  WriteLimits(defaults.limits, yaml);
}

void WriteScrapeConfigs(const std::vector<ScrapeConfig>& configs, YamlWriter& yaml) {
  if (configs.empty()) return;
  yaml.Key("scrape_configs");
  yaml.BeginList();
  for (const ScrapeConfig& config : configs) WriteJob(config, yaml);
  yaml.EndList();
}

}  // namespace lockstep::scrape
