// What the status pages report about this process. Set once when the server starts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::api {

struct ServerInfo {
  std::string version;        // lockstep's version: "0.1.0"
  std::string revision;       // source revision, "" when unknown
  std::string build_date;     // "" when unknown
  std::string compiler;       // "g++ 12.2.0"
  int64_t start_time_ms = 0;  // Unix
  std::string hostname;
  std::string working_folder;  // absolute
  std::string storage_folder;  // absolute
  std::string retention;       // as written by people: "15d"
  // Every flag by its long name without dashes, with its effective value; secrets omitted.
  std::vector<std::pair<std::string, std::string>> flags;
  // The effective configuration as YAML; secrets replaced by "<secret>".
  std::string config_yaml;
};

}  // namespace lockstep::api
