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
  return signals;
}

}  // namespace

void BlockShutdownSignals() {
  const sigset_t signals = ShutdownSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int AwaitShutdownSignal() {
  const sigset_t signals = ShutdownSignals();
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return number;
}

void ExitOnShutdownSignal() {
  // As the shell reports a process that a signal ended.
  std::thread([] { _exit(128 + AwaitShutdownSignal()); }).detach();
}

}  // namespace lockstep::server
