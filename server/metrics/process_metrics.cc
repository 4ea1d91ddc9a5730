#include "server/metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace lockstep::server {
namespace {

// The fields of /proc/self/stat from the third on; the second is a name in parentheses that may
// contain blanks.
std::vector<std::string> StatFields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const size_t bracket = line.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream rest(line.substr(bracket + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

double BootTimeSeconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  while (file >> word) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

uint64_t OpenFileCount() {
  std::error_code error;
  uint64_t count = 0;
  for (auto at = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    ++count;
  }
  return count > 0 ? count - 1 : 0;  // excludes the handle used for the listing
}

}  // namespace

ProcessMetrics ReadProcessMetrics() {
  ProcessMetrics metrics;
  const std::vector<std::string> fields = StatFields();
  // proc(5) counts from 1, and our list starts at the third field.
  const auto field = [&](size_t number) {
    return std::strtoull(fields[number - 3].c_str(), nullptr, 10);
  };
  if (fields.size() > 24 - 3) {
    const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    metrics.cpu_seconds = static_cast<double>(field(14) + field(15)) / ticks_per_second;
    metrics.thread_count = field(20);
    metrics.start_time_seconds =
        BootTimeSeconds() + static_cast<double>(field(22)) / ticks_per_second;
    metrics.virtual_bytes = field(23);
    metrics.resident_bytes = field(24) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  metrics.open_file_count = OpenFileCount();
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) metrics.max_file_count = limit.rlim_cur;
  return metrics;
}

}  // namespace lockstep::server
