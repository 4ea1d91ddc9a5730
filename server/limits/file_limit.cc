#include "server/limits/file_limit.h"

#include <sys/resource.h>

#include "base/log.h"

namespace lockstep::server {

uint64_t RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return RLIM_INFINITY;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return limit.rlim_cur;
  Log(LogLevel::kWarn, "cannot raise the limit of open files", {{"limit", before}});
  return before;
}

}  // namespace lockstep::server
