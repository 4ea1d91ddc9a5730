// `lockstep backup` and `lockstep restore`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct BackupFlags {
  HttpClientOptions server;
  std::string folder;
  std::string data_folder;  // of a stopped server; "": ask the server
  size_t keep_count = 0;    // 0: all
  bool list = false;
};

ExitCode Backup(const BackupFlags& flags);

struct RestoreFlags {
  std::string folder;
  std::string data_folder;
  uint32_t number = 0;  // 0: the newest
};

// Every file is verified before and after; at last the restored store is opened.
ExitCode Restore(const RestoreFlags& flags);

}  // namespace lockstep::cli
