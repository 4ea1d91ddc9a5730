#include "scrape/config/config_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/text/byte_size.h"
#include "query/promql/parser/parser.h"

namespace lockstep::scrape {
namespace {

constexpr std::array<std::string_view, kScrapeProtocolCount> kProtocolNames = {
    "PrometheusProto", "OpenMetricsText1.0.0", "OpenMetricsText0.0.1", "PrometheusText1.0.0",
    "PrometheusText0.0.4"};

absl::StatusOr<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (at == end && error == std::errc()) return number;
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a whole number", text));
}

absl::StatusOr<ScrapeProtocol> ParseProtocol(std::string_view name) {
  const auto found = std::find(kProtocolNames.begin(), kProtocolNames.end(), name);
  if (found != kProtocolNames.end()) {
    return static_cast<ScrapeProtocol>(found - kProtocolNames.begin());
  }
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a scrape protocol", name));
}

}  // namespace

std::string_view Name(ScrapeProtocol protocol) {
  return kProtocolNames[static_cast<size_t>(protocol)];
}

ConfigKeys::ConfigKeys(std::string path) : path_(std::move(path)) {}

YamlKey ConfigKeys::Text(std::string_view key, std::string& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(into, YamlText(path_, node, key));
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Bool(std::string_view key, bool& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(into, YamlBool(path_, node, key));
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Texts(std::string_view key, std::vector<std::string>& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(into, YamlTexts(path_, node, key));
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Number(std::string_view key, uint64_t& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, key));
            const absl::StatusOr<uint64_t> number = ParseNumber(text);
            if (!number.ok()) {
              return Error(node, absl::StrFormat("%s: %s", key, Message(number.status())));
            }
            into = *number;
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Bytes(std::string_view key, uint64_t& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, key));
            const absl::StatusOr<uint64_t> bytes = ParseByteSize(text);
            if (!bytes.ok()) {
              return Error(node, absl::StrFormat("%s: %s", key, Message(bytes.status())));
            }
            into = *bytes;
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Port(std::string_view key, uint16_t& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, key));
            const absl::StatusOr<uint64_t> number = ParseNumber(text);
            if (!number.ok() || *number == 0 || *number > std::numeric_limits<uint16_t>::max()) {
              return Error(node,
                           absl::StrFormat("%s: \"%s\" is not a port from 1 to 65535", key, text));
            }
            into = static_cast<uint16_t>(*number);
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Duration(std::string_view key, milliseconds& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, key));
            const absl::StatusOr<int64_t> duration_ms = promql::ParseDurationMs(text);
            if (!duration_ms.ok() || *duration_ms <= 0) {
              return Error(
                  node,
                  absl::StrFormat("%s: \"%s\" is not a duration like 500ms, 15s or 1m", key, text));
            }
            into = milliseconds(*duration_ms);
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::File(std::string_view key, std::string& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, YamlText(path_, node, key));
            if (name.empty()) return Error(node, absl::StrFormat("%s has to name a file", key));
            into = (std::filesystem::absolute(path_).parent_path() / name).string();
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Protocols(std::string_view key, std::vector<ScrapeProtocol>& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            std::vector<std::string> names;
            if (node.IsScalar()) {
              names.push_back(node.Scalar());
            } else {
              LOCKSTEP_ASSIGN_OR_RETURN(names, YamlTexts(path_, node, key));
            }
            into.clear();
            for (const std::string& name : names) {
              const absl::StatusOr<ScrapeProtocol> protocol = ParseProtocol(name);
              if (!protocol.ok()) {
                return Error(node, absl::StrFormat("%s: %s", key, Message(protocol.status())));
              }
              if (std::find(into.begin(), into.end(), *protocol) != into.end()) {
                return Error(node, absl::StrFormat("%s names %s twice", key, name));
              }
              into.push_back(*protocol);
            }
            if (into.empty()) return Error(node, absl::StrFormat("%s is empty", key));
            return absl::OkStatus();
          }};
}

YamlKey ConfigKeys::Relabelling(std::string_view key, std::vector<RelabelRule>& into) const {
  return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
            if (node.IsNull()) return absl::OkStatus();
            if (!node.IsSequence()) return Error(node, absl::StrFormat("%s has to be a list", key));
            for (const YAML::Node& item : node) {
              LOCKSTEP_ASSIGN_OR_RETURN(RelabelRule rule, ReadRule(item));
              into.push_back(std::move(rule));
            }
            return absl::OkStatus();
          }};
}

absl::StatusOr<RelabelRule> ConfigKeys::ReadRule(const YAML::Node& node) const {
  RelabelSpec spec;
  std::string action = "replace";
  const auto optional = [this](std::string_view key, std::optional<std::string>& into) -> YamlKey {
    return {key, [this, key, &into](const YAML::Node& value) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlText(path_, value, key));
              return absl::OkStatus();
            }};
  };
  LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
      path_, node, "a relabelling rule",
      {Texts("source_labels", spec.source_labels), optional("separator", spec.separator),
       optional("regex", spec.regex), optional("replacement", spec.replacement),
       Text("target_label", spec.target_label), Number("modulus", spec.modulus),
       Text("action", action)}));
  const auto known = ParseRelabelAction(action);
  if (!known) return Error(node, absl::StrFormat("\"%s\" is not a relabel action", action));
  spec.action = *known;
  absl::StatusOr<RelabelRule> rule = RelabelRule::Make(std::move(spec));
  if (!rule.ok()) return Error(node, Message(rule.status()));
  return rule;
}

void ConfigKeys::AddUnsupported(std::string_view path, std::string_view where,
                                std::initializer_list<std::string_view> names,
                                std::vector<YamlKey>& keys) {
  for (const std::string_view name : names) {
    keys.push_back({name, [path = std::string(path), where, name](const YAML::Node& node) {
                      return YamlError(
                          path, node,
                          absl::StrFormat("\"%s\" of %s is not supported here", name, where));
                    }});
  }
}

}  // namespace lockstep::scrape
