// What the status pages say about this process. Filled once by whoever starts the server.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::api {

struct ServerInfo {
  std::string version;        // ours: "0.1.0"
  std::string revision;       // source revision, "" when unknown
  std::string build_date;     // "" when unknown
  std::string compiler;       // "g++ 12.2.0"
  int64_t start_time_ms = 0;  // Unix
  std::string hostname;
  std::string working_folder;  // absolute
  std::string storage_folder;  // absolute
  std::string retention;       // as people write it: "15d"
  // Every flag by its long name without dashes, with its effective value; secrets left out.
  std::vector<std::pair<std::string, std::string>> flags;
  // The effective configuration as YAML; secrets replaced by "<secret>".
  std::string config_yaml;
};

}  // namespace lockstep::api
