// `lockstep backup` and `lockstep restore`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"

namespace lockstep::cli {

struct BackupFlags {
  HttpClientOptions server;
  std::string folder;
  std::string data_folder;  // store of a stopped server; "": ask the server
  size_t keep_count = 0;    // 0: all
  bool list = false;
};

ExitCode Backup(const BackupFlags& flags);

struct RestoreFlags {
  std::string folder;
  std::string data_folder;
  uint32_t number = 0;  // 0: the latest
};

// Verifies every file before and after copying, then opens the restored store.
ExitCode Restore(const RestoreFlags& flags);

}  // namespace lockstep::cli
