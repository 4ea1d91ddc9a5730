#include "ingest/rate_limit.h"
#include "base/status.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RateLimitTest : public testing::Test {
 protected:
  void Pass(milliseconds time) { now_ += time; }
  bool Admits(RateLimit& limit, uint64_t sample_count, const ClientId& client = {}) {
    return limit.Admit(client, sample_count).ok();
  }
  seconds WaitOf(RateLimit& limit) {
    const absl::Status status = limit.Admit({}, 2);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    return RetryAfter(status).value_or(seconds(-1));
  }

  RateLimit::Clock::time_point now_{};
  RateLimit limit_{100, [this] { return now_; }};
};

TEST_F(RateLimitTest, WithoutALimitEverythingComesIn) {
  RateLimit none(0);
  EXPECT_TRUE(Admits(none, UINT64_MAX));
  EXPECT_TRUE(Admits(none, 1));
}

TEST_F(RateLimitTest, TakesOneSecondsWorthAtOnceAndThenTheRate) {
  EXPECT_TRUE(Admits(limit_, 60));
  EXPECT_TRUE(Admits(limit_, 40));
  EXPECT_FALSE(Admits(limit_, 2));
  Pass(milliseconds(500));
  EXPECT_TRUE(Admits(limit_, 50));
  EXPECT_FALSE(Admits(limit_, 2));
  Pass(milliseconds(3'600'000));
  EXPECT_TRUE(Admits(limit_, 100));  // idle time saves at most one second's worth
  EXPECT_FALSE(Admits(limit_, 2));
}

TEST_F(RateLimitTest, ARequestLargerThanTheRateComesThroughAndTheNextOnesWait) {
  EXPECT_TRUE(Admits(limit_, 1000));
  EXPECT_EQ(WaitOf(limit_), seconds(9));
  Pass(milliseconds(8'500));
  EXPECT_EQ(WaitOf(limit_), seconds(1));
  Pass(milliseconds(510));
  EXPECT_TRUE(Admits(limit_, 1));
}

TEST_F(RateLimitTest, TheMeanRateIsTheLimit) {
  uint64_t admitted = 0;
  for (int i = 0; i < 1000; ++i) {
    if (Admits(limit_, 7)) admitted += 7;
    Pass(milliseconds(10));
  }
  EXPECT_GE(admitted, 1000u);
  EXPECT_LE(admitted, 1000u + 100 + 7);
}

TEST_F(RateLimitTest, AClientAloneGetsAllOfTheRate) {
  const ClientId alone{"a", "alice"};
  uint64_t admitted = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (Admits(limit_, 7, alone)) admitted += 7;
    Pass(milliseconds(10));
  }
  EXPECT_GE(admitted, 10'000u);
  EXPECT_LE(admitted, 10'000u + 200);
}

TEST_F(RateLimitTest, WhoBringsLittleIsLetInBesideWhoBringsMuch) {
  int polite = 0;
  uint64_t noisy = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (Admits(limit_, 50, {"noisy", ""})) noisy += 50;
    // A fifth of the rate.
    if (i % 50 == 0 && Admits(limit_, 10, {"polite", ""})) ++polite;
    Pass(milliseconds(10));
  }
  EXPECT_EQ(polite, 200);
  EXPECT_LE(noisy + 2000, 10'000u + 200);
  EXPECT_GE(noisy + 2000, 9'500u);
}

TEST_F(RateLimitTest, GreedyClientsShareTheRate) {
  std::map<std::string, uint64_t> admitted;
  for (int i = 0; i < 10'000; ++i) {
    for (const char* network : {"a", "b", "c"}) {
      if (Admits(limit_, 20, {network, ""})) admitted[network] += 20;
    }
    Pass(milliseconds(10));
  }
  EXPECT_LE(admitted["a"] + admitted["b"] + admitted["c"], 10'000u + 200);
  for (const auto& [network, count] : admitted) EXPECT_GE(count, 2'500u) << network;
}

TEST_F(RateLimitTest, ACredentialHasOneShareFromWhicheverAddress) {
  int polite = 0;
  for (int i = 0; i < 10'000; ++i) {
    (void)Admits(limit_, 50, {std::to_string(i % 3), "noisy"});
    if (i % 50 == 0 && Admits(limit_, 10, {"p", "polite"})) ++polite;
    Pass(milliseconds(10));
  }
  EXPECT_GE(polite, 199);
}

TEST_F(RateLimitTest, SmallRequestsOfTheSameClientComeThrough) {
  int small = 0;
  uint64_t large = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (Admits(limit_, 50, {"a", ""})) large += 50;
    if (i % 20 == 0 && Admits(limit_, 1, {"a", ""})) ++small;
    Pass(milliseconds(10));
  }
  EXPECT_EQ(small, 500);
  EXPECT_LE(large + 500, 10'000u + 250);
}

TEST_F(RateLimitTest, NotMoreThanAnEighthIsForSmallRequests) {
  EXPECT_TRUE(Admits(limit_, 1000));
  int small = 0;
  while (Admits(limit_, 1)) ++small;
  EXPECT_EQ(small, 12);
  Pass(milliseconds(1000));
  while (Admits(limit_, 1)) ++small;
  EXPECT_EQ(small, 24);
}

TEST_F(RateLimitTest, WhoHadAllOfTheRateDoesNotOweIt) {
  for (int i = 0; i < 10'000; ++i) {
    (void)Admits(limit_, 50, {"first", ""});
    Pass(milliseconds(10));
  }
  std::map<std::string, uint64_t> admitted;
  for (int i = 0; i < 1'000; ++i) {
    for (const char* network : {"second", "first"}) {
      if (Admits(limit_, 20, {network, ""})) admitted[network] += 20;
    }
    Pass(milliseconds(10));
  }
  EXPECT_GE(admitted["first"], 300u);
  EXPECT_GE(admitted["second"], 400u);
}

TEST_F(RateLimitTest, ACredentialGetsNoMoreFromManyAddresses) {
  std::map<std::string, uint64_t> admitted;
  for (int i = 0; i < 10'000; ++i) {
    for (const ClientId& client : {ClientId{"p", "one address"}, ClientId{"a", "many"},
                                   ClientId{"b", "many"}, ClientId{"c", "many"}}) {
      if (Admits(limit_, 20, client)) admitted[client.user] += 20;
    }
    Pass(milliseconds(10));
  }
  EXPECT_LE(admitted["many"], 5'000u);
}

TEST_F(RateLimitTest, WhoWasActiveOnceTakesNoShareFromOthers) {
  for (int i = 0; i < 1000; ++i) {
    (void)Admits(limit_, 1, {std::to_string(i), "user " + std::to_string(i)});
    Pass(milliseconds(10));
  }
  Pass(milliseconds(60'000));
  int polite = 0;
  for (int i = 0; i < 1'000; ++i) {
    (void)Admits(limit_, 50, {"noisy", "noisy"});
    if (i % 50 == 0 && Admits(limit_, 10, {"polite", "polite"})) ++polite;
    Pass(milliseconds(10));
  }
  EXPECT_EQ(polite, 20);
}

TEST_F(RateLimitTest, OtherErrorsAskForNoWait) {
  EXPECT_EQ(RetryAfter(absl::ResourceExhaustedError("the queue is full")), std::nullopt);
  EXPECT_EQ(RetryAfter(absl::OkStatus()), std::nullopt);
}

TEST(CredentialRateTest, CredentialsHaveLimitsOfTheirOwn) {
  RateLimit::Clock::time_point now;
  RateLimit limit(0, [&now] { return now; });
  const ClientId slow{.network = "10.0.0.1", .user = "slow", .max_samples_per_second = 10};
  const ClientId other{.network = "10.0.0.1", .user = "other"};
  EXPECT_TRUE(limit.Admit(slow, 25).ok());
  const absl::Status refused = limit.Admit(slow, 1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(RetryAfter(refused), std::chrono::seconds(2));
  EXPECT_TRUE(limit.Admit(other, 1'000'000).ok());
  now += std::chrono::seconds(1);
  EXPECT_FALSE(limit.Admit(slow, 1).ok());
  now += std::chrono::seconds(1);
  EXPECT_TRUE(limit.Admit(slow, 1).ok());
  // From another address too.
  EXPECT_TRUE(
      limit.Admit({.network = "10.0.0.2", .user = "slow", .max_samples_per_second = 10}, 9).ok());
  EXPECT_FALSE(
      limit.Admit({.network = "10.0.0.3", .user = "slow", .max_samples_per_second = 10}, 1).ok());
  // A refusal by the common limit costs the credential nothing.
  RateLimit small(5, [&now] { return now; });
  EXPECT_TRUE(small.Admit(other, 10).ok());
  EXPECT_FALSE(small.Admit(slow, 9).ok());
}

TEST_F(RateLimitTest, MessagesNameTheLimitAndTheWait) {
  EXPECT_TRUE(Admits(limit_, 350));
  EXPECT_EQ(Message(limit_.Admit({}, 2)),
            "over the limit of 100 samples per second of this server "
            "(ingest.max-samples-per-second); nothing was stored, retry in 3 s");
  RateLimit of_tenant(
      100, [this] { return now_; }, "of this tenant");
  EXPECT_TRUE(Admits(of_tenant, 350));
  EXPECT_EQ(Message(of_tenant.Admit({}, 2)),
            "over the limit of 100 samples per second of this tenant; nothing was stored, retry in "
            "3 s");
  RateLimit none(0, [this] { return now_; });
  const ClientId limited{.network = "", .user = "u", .max_samples_per_second = 10};
  EXPECT_TRUE(none.Admit(limited, 35).ok());
  EXPECT_EQ(Message(none.Admit(limited, 1)),
            "over the limit of 10 samples per second of the credential \"u\" (lockstep_roles); "
            "nothing was stored, retry in 3 s");
}

TEST_F(RateLimitTest, ANewRateBeginsFull) {
  EXPECT_TRUE(Admits(limit_, 1000));
  limit_.SetRate(100);
  EXPECT_FALSE(Admits(limit_, 2));
  limit_.SetRate(200);
  EXPECT_TRUE(Admits(limit_, 200));
  EXPECT_FALSE(Admits(limit_, 3));
  // A small request has a hundredth of the rate, and its part is new as well.
  int small = 0;
  while (Admits(limit_, 1)) ++small;
  EXPECT_EQ(small, 25);
  Pass(milliseconds(500));
  limit_.SetRate(400);
  EXPECT_TRUE(Admits(limit_, 400));
  EXPECT_FALSE(Admits(limit_, 5));
  limit_.SetRate(0);
  EXPECT_TRUE(Admits(limit_, 1'000'000));
}

TEST_F(RateLimitTest, SmallIsUpToAHundredthOfTheRate) {
  RateLimit limit(1000, [this] { return now_; });
  EXPECT_TRUE(Admits(limit, 10'000));
  EXPECT_FALSE(Admits(limit, 11));
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(Admits(limit, 10)) << i;
  EXPECT_FALSE(Admits(limit, 10));
  EXPECT_TRUE(Admits(limit, 5));
  EXPECT_FALSE(Admits(limit, 1));
}

TEST_F(RateLimitTest, AClockThatGoesBackFillsNothing) {
  EXPECT_TRUE(Admits(limit_, 200));
  Pass(milliseconds(-60'000));
  EXPECT_FALSE(Admits(limit_, 2));
  Pass(milliseconds(60'000));
  EXPECT_FALSE(Admits(limit_, 2));
  Pass(milliseconds(1'010));
  EXPECT_TRUE(Admits(limit_, 2));
}

TEST_F(RateLimitTest, AWaitIsAtLeastASecond) {
  EXPECT_TRUE(Admits(limit_, 100));
  EXPECT_EQ(WaitOf(limit_), seconds(1));
}

}  // namespace
}  // namespace lockstep
