#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lockstep::internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "BUG: %s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace lockstep::internal
