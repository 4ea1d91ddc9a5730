#include "rules/alerts/courier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "tests/support/answering_server.h"

namespace lockstep::rules {
namespace {

using testing::ElementsAre;

constexpr int64_t kForever = std::numeric_limits<int64_t>::max() / 2;

Notice Firing(int number) {
  Notice notice;
  notice.labels = LabelSet::Of({{"alertname", std::to_string(number)}});
  notice.source = static_cast<uint64_t>(number) + 1;
  notice.starts_at_ms = SystemTimeMs();
  notice.ends_at_ms = kForever;
  return notice;
}

// A receiver that answers with the statuses that a test gives it, one after the other, then with
// the last of them again and again; and its courier.
class CourierTest : public testing::Test {
 protected:
  void Start(std::vector<std::string> statuses) {
    {
      const MutexLock lock(mutex_);
      statuses_ = std::move(statuses);
    }
    CourierOptions options;
    options.url = "http://" + server_.address() + "/hook";
    courier_ = std::make_unique<Courier>(
        std::move(options), [](std::span<const Notice> notices) { return BodyOf(notices); },
        counters_);
  }

  // "NAME" of each that fires for ever, "NAME+MS" of what does so for longer, "NAME!" of what is
  // over.
  static std::string BodyOf(std::span<const Notice> notices) {
    std::vector<std::string> words;
    for (const Notice& notice : notices) {
      std::string word(notice.labels.Get("alertname"));
      if (notice.is_resolved) word += "!";
      if (notice.ends_at_ms > kForever) {
        absl::StrAppendFormat(&word, "+%d", notice.ends_at_ms - kForever);
      }
      words.push_back(std::move(word));
    }
    return absl::StrJoin(words, " ");
  }

  std::string Take(std::string_view request) {
    const MutexLock lock(mutex_);
    bodies_.emplace_back(AnsweringServer::BodyOf(request));
    if (bodies_.size() == 1 && told_meanwhile_.has_value()) Tell({*told_meanwhile_});
    arrived_.NotifyAll();
    const size_t i = std::min(bodies_.size(), statuses_.size()) - 1;
    return AnsweringServer::Page(statuses_[i], "");
  }

  // The bodies of the requests so far, once there are so many.
  std::vector<std::string> Await(size_t count) {
    const MutexLock lock(mutex_);
    while (bodies_.size() < count) arrived_.Wait(mutex_);
    return bodies_;
  }
  std::vector<std::string> End() {
    courier_ = nullptr;
    const MutexLock lock(mutex_);
    return bodies_;
  }
  void Tell(std::vector<Notice> notices) { courier_->Tell(notices); }

  Mutex mutex_;
  CondVar arrived_;
  std::vector<std::string> statuses_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<std::string> bodies_ LOCKSTEP_GUARDED_BY(mutex_);
  std::optional<Notice> told_meanwhile_;  // while the first request is under way
  AnsweringServer server_{[this](std::string_view request) { return Take(request); }};
  CourierCounters counters_;
  std::unique_ptr<Courier> courier_;
};

// What fires may not end for the receiver before the next request can have come, a time limit
// later.
TEST_F(CourierTest, TellsWhatFiresAndWhatIsOver) {
  Start({"200 OK"});
  Notice over = Firing(1);
  Tell({over});
  EXPECT_THAT(Await(1), ElementsAre("1+10000"));
  over.is_resolved = true;
  Tell({over, Firing(2)});
  EXPECT_THAT(Await(2), ElementsAre("1+10000", "1! 2+10000"));
  End();
  EXPECT_EQ(counters_.sent, 3u);
  EXPECT_EQ(counters_.dropped, 0u);
  EXPECT_EQ(counters_.failed_requests, 0u);
}

TEST_F(CourierTest, ARequestHas256Alerts) {
  Start({"200 OK"});
  std::vector<Notice> notices;
  for (int i = 0; i < 257; ++i) notices.push_back(Firing(i));
  Tell(notices);
  const std::vector<std::string> bodies = Await(2);
  EXPECT_EQ(std::ranges::count(bodies[0], ' '), 255);
  EXPECT_EQ(bodies[1], "256+10000");
  End();
  EXPECT_EQ(counters_.sent, 257u);
}

// ... and each try carries the newest states.
TEST_F(CourierTest, TriesUntilTheReceiverTakesThem) {
  Start({"503 Service Unavailable", "429 Too Many Requests", "200 OK"});
  told_meanwhile_ = Firing(1);
  told_meanwhile_->is_resolved = true;
  Tell({Firing(1), Firing(2)});
  const std::vector<std::string> bodies = Await(3);
  EXPECT_EQ(bodies[0], "1+10000 2+10000");
  EXPECT_THAT(bodies[1], testing::HasSubstr("1!"));
  EXPECT_THAT(bodies[1], testing::HasSubstr("2+10000"));
  EXPECT_EQ(bodies[1], bodies[2]);
  EXPECT_EQ(End().size(), 3u);
  EXPECT_EQ(counters_.sent, 2u);
  EXPECT_EQ(counters_.dropped, 0u);
  EXPECT_EQ(counters_.failed_requests, 2u);
}

TEST_F(CourierTest, WhatTheReceiverRefusesIsDroppedAndTheNextIsTold) {
  Start({"400 Bad Request", "200 OK"});
  Tell({Firing(1), Firing(2)});
  Await(1);
  Tell({Firing(3)});
  EXPECT_THAT(Await(2), ElementsAre("1+10000 2+10000", "3+10000"));
  End();
  EXPECT_EQ(counters_.sent, 1u);
  EXPECT_EQ(counters_.dropped, 2u);
  EXPECT_EQ(counters_.failed_requests, 1u);
}

// Whether the courier ends before a request, during it, or before the next one: each waiting alert
// is tried at most once more, and is then delivered or counted as dropped.
TEST_F(CourierTest, NothingIsForgottenAtTheEnd) {
  const std::vector<std::vector<std::string>> answers = {
      {"200 OK"}, {"503 Service Unavailable"}, {"503 Service Unavailable", "200 OK"}};
  for (int i = 0; i < 30; ++i) {
    {
      const MutexLock lock(mutex_);
      bodies_.clear();
    }
    const uint64_t sent = counters_.sent;
    const uint64_t dropped = counters_.dropped;
    Start(answers[static_cast<size_t>(i % 3)]);
    Tell({Firing(1)});
    if (i % 2 == 0) Await(1);
    const size_t requests = End().size();
    EXPECT_GE(requests, 1u);
    EXPECT_LE(requests, 2u);
    const bool is_sent = i % 3 == 0 || (i % 3 == 2 && requests == 2);
    EXPECT_EQ(counters_.sent - sent, is_sent ? 1u : 0u) << i;
    EXPECT_EQ(counters_.dropped - dropped, is_sent ? 0u : 1u) << i;
  }
}

TEST_F(CourierTest, EndsAtOnceIfNothingWaits) {
  Start({"200 OK"});
  EXPECT_THAT(End(), ElementsAre());
}

}  // namespace
}  // namespace lockstep::rules
