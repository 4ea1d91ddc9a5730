#include "server/limits/connection_shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::server {
namespace {

using Opened = ConnectionShares::Opened;
using Lease = ConnectionShares::Lease;

// Opens as many connections as possible without closing another.
std::vector<Lease> OpenBusy(ConnectionShares& shares, const std::string& network) {
  std::vector<Lease> leases;
  for (;;) {
    Opened opened = shares.Open(network);
    if (!opened.lease || opened.lease.is_reserved()) return leases;
    opened.lease.Work();
    leases.push_back(std::move(opened.lease));
  }
}

TEST(ConnectionSharesTest, OneNetworkGetsHalf) {
  ConnectionShares shares(8, 0);
  const std::vector<Lease> a = OpenBusy(shares, "a");
  EXPECT_EQ(a.size(), 4u);
  const std::vector<Lease> b = OpenBusy(shares, "b");
  EXPECT_EQ(b.size(), 2u);
  const std::vector<Lease> c = OpenBusy(shares, "c");
  EXPECT_EQ(c.size(), 1u);
  EXPECT_EQ(shares.size(), 7u);
  EXPECT_TRUE(shares.Open("d").lease);
}

TEST(ConnectionSharesTest, WhoIsOverItsShareClosesItsConnectionThatWaitedLongest) {
  ConnectionShares shares(4, 0);
  Opened first = shares.Open("a");
  Opened second = shares.Open("a");
  EXPECT_FALSE(first.to_close.has_value());
  EXPECT_FALSE(second.to_close.has_value());
  first.lease.Work();
  first.lease.Wait();  // now the second has waited longest
  const Opened third = shares.Open("a");
  EXPECT_TRUE(third.lease);
  EXPECT_EQ(third.to_close, second.lease.id());
  const Opened fourth = shares.Open("a");
  EXPECT_EQ(fourth.to_close, first.lease.id());
}

TEST(ConnectionSharesTest, WhatWorksStays) {
  ConnectionShares shares(4, 0);
  Opened first = shares.Open("a");
  Opened second = shares.Open("a");
  first.lease.Work();
  second.lease.Work();
  EXPECT_FALSE(shares.Open("a").lease);
  second.lease.Wait();
  second.lease.Wait();
  EXPECT_EQ(shares.Open("a").to_close, second.lease.id());
}

TEST(ConnectionSharesTest, WhenAllAreOpenTheNetworkWithMostGivesOne) {
  ConnectionShares shares(4, 0);
  std::vector<Opened> opened;
  for (const char* network : {"a", "a", "b", "c"}) opened.push_back(shares.Open(network));
  const Opened more = shares.Open("d");
  EXPECT_TRUE(more.lease);
  EXPECT_EQ(more.to_close, opened[0].lease.id());
}

TEST(ConnectionSharesTest, NobodyGivesOneToANetworkThatHasAsMany) {
  ConnectionShares shares(2, 0);
  const Opened a = shares.Open("a");
  Opened b = shares.Open("b");
  b.lease.Work();
  EXPECT_FALSE(shares.Open("b").lease);
  EXPECT_EQ(shares.Open("a").to_close, a.lease.id());
}

TEST(ConnectionSharesTest, AConnectionThatBeganToWorkIsNotClosing) {
  ConnectionShares shares(8, 0);
  std::vector<Opened> opened;
  for (int i = 0; i < 4; ++i) opened.push_back(shares.Open("a"));
  const Opened fifth = shares.Open("a");
  EXPECT_EQ(fifth.to_close, opened[0].lease.id());
  opened[0].lease.Work();  // it received a request before it closed
  opened[0].lease.Wait();
  EXPECT_EQ(shares.size(), 5u);
  // It counts again: "a" has five of eight, so a new one must replace one of its own.
  EXPECT_EQ(shares.Open("a").to_close, opened[1].lease.id());
}

TEST(ConnectionSharesTest, WhatIsToCloseIsNotChosenTwice) {
  ConnectionShares shares(8, 0);
  std::vector<Opened> opened;
  for (int i = 0; i < 4; ++i) opened.push_back(shares.Open("a"));
  EXPECT_EQ(shares.TakeLongestWaiting(), opened[0].lease.id());
  opened[0].lease.Wait();
  EXPECT_EQ(shares.TakeLongestWaiting(), opened[1].lease.id());
  opened[2].lease.Work();
  EXPECT_EQ(shares.TakeLongestWaiting(), opened[3].lease.id());
  EXPECT_EQ(shares.TakeLongestWaiting(), std::nullopt);
}

TEST(ConnectionSharesTest, FewAreClosingAtOnce) {
  ConnectionShares shares(8, 0);
  std::vector<Opened> opened;
  int count = 0;
  for (; count < 20; ++count) {
    opened.push_back(shares.Open("a"));
    if (!opened.back().lease) break;
  }
  EXPECT_EQ(count, 4 + 3);
  EXPECT_TRUE(shares.is_closing_many());
  opened[0].lease = Lease();
  EXPECT_TRUE(shares.is_closing_many());
  EXPECT_TRUE(shares.Open("a").lease);
  opened[1].lease = Lease();
  opened[2].lease = Lease();
  EXPECT_FALSE(shares.is_closing_many());
}

TEST(ConnectionSharesTest, ReservedOnesComeAfterTheOthersAndAreSharedToo) {
  ConnectionShares shares(2, 4);
  const std::vector<Lease> busy = OpenBusy(shares, "a");
  EXPECT_EQ(busy.size(), 1u);
  std::vector<Opened> reserved;
  for (int i = 0; i < 2; ++i) {
    reserved.push_back(shares.Open("a"));
    EXPECT_TRUE(reserved.back().lease.is_reserved());
    EXPECT_FALSE(reserved.back().to_close.has_value());
  }
  const Opened third = shares.Open("a");
  EXPECT_EQ(third.to_close, reserved[0].lease.id());
  EXPECT_FALSE(shares.Open("b").lease.is_reserved());
}

TEST(ConnectionSharesTest, HowManyMayBeOpenCanChange) {
  ConnectionShares shares(8, 0);
  std::vector<Lease> busy = OpenBusy(shares, "a");
  shares.SetMaxOpen(2);
  EXPECT_FALSE(shares.Open("b").lease);
  EXPECT_EQ(shares.size(), 4u);
  shares.SetMaxOpen(16);
  EXPECT_EQ(OpenBusy(shares, "a").size(), 4u);
}

TEST(ConnectionSharesTest, WhatClosesIsGivenBackInEveryState) {
  ConnectionShares shares(2, 1);
  for (int round = 0; round < 10; ++round) {
    Opened waiting = shares.Open("a");
    EXPECT_TRUE(waiting.lease);
    EXPECT_FALSE(waiting.lease.is_reserved());
    EXPECT_FALSE(waiting.to_close.has_value());
    const Opened closing_it = shares.Open("a");
    EXPECT_EQ(closing_it.to_close, waiting.lease.id());
    Opened other = shares.Open("b");
    other.lease.Work();
  }
  EXPECT_EQ(shares.size(), 0u);
  Lease moved = shares.Open("a").lease;
  moved = shares.Open("b").lease;
  EXPECT_EQ(shares.size(), 1u);
  EXPECT_EQ(moved.id(), 31u);
}

}  // namespace
}  // namespace lockstep::server
