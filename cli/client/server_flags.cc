#include "cli/client/server_flags.h"

#include <cstdlib>

namespace lockstep::cli {
namespace {

constexpr const char* kUsualUrl = "http://127.0.0.1:9009";
constexpr const char* kUrlVariable = "LOCKSTEP_URL";

}  // namespace

std::string UrlWithoutFlag() {
  const char* url = std::getenv(kUrlVariable);
  return url != nullptr && *url != '\0' ? url : kUsualUrl;
}

void AddServerFlags(CLI::App& verb, const char* old_url_flag, HttpClientOptions& server) {
  server.url = UrlWithoutFlag();
  server.advice = "start one with `lockstep serve`, or set --url or LOCKSTEP_URL";
  CLI::Option* url = verb.add_option("--url", server.url,
                                     "Server to talk to. [$LOCKSTEP_URL or http://127.0.0.1:9009]")
                         ->type_name("URL");
  if (*old_url_flag != '\0') {
    const std::string complaint =
        std::string(old_url_flag) + " is an older spelling of --url; use only one of them";
    verb.add_option(old_url_flag, server.url)
        ->group("")
        ->check([url, complaint](const std::string&) { return url->count() > 0 ? complaint : ""; });
  }
  CLI::Option* user = verb.add_option("--user", server.user, "User and password for basic auth.")
                          ->type_name("NAME:PASSWORD");
  verb.add_option("--token-file", server.token_file, "File with a bearer token.")
      ->type_name("FILE")
      ->excludes(user);
  verb.add_option("--ca-file", server.ca_file, "Certificate authorities to trust, as PEM.")
      ->type_name("FILE");
}

}  // namespace lockstep::cli
