// DemoServer: `lockstep serve` as a child process with its store in a temporary folder. Not
// thread-safe.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "cli/process/temporary_folder.h"

namespace lockstep::cli {

class DemoServer {
 public:
  // Forks. `http` is the HOST:PORT to listen on. The child exits when this process does, for any
  // reason. Precondition: no other thread is running, and the signals of WaitForStop are blocked.
  static absl::StatusOr<std::unique_ptr<DemoServer>> Start(const std::string& http,
                                                           const std::string& gpu_hour_price,
                                                           const std::string& currency);
  // Stops the server and removes the folder.
  ~DemoServer();
  DemoServer(const DemoServer&) = delete;
  DemoServer& operator=(const DemoServer&) = delete;

  // Waits until the server listens, and returns its URL: "http://127.0.0.1:9009". Fails if it exits
  // first.
  absl::StatusOr<std::string> AwaitUrl();
  // A folder for this process's files, removed by the destructor.
  const std::string& folder() const { return folder_path_; }
  // Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD for this thread and the threads it starts.
  static void BlockStopSignals();
  // Whether SIGINT, SIGTERM or SIGHUP has arrived.
  static bool IsStopRequested();
  // Waits for SIGINT, SIGTERM or SIGHUP. Fails if the server exits first.
  absl::Status WaitForStop();

 private:
  DemoServer() = default;

  TemporaryFolder temporary_folder_{"demo"};
  std::string folder_path_;
  pid_t process_ = -1;  // -1: exited
  int output_ = -1;     // read end of its standard output
};

}  // namespace lockstep::cli
