// The clocks of the machine. Whatever a test must control takes a Clock instead of calling these.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep {

// Returns milliseconds. Called from any thread of its owner.
using Clock = std::function<int64_t()>;

// Since 1970-01-01 UTC. Anyone may set this clock.
int64_t SystemTimeNs();
int64_t SystemTimeMs();
// Since the machine booted, including time in suspension. Nobody can set this clock, and it never
// goes back. It stands still while a virtual machine is paused.
int64_t BootTimeMs();

}  // namespace lockstep
