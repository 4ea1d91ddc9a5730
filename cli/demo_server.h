// DemoServer: `lockstep serve` as a child process with a temporary folder as its store. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "cli/temporary_folder.h"

namespace lockstep::cli {

class DemoServer {
 public:
  // Forks. `http` is the HOST:PORT to listen on. The child ends with this process, however that ends. Precondition: no
  // other thread runs yet, and the signals of WaitForStop are blocked.
  static absl::StatusOr<std::unique_ptr<DemoServer>> Start(const std::string& http,
                                                           const std::string& gpu_hour_price,
                                                           const std::string& currency);
  // Stops the server and removes the folder.
  ~DemoServer();
  DemoServer(const DemoServer&) = delete;
  DemoServer& operator=(const DemoServer&) = delete;

  // Waits until it listens; "http://127.0.0.1:9009". Fails if it ends before.
  absl::StatusOr<std::string> AwaitUrl();
  // For files of this process, until the end.
  const std::string& folder() const { return folder_path_; }
  // Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD for this thread and those that it starts.
  static void BlockStopSignals();
  // Whether one of the first three has come.
  static bool IsStopRequested();
  // Waits for one of the first three. Fails if the server ends before.
  absl::Status WaitForStop();

 private:
  DemoServer() = default;

  TemporaryFolder temporary_folder_{"demo"};
  std::string folder_path_;
  pid_t process_ = -1;  // -1: has ended
  int output_ = -1;     // the reading end of its standard output
};

}  // namespace lockstep::cli
