#include "server/shutdown_signal.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace lockstep::server {
namespace {

sigset_t ShutdownSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

void BlockShutdownSignals() {
  const sigset_t signals = ShutdownSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int AwaitShutdownSignal(absl::FunctionRef<void()> reload) {
  const sigset_t signals = ShutdownSignals();
  while (true) {
    int number = 0;
    if (sigwait(&signals, &number) != 0) continue;
    if (number != SIGHUP) return number;
    reload();
  }
}

void ExitOnShutdownSignal() {
  // The exit status with which a shell reports a process killed by a signal.
  std::thread([] { _exit(128 + AwaitShutdownSignal([] {})); }).detach();
}

}  // namespace lockstep::server
