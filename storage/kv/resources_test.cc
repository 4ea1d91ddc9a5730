#include "storage/kv/resources.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::kv {
namespace {

// In a process that may open this many files.
int OpenTablesWith(rlim_t file_count, uint32_t store_count) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {file_count / 2, file_count};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(1);
    const int count = OpenTablesOf(store_count);
    _exit(write(ends[1], &count, sizeof(count)) == sizeof(count) ? 0 : 1);
  }
  close(ends[1]);
  int count = -1, status = 0;
  EXPECT_EQ(read(ends[0], &count, sizeof(count)), static_cast<ssize_t>(sizeof(count)));
  close(ends[0]);
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return count;
}

TEST(OpenTablesOf, IsAQuarterOfTheFilesDividedAmongTheStores) {
  EXPECT_EQ(OpenTablesWith(2000, 1), 500);
  EXPECT_EQ(OpenTablesWith(2000, 5), 100);
  // RocksDB needs some, and more than some are of no use.
  EXPECT_EQ(OpenTablesWith(2000, 15), 33);
  EXPECT_EQ(OpenTablesWith(2000, 16), 32);
  EXPECT_EQ(OpenTablesWith(2000, 4096), 32);
  EXPECT_EQ(OpenTablesWith(2052, 1), 512);
}

}  // namespace
}  // namespace lockstep::kv
