// ConfigKeys: helpers for the readers of `scrape_configs`: typed keys, and their positions in the
// file. Not thread-safe; lives as long as the reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/yaml_reader.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

class ConfigKeys {
 public:
  // `path` appears in messages; file names are relative to its folder.
  explicit ConfigKeys(std::string path);

  const std::string& path() const { return path_; }
  absl::Status Error(const YAML::Node& node, std::string_view what) const {
    return YamlError(path_, node, what);
  }

  // Each reads into `into`, which must outlive the key.
  YamlKey Text(std::string_view key, std::string& into) const;
  YamlKey Bool(std::string_view key, bool& into) const;
  YamlKey Texts(std::string_view key, std::vector<std::string>& into) const;
  YamlKey Number(std::string_view key, uint64_t& into) const;
  YamlKey Bytes(std::string_view key, uint64_t& into) const;
  // From 1 to 65535.
  YamlKey Port(std::string_view key, uint16_t& into) const;
  // Greater than zero.
  YamlKey Duration(std::string_view key, milliseconds& into) const;
  YamlKey File(std::string_view key, std::string& into) const;
  YamlKey Protocols(std::string_view key, std::vector<ScrapeProtocol>& into) const;
  YamlKey Relabelling(std::string_view key, std::vector<RelabelRule>& into) const;

  // Prometheus' keys that this server does not support.
  static void AddUnsupported(std::string_view path, std::string_view where,
                             std::initializer_list<std::string_view> names,
                             std::vector<YamlKey>& keys);

  // The keys of HTTP clients.
  std::vector<YamlKey> HttpClient(HttpClientConfig& into) const;
  // The keys of service discovery; kinds that only Prometheus supports are refused as part of
  // `where`.
  std::vector<YamlKey> Discovery(std::string_view where, DiscoveryConfig& into) const;

 private:
  absl::Status ReadBasicAuth(const YAML::Node& node, HttpClientConfig& into) const;
  absl::Status ReadAuthorization(const YAML::Node& node, HttpClientConfig& into) const;
  absl::Status ReadTls(const YAML::Node& node, TlsClientConfig& into) const;
  absl::StatusOr<RelabelRule> ReadRule(const YAML::Node& node) const;
  absl::Status ReadFiles(const YAML::Node& node, std::vector<FileDiscovery>& into) const;
  absl::Status CheckPatterns(const YAML::Node& node, FileDiscovery& files) const;
  absl::Status ReadUrls(const YAML::Node& node, std::vector<HttpDiscovery>& into) const;

  const std::string path_;
};

// Checks that the keys are consistent; `node` is for the message.
absl::Status CheckHttpClient(const ConfigKeys& keys, const YAML::Node& node,
                             const HttpClientConfig& config);

}  // namespace lockstep::scrape
