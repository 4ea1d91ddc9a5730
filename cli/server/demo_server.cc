#include "cli/server/demo_server.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "absl/strings/str_format.h"
#include "cli/server/serve.h"
#include "cli/settings/serve_options.h"

namespace lockstep::cli {
namespace {

// What Serve() prints before the URL.
constexpr std::string_view kReady = "lockstep is ready on ";

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

sigset_t WaitedSignals() {
  sigset_t signals = StopSignals();
  sigaddset(&signals, SIGCHLD);
  return signals;
}

[[noreturn]] void RunServer(const ServeOptions& options, const std::string& folder, int output,
                            pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The parent may have ended before that call.
  if (getppid() != parent) _exit(kFailure);
  dup2(output, STDOUT_FILENO);
  const ExitCode code = Serve(options);
  // The parent also does this, unless it was killed.
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  _exit(code);
}

absl::Status EndedEarly() { return absl::UnavailableError("the demo server exited unexpectedly"); }

}  // namespace

absl::StatusOr<std::unique_ptr<DemoServer>> DemoServer::Start(const std::string& http,
                                                              const std::string& gpu_hour_price,
                                                              const std::string& currency) {
  std::unique_ptr<DemoServer> server(new DemoServer());
  LOCKSTEP_ASSIGN_OR_RETURN(server->folder_path_, server->temporary_folder_.path());
  const std::string data = server->folder_path_ + "/data";
  LOCKSTEP_ASSIGN_OR_RETURN(const ServeOptions options,
                            MakeServeOptions({{"http", http, "flag --http"},
                                              {"data", data, "demo"},
                                              {"storage.retention.time", "100y", "demo"},
                                              {"training.prices", gpu_hour_price, "demo"},
                                              {"training.currency", currency, "demo"},
                                              {"log.level", "error", "demo"}}));
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return absl::UnavailableError("cannot create a pipe");
  std::fflush(stdout);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) RunServer(options, server->folder_path_, pipe_ends[1], parent);
  close(pipe_ends[1]);
  server->output_ = pipe_ends[0];
  if (child < 0) return absl::UnavailableError("cannot start a process");
  server->process_ = child;
  return server;
}

DemoServer::~DemoServer() {
  if (output_ != -1) close(output_);
  if (process_ == -1) return;
  // The data is temporary, so no orderly shutdown is needed.
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

absl::StatusOr<std::string> DemoServer::AwaitUrl() {
  std::string said;
  char byte = 0;
  while (read(output_, &byte, 1) == 1 && byte != '\n') said += byte;
  if (byte != '\n' || !said.starts_with(kReady)) return EndedEarly();
  return said.substr(kReady.size());
}

void DemoServer::BlockStopSignals() {
  const sigset_t signals = WaitedSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool DemoServer::IsStopRequested() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (sigismember(&pending, signal) == 1) return true;
  }
  return false;
}

absl::Status DemoServer::WaitForStop() {
  const sigset_t signals = WaitedSignals();
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGCHLD) return absl::OkStatus();
    if (waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      // Ctrl-C reaches both processes; the child may exit first.
      return IsStopRequested() ? absl::OkStatus() : EndedEarly();
    }
  }
}

}  // namespace lockstep::cli
