#include "server/auth/web_config.h"

#include <openssl/sha.h>
#include <openssl/tls1.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"
#include "server/auth/web_roles.h"

namespace lockstep::server {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file || file.bad()) {
    return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  }
  return std::move(content).str();
}

// bcrypt as in crypt(5): $2a$, $2b$ or $2y$, a two-digit cost, and 53 letters.
bool IsBcryptHash(std::string_view hash) {
  if (hash.size() != 60 || hash.substr(0, 2) != "$2" || hash[3] != '$' || hash[6] != '$')
    return false;
  if (std::string_view("aby").find(hash[2]) == std::string_view::npos) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '/';
  };
  return is_digit(hash[4]) && is_digit(hash[5]) &&
         std::all_of(hash.begin() + 7, hash.end(), is_letter);
}

// The bytes of 64 hexadecimal digits; nullopt if the text is anything else.
std::optional<Sha256Digest> ParseDigest(std::string_view hex) {
  Sha256Digest digest;
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  for (size_t i = 0; i < digest.size(); ++i) {
    const char* const first = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(first, first + 2, digest[i], 16);
    if (error != std::errc() || end != first + 2) return std::nullopt;
  }
  return digest;
}

Sha256Digest DigestOf(std::string_view token) {
  Sha256Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

// Reads one file key by key. Messages never show a value that may be secret.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  absl::StatusOr<WebConfig> Read(std::string_view yaml) {
    LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(yaml, path_));
    YAML::Node roles(YAML::NodeType::Undefined);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, root, "",
        {{"tls_server_config", [this](const YAML::Node& node) { return ReadTls(node); }},
         {"http_server_config", [this](const YAML::Node& node) { return ReadHttp(node); }},
         {"basic_auth_users", [this](const YAML::Node& node) { return ReadUsers(node); }},
         {"lockstep_bearer_tokens", [this](const YAML::Node& node) { return ReadTokens(node); }},
         {"lockstep_roles", [&roles](const YAML::Node& node) {
            roles = node;
            return absl::OkStatus();
          }}}));
    if (roles.IsDefined()) LOCKSTEP_RETURN_IF_ERROR(ReadRoles(path_, roles, config_));
    return std::move(config_);
  }

 private:
  using Node = YAML::Node;

  YamlKey Text(std::string_view key, std::string& into) {
    return {key, [this, key, &into](const Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlText(path_, node, key));
              return absl::OkStatus();
            }};
  }
  YamlKey File(std::string_view key, std::string& into) {
    return {key, [this, key, &into](const Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, YamlText(path_, node, key));
              into = Resolve(name);
              return absl::OkStatus();
            }};
  }
  YamlKey Texts(std::string_view key, std::vector<std::string>& into) {
    return {key, [this, key, &into](const Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlTexts(path_, node, key));
              return absl::OkStatus();
            }};
  }
  YamlKey Bool(std::string_view key, bool& into) {
    return {key, [this, key, &into](const Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlBool(path_, node, key));
              return absl::OkStatus();
            }};
  }
  template <typename Value>
  YamlKey OneOf(std::string_view key, std::vector<std::pair<std::string_view, Value>> choices,
                Value& into) {
    return {key, [this, key, choices, &into](const Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, YamlText(path_, node, key));
              std::string known;
              for (const auto& [choice, value] : choices) {
                if (choice == name) {
                  into = value;
                  return absl::OkStatus();
                }
                absl::StrAppendFormat(&known, "%s%s", known.empty() ? "" : ", ", choice);
              }
              return YamlError(path_, node,
                               absl::StrFormat("%s is \"%s\"; expected %s", key, name, known));
            }};
  }

  std::string Resolve(const std::string& name) const {
    const std::filesystem::path file(name);
    if (name.empty() || file.is_absolute()) return name;
    return (std::filesystem::path(path_).parent_path() / file).string();
  }

  absl::Status ReadTls(const Node& node) {
    TlsServerConfig tls;
    tls.min_version = TLS1_2_VERSION;
    tls.max_version = TLS1_3_VERSION;
    const std::vector<std::pair<std::string_view, int>> versions = {{"TLS10", TLS1_VERSION},
                                                                    {"TLS11", TLS1_1_VERSION},
                                                                    {"TLS12", TLS1_2_VERSION},
                                                                    {"TLS13", TLS1_3_VERSION}};
    const std::vector<std::pair<std::string_view, ClientAuth>> client_auths = {
        {"NoClientCert", ClientAuth::kNone},
        {"RequestClientCert", ClientAuth::kRequest},
        {"RequireAnyClientCert", ClientAuth::kRequireAny},
        {"VerifyClientCertIfGiven", ClientAuth::kVerifyIfGiven},
        {"RequireAndVerifyClientCert", ClientAuth::kRequireAndVerify}};
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, node, "tls_server_config",
        {File("cert_file", tls.cert_file), File("key_file", tls.key_file),
         File("client_ca_file", tls.client_ca_file),
         OneOf("client_auth_type", client_auths, tls.client_auth),
         Texts("client_allowed_sans", tls.client_allowed_sans),
         OneOf("min_version", versions, tls.min_version),
         OneOf("max_version", versions, tls.max_version), Texts("cipher_suites", tls.cipher_suites),
         Texts("curve_preferences", tls.curve_preferences),
         Bool("prefer_server_cipher_suites", tls.prefer_server_cipher_suites)}));
    LOCKSTEP_RETURN_IF_ERROR(CheckTls(node, tls));
    config_.tls = std::move(tls);
    return absl::OkStatus();
  }

  absl::Status CheckTls(const Node& node, const TlsServerConfig& tls) const {
    if (tls.cert_file.empty() || tls.key_file.empty()) {
      return YamlError(path_, node, "tls_server_config requires cert_file and key_file");
    }
    const bool verifies = tls.client_auth == ClientAuth::kVerifyIfGiven ||
                          tls.client_auth == ClientAuth::kRequireAndVerify;
    if (verifies && tls.client_ca_file.empty()) {
      return YamlError(path_, node, "this client_auth_type requires client_ca_file");
    }
    if (!verifies && !tls.client_ca_file.empty()) {
      return YamlError(path_, node,
                       "client_ca_file requires a client_auth_type that verifies: "
                       "VerifyClientCertIfGiven or RequireAndVerifyClientCert");
    }
    if (!tls.client_allowed_sans.empty() && tls.client_auth != ClientAuth::kRequireAndVerify) {
      return YamlError(path_, node,
                       "client_allowed_sans requires client_auth_type RequireAndVerifyClientCert");
    }
    if (tls.min_version > tls.max_version) {
      return YamlError(path_, node, "min_version is later than max_version");
    }
    return absl::OkStatus();
  }

  absl::Status ReadHttp(const Node& node) {
    bool http2 = false;  // accepted for compatibility; only HTTP/1.1 is supported
    return ReadYamlMap(path_, node, "http_server_config",
                       {Bool("http2", http2),
                        {"headers", [this](const Node& headers) { return ReadHeaders(headers); }}});
  }

  // The fields that exporter-toolkit allows.
  absl::Status ReadHeaders(const Node& node) {
    std::vector<YamlKey> keys;
    for (const std::string_view name :
         {"Content-Security-Policy", "Strict-Transport-Security", "X-Content-Type-Options",
          "X-Frame-Options", "X-XSS-Protection"}) {
      keys.push_back({name, [this, name](const Node& value) -> absl::Status {
                        LOCKSTEP_ASSIGN_OR_RETURN(std::string text, YamlText(path_, value, name));
                        if (text.find_first_of("\r\n") != std::string::npos) {
                          return YamlError(path_, value, "a header must be one line");
                        }
                        config_.headers.push_back({std::string(name), std::move(text)});
                        return absl::OkStatus();
                      }});
    }
    return ReadYamlMap(path_, node, "headers", keys);
  }

  absl::Status ReadUsers(const Node& node) {
    if (node.IsNull()) return absl::OkStatus();
    if (!node.IsMap()) return YamlError(path_, node, "basic_auth_users must map users to hashes");
    for (const auto& entry : node) {
      LOCKSTEP_ASSIGN_OR_RETURN(std::string name, YamlText(path_, entry.first, "a user"));
      LOCKSTEP_ASSIGN_OR_RETURN(std::string hash, YamlText(path_, entry.second, "a hash"));
      if (!IsBcryptHash(hash)) {
        return YamlError(
            path_, entry.second,
            absl::StrFormat("the password of user \"%s\" is not a bcrypt hash ($2y$...); "
                            "\"htpasswd -nBC 10 '' | tr -d ':\\n'\" makes one",
                            name));
      }
      config_.users.push_back({std::move(name), std::move(hash)});
    }
    return absl::OkStatus();
  }

  absl::Status ReadTokens(const Node& node) {
    if (node.IsNull()) return absl::OkStatus();
    if (!node.IsMap()) {
      return YamlError(path_, node, "lockstep_bearer_tokens must map names to tokens");
    }
    for (const auto& entry : node) {
      LOCKSTEP_ASSIGN_OR_RETURN(std::string name, YamlText(path_, entry.first, "a token's name"));
      LOCKSTEP_RETURN_IF_ERROR(ReadToken(entry.second, std::move(name)));
    }
    return absl::OkStatus();
  }

  // Does not show an unknown key, because it may be the token itself.
  absl::Status CheckTokenKeys(const Node& node, std::string_view name) const {
    if (!node.IsMap()) return absl::OkStatus();
    for (const auto& entry : node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      if (key == "sha256" || key == "file") continue;
      return YamlError(
          path_, entry.first,
          absl::StrFormat("token \"%s\" has an unknown key; expected sha256 or file", name));
    }
    return absl::OkStatus();
  }

  absl::Status ReadToken(const Node& node, std::string name) {
    std::string hex;
    std::string file;
    LOCKSTEP_RETURN_IF_ERROR(CheckTokenKeys(node, name));
    LOCKSTEP_RETURN_IF_ERROR(
        ReadYamlMap(path_, node, name, {Text("sha256", hex), File("file", file)}));
    if (hex.empty() == file.empty()) {
      return YamlError(path_, node,
                       absl::StrFormat("token \"%s\" requires either sha256 or file", name));
    }
    if (!file.empty()) return AddTokenOfFile(node, std::move(name), file);
    const std::optional<Sha256Digest> digest = ParseDigest(hex);
    if (!digest) {
      return YamlError(path_, node,
                       absl::StrFormat("sha256 of token \"%s\" must be 64 hexadecimal digits; "
                                       "\"printf %%s TOKEN | sha256sum\" makes them",
                                       name));
    }
    config_.tokens.push_back({std::move(name), *digest});
    return absl::OkStatus();
  }

  absl::Status AddTokenOfFile(const Node& node, std::string name, const std::string& file) {
    absl::StatusOr<std::string> content = ReadFile(file);
    if (!content.ok()) return YamlError(path_, node, Message(content.status()));
    std::string_view token = *content;
    const size_t begin = token.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) {
      return YamlError(path_, node, absl::StrFormat("the token file \"%s\" is empty", file));
    }
    token = token.substr(begin, token.find_last_not_of(" \t\r\n") - begin + 1);
    config_.tokens.push_back({std::move(name), DigestOf(token)});
    return absl::OkStatus();
  }

  const std::string& path_;
  WebConfig config_;
};

}  // namespace

absl::StatusOr<WebConfig> ParseWebConfig(std::string_view yaml, const std::string& path) {
  return Reader(path).Read(yaml);
}

absl::StatusOr<WebConfig> ReadWebConfig(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string yaml, ReadFile(path));
  return ParseWebConfig(yaml, path);
}

}  // namespace lockstep::server
