// Clock: where the store gets the time from, so that tests have one of their own.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep {

// Milliseconds. Called from any thread of the store.
using Clock = std::function<int64_t()>;

// Since 1970-01-01 UTC. Anybody may set this clock.
int64_t SystemTimeMs();
// Since the machine booted, time that it was suspended included. Nobody can set this clock, and it never
// goes back. It stands still while a virtual machine is paused.
int64_t BootTimeMs();

}  // namespace lockstep
