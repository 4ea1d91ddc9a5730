// Clock: where the store gets the time of day from, so that tests have one of their own.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep {

// Unix milliseconds. Called from any thread of the store.
using Clock = std::function<int64_t()>;

int64_t SystemTimeMs();

}  // namespace lockstep
