#include "cli/server_flags.h"

namespace lockstep::cli {

void AddServerFlags(CLI::App& verb, const char* url_flag, HttpClientOptions& server) {
  server.url = "http://127.0.0.1:9009";
  verb.add_option(url_flag, server.url, "Server to talk to.")
      ->type_name("URL")
      ->capture_default_str();
  CLI::Option* user = verb.add_option("--user", server.user, "User and password for basic auth.")
                          ->type_name("NAME:PASSWORD");
  verb.add_option("--token-file", server.token_file, "File with a bearer token.")
      ->type_name("FILE")
      ->excludes(user);
  verb.add_option("--ca-file", server.ca_file, "Certificate authorities to trust, as PEM.")
      ->type_name("FILE");
}

}  // namespace lockstep::cli
