// LOCKSTEP_CHECK(condition): ends the process with file, line and text if `condition` is false. For
// our own bugs only, never for bytes that came from outside, disk included.
#pragma once

namespace lockstep::internal {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace lockstep::internal

#define LOCKSTEP_CHECK(condition)                                        \
  do {                                                                   \
    if (!(condition)) [[unlikely]]                                       \
      ::lockstep::internal::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
