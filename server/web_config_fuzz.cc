// Any text either is no web configuration, with an error that shows none of its secrets, or one that asks for
// credentials where it names any.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "server/web_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = ParseWebConfig(text, "web.yml");
  if (!config.ok()) {
    constexpr std::string_view kSecret = "hunter2hunter2";
    LOCKSTEP_CHECK(lockstep::Message(config.status()).find(kSecret) == std::string_view::npos);
    return 0;
  }
  for (const BasicAuthUser& user : config->users) LOCKSTEP_CHECK(!user.bcrypt_hash.empty());
  const bool has_credentials =
      config->has_roles || !config->users.empty() || !config->tokens.empty();
  LOCKSTEP_CHECK(config->wants_credentials() == has_credentials);
  return 0;
}
