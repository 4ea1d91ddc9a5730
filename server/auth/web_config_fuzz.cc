// Any text is either invalid, with an error that shows no value that may be secret, or a web
// configuration that requires credentials if it contains any.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include "base/check.h"
#include "server/auth/web_config.h"

namespace {

constexpr std::string_view kSecret = "hunter2hunter2";

size_t CountOf(std::string_view text) {
  size_t count = 0;
  for (size_t at = text.find(kSecret); at != text.npos; at = text.find(kSecret, at + 1)) ++count;
  return count;
}

size_t CountIn(const YAML::Node& value) { return value.IsScalar() ? CountOf(value.Scalar()) : 0; }

// How often it occurs as a password hash or as the digest of a token.
size_t CountInSecrets(const YAML::Node& root) {
  size_t count = 0;
  if (!root.IsMap()) return 0;
  for (const auto& section : root) {
    if (!section.first.IsScalar() || !section.second.IsMap()) continue;
    const std::string& name = section.first.Scalar();
    for (const auto& entry : section.second) {
      if (name == "basic_auth_users") count += CountIn(entry.second);
      if (name != "lockstep_bearer_tokens" || !entry.second.IsMap()) continue;
      for (const auto& field : entry.second) {
        if (field.first.IsScalar() && field.first.Scalar() == "sha256")
          count += CountIn(field.second);
      }
    }
  }
  return count;
}

// Errors may quote keys and all other values.
bool IsOnlyInSecrets(std::string_view text) {
  try {
    return CountInSecrets(YAML::Load(std::string(text))) == CountOf(text);
  } catch (const YAML::Exception&) {
    return true;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = ParseWebConfig(text, "web.yml");
  if (!config.ok()) {
    const bool is_shown = lockstep::Message(config.status()).find(kSecret) != std::string::npos;
    LOCKSTEP_CHECK(!is_shown || !IsOnlyInSecrets(text));
    return 0;
  }
  for (const BasicAuthUser& user : config->users) LOCKSTEP_CHECK(!user.bcrypt_hash.empty());
  const bool has_credentials =
      config->has_roles || !config->users.empty() || !config->tokens.empty();
  LOCKSTEP_CHECK(config->wants_credentials() == has_credentials);
  return 0;
}
