// LOCKSTEP_CHECK(condition): ends the process with the file, line and text of `condition` if it is
// false. Only for our own bugs, never for bytes from outside, including those from disk.
#pragma once

namespace lockstep::internal {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace lockstep::internal

#define LOCKSTEP_CHECK(condition)                                        \
  do {                                                                   \
    if (!(condition)) [[unlikely]]                                       \
      ::lockstep::internal::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
