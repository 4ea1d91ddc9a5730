#include "server/limits/file_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace lockstep::server {
namespace {

TEST(FileLimitTest, ConnectionsLeaveMostHandlesToTheStore) {
  EXPECT_EQ(ConnectionsWithin(200, 4096), 50u);
  EXPECT_EQ(ConnectionsWithin(16383, 4096), 4095u);
  EXPECT_EQ(ConnectionsWithin(16384, 4096), 4096u);
  EXPECT_EQ(ConnectionsWithin(RLIM_INFINITY, 4096), 4096u);
  EXPECT_EQ(ConnectionsWithin(3, 4096), 1u);
  EXPECT_EQ(ConnectionsWithin(1024, 7), 7u);
}

TEST(FileLimitTest, TheSoftLimitIsRaisedToTheHardOne) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lowered = before;
  lowered.rlim_cur = before.rlim_max / 2;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  EXPECT_EQ(RaiseFileLimit(), before.rlim_max);
  rlimit after = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace lockstep::server
