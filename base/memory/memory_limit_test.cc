#include "base/memory/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/budget/memory_budget.h"

namespace lockstep {
namespace {

class MemoryLimit : public ::testing::Test {
 protected:
  MemoryLimit() {
    std::filesystem::remove_all(root_);
    Put("/proc/meminfo", "MemTotal:        1024 kB\nMemFree:  1 kB\n");
  }
  ~MemoryLimit() override { std::filesystem::remove_all(root_); }

  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  const std::string root_ = ::testing::TempDir() + "memory_limit_test." +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MemoryLimit, IsTheMachinesWithoutGroups) {
  EXPECT_EQ(AvailableMemoryBytes(root_), 1 << 20);
  EXPECT_EQ(DefaultMemoryLimitBytes(root_), (1 << 20) / 10 * 6);
}

TEST_F(MemoryLimit, IsTheSmallestOfTheGroupsOfVersion2) {
  Put("/proc/self/cgroup", "0::/pod/container\n");
  Put("/sys/fs/cgroup/pod/container/memory.max", "max\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 1 << 20);
  Put("/sys/fs/cgroup/pod/memory.max", "524288\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 524288);
  Put("/sys/fs/cgroup/pod/container/memory.max", "262144\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 262144);
}

TEST_F(MemoryLimit, IsThatOfTheGroupOfVersion1) {
  Put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n");
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 1 << 20);
  Put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "131072\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 131072);
}

TEST_F(MemoryLimit, IsThatOfTheGroupIfTheMachineDoesNotSay) {
  Put("/proc/meminfo", "MemFree:  1 kB\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 0);
  Put("/proc/self/cgroup", "0::/\n");
  Put("/sys/fs/cgroup/memory.max", "2097152\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 2097152);
  Put("/proc/meminfo", "MemTotal: unknown\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 2097152);
  Put("/proc/meminfo", "MemTotal:");
  EXPECT_EQ(AvailableMemoryBytes(root_), 2097152);
}

TEST_F(MemoryLimit, LinesThatNameNoGroupOfMemoryDoNotCount) {
  Put("/proc/self/cgroup", "nonsense\n0:nonsense\n4:memory:no/path\n5:cpu,memoryless:/x\n");
  Put("/sys/fs/cgroup/memory.max", "4096\n");
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 1 << 20);
  Put("/proc/self/cgroup", "5:cpu,memory:/x\n");
  EXPECT_EQ(AvailableMemoryBytes(root_), 4096);
}

TEST_F(MemoryLimit, IsNoneIfNothingSays) {
  EXPECT_EQ(AvailableMemoryBytes(root_ + "/none"), 0);
  EXPECT_EQ(DefaultMemoryLimitBytes(root_ + "/none"), MemoryBudget::kNoLimit);
}

}  // namespace
}  // namespace lockstep
