#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "scrape/config/discovery_keys.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kEc2Key = "ec2_sd_configs";

class Ec2Reader {
 public:
  explicit Ec2Reader(const ConfigKeys& keys) : keys_(keys) {}

  absl::StatusOr<Ec2Discovery> Read(const YAML::Node& node) const {
    Ec2Discovery discovery;
    std::vector<YamlKey> keys = {
        keys_.Text("region", discovery.region),
        keys_.Text("endpoint", discovery.endpoint),
        keys_.Text("access_key", discovery.access_key),
        keys_.Text("secret_key", discovery.secret_key),
        keys_.Port("port", discovery.port),
        keys_.Duration("refresh_interval", discovery.refresh_interval),
        {"filters", [&](const YAML::Node& value) { return ReadFilters(value, discovery); }},
    };
    AddHttpClient(discovery.http, keys);
    ConfigKeys::AddUnsupported(keys_.path(), kEc2Key, {"profile", "role_arn", "external_id"}, keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kEc2Key, keys));
    if (!discovery.region.empty() && !IsAwsRegion(discovery.region)) {
      return keys_.Error(node["region"],
                         absl::StrFormat("region: \"%s\" is not the name of a region like "
                                         "us-east-1",
                                         discovery.region));
    }
    if (discovery.access_key.empty() != discovery.secret_key.empty()) {
      return keys_.Error(node, "ec2_sd_configs needs access_key and secret_key, or neither");
    }
    LOCKSTEP_RETURN_IF_ERROR(CheckEndpoint(node["endpoint"], discovery.endpoint));
    return discovery;
  }

 private:
  // Requests are signed, so they take no other authentication; and a signed request is for the
  // server that it names, so it follows nowhere else.
  void AddHttpClient(HttpClientConfig& http, std::vector<YamlKey>& into) const {
    std::vector<YamlKey> keys = keys_.HttpClient(http);
    std::ranges::copy_if(keys, std::back_inserter(into), [](const YamlKey& key) {
      return key.name == "tls_config" || key.name == "proxy_url";
    });
    ConfigKeys::AddUnsupported(
        keys_.path(), kEc2Key,
        {"basic_auth", "authorization", "oauth2", "bearer_token", "bearer_token_file",
         "follow_redirects", "enable_http2", "http_headers", "no_proxy", "proxy_from_environment",
         "proxy_connect_header"},
        into);
  }

  absl::Status ReadFilters(const YAML::Node& node, Ec2Discovery& discovery) const {
    if (!node.IsSequence()) return keys_.Error(node, "filters has to be a list");
    for (const YAML::Node& item : node) {
      Ec2Filter filter;
      LOCKSTEP_RETURN_IF_ERROR(
          ReadYamlMap(keys_.path(), item, "filters",
                      {keys_.Text("name", filter.name), keys_.Texts("values", filter.values)}));
      if (filter.name.empty()) return keys_.Error(item, "a filter needs name");
      if (filter.values.empty()) {
        return keys_.Error(item, absl::StrFormat("the filter \"%s\" needs values", filter.name));
      }
      discovery.filters.push_back(std::move(filter));
    }
    return absl::OkStatus();
  }

  // Makes it "scheme://host:port".
  absl::Status CheckEndpoint(const YAML::Node& node, std::string& url) const {
    if (url.empty()) return absl::OkStatus();
    if (url.find("://") == std::string::npos) url = "https://" + url;
    while (url.ends_with('/')) url.pop_back();
    const size_t host = url.find("://") + 3;
    const bool is_http = url.starts_with("http://") || url.starts_with("https://");
    if (is_http && host < url.size() && url.find_first_of("/?#@ ", host) == std::string::npos) {
      return absl::OkStatus();
    }
    return keys_.Error(node, absl::StrFormat("endpoint: \"%s\" is not scheme, host and port of a "
                                             "URL of http or https",
                                             RedactUrl(url)));
  }

  const ConfigKeys& keys_;
};

}  // namespace

bool IsAwsRegion(std::string_view text) {
  constexpr size_t kMaxRegionBytes = 63;  // it is a part of a host's name
  return !text.empty() && text.size() <= kMaxRegionBytes &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

absl::Status ReadEc2Discovery(const ConfigKeys& keys, const YAML::Node& node,
                              std::vector<Ec2Discovery>& into) {
  if (!node.IsSequence()) return keys.Error(node, "ec2_sd_configs has to be a list");
  for (const YAML::Node& item : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(Ec2Discovery discovery, Ec2Reader(keys).Read(item));
    into.push_back(std::move(discovery));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
