#include "base/budget/client_id.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(ClientIdTest, CountsNetworks) {
  EXPECT_EQ(HostOfAddress("10.0.0.1:4242"), "10.0.0.1");
  EXPECT_EQ(HostOfAddress("[::1]:4242"), "::1");
  EXPECT_EQ(HostOfAddress("[fe80::1%eth0]:1"), "fe80::1");
  EXPECT_EQ(NetworkOfAddress("10.0.0.1:4242"), "10.0.0.1");
  EXPECT_EQ(NetworkOfAddress("[2001:db8:1:2:3::7]:1"), "2001:db8:1:2::");
  EXPECT_EQ(NetworkOfAddress("[::ffff:10.0.0.1]:1"), "10.0.0.1");
  EXPECT_EQ(NetworkOfAddress("unknown"), "unknown");
}

}  // namespace
}  // namespace lockstep
