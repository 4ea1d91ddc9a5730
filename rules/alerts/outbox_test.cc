#include "rules/alerts/outbox.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

constexpr int64_t kOutboxMinute = 60'000;

Notice Firing(std::string_view name, int64_t since_ms, int64_t until_ms, uint64_t source = 1) {
  Notice notice;
  notice.labels = LabelSet::Of({{"alertname", name}});
  notice.starts_at_ms = since_ms;
  notice.ends_at_ms = until_ms;
  notice.source = source;
  return notice;
}

Notice Resolved(std::string_view name, int64_t since_ms, int64_t at_ms, uint64_t source = 1) {
  Notice notice = Firing(name, since_ms, at_ms, source);
  notice.is_resolved = true;
  return notice;
}

// "Hot firing 10..250": its name, state, start and end.
std::string TextOf(const std::vector<Outbox::Waiting>& batch) {
  std::string text;
  for (const auto& [turn, notice] : batch) {
    absl::StrAppendFormat(
        &text, "%s%s %s %d..%d", text.empty() ? "" : ", ", notice.labels.Get("alertname"),
        notice.is_resolved ? "resolved" : "firing", notice.starts_at_ms, notice.ends_at_ms);
  }
  return text;
}

class OutboxTest : public testing::Test {
 protected:
  std::string Take(Outbox& outbox, int64_t now_ms) { return TextOf(outbox.Take(256, now_ms)); }

  Outbox again_and_again_{{}};
  Outbox once_{{.once = true}};
};

TEST_F(OutboxTest, KeepsTheNewestStateOfEachAlertInItsFirstPlace) {
  again_and_again_.Put(Firing("Hot", 1, 100), 1);
  again_and_again_.Put(Firing("Full", 2, 100), 2);
  again_and_again_.Put(Firing("Hot", 1, 200), 3);
  again_and_again_.Put(Resolved("Full", 2, 4), 4);
  EXPECT_EQ(Take(again_and_again_, 5), "Hot firing 1..200, Full resolved 2..4");
  EXPECT_EQ(Take(again_and_again_, 5), "");
}

TEST_F(OutboxTest, WhatWasNotTakenIsTriedAgainWithWhatIsTrueThen) {
  again_and_again_.Put(Firing("Hot", 1, 100), 1);
  again_and_again_.Put(Firing("Full", 2, 100), 2);
  again_and_again_.Put(Firing("Late", 3, 100), 3);
  auto batch = again_and_again_.Take(256, 4);
  again_and_again_.Put(Resolved("Hot", 1, 5), 5);
  again_and_again_.Put(Firing("Full", 2, 300), 6);
  again_and_again_.Put(Firing("New", 7, 300), 7);
  again_and_again_.PutBack(std::move(batch));
  EXPECT_EQ(Take(again_and_again_, 8),
            "Hot resolved 1..5, Full firing 2..300, Late firing 3..100, New firing 7..300");
}

TEST_F(OutboxTest, WhatNobodyConfirmsIsNotSent) {
  again_and_again_.Put(Firing("Hot", 1, 100), 1);
  again_and_again_.Put(Firing("Full", 1, 101), 1);
  EXPECT_EQ(Take(again_and_again_, 100), "Full firing 1..101");
  again_and_again_.Put(Resolved("Hot", 1, kOutboxMinute), kOutboxMinute);
  EXPECT_EQ(Take(again_and_again_, 17 * kOutboxMinute), "");
  EXPECT_EQ(again_and_again_.dropped(), 2u);
}

TEST_F(OutboxTest, AnAlertFiresWhileAnyOfItsSourcesDoes) {
  for (Outbox* outbox : {&again_and_again_, &once_}) {
    outbox->Put(Firing("Hot", 1, 100, 1), 1);
    outbox->Put(Firing("Hot", 2, 100, 2), 2);
    outbox->Put(Resolved("Hot", 1, 3, 1), 3);
    EXPECT_EQ(Take(*outbox, 4), "Hot firing 2..100");
    outbox->Put(Resolved("Hot", 1, 3, 1), 5);
    EXPECT_EQ(Take(*outbox, 5), "");
    outbox->Put(Resolved("Hot", 2, 6, 2), 6);
    EXPECT_EQ(Take(*outbox, 7), "Hot resolved 2..6");
  }
}

TEST_F(OutboxTest, ASourceThatIsNotConfirmedHoldsNoEndBack) {
  again_and_again_.Put(Firing("Hot", 1, 100, 1), 1);
  again_and_again_.Put(Firing("Hot", 2, 200, 2), 2);
  again_and_again_.Put(Resolved("Hot", 2, 150, 2), 150);
  EXPECT_EQ(Take(again_and_again_, 151), "Hot resolved 2..150");
}

TEST_F(OutboxTest, OnceIsOnce) {
  once_.Put(Resolved("Unknown", 1, 2), 2);
  once_.Put(Firing("Hot", 1, 100), 1);
  once_.Put(Firing("Hot", 1, 200), 2);
  EXPECT_EQ(Take(once_, 3), "Hot firing 1..200");
  once_.Put(Firing("Hot", 1, 300), 4);
  EXPECT_EQ(Take(once_, 5), "");
  for (const int64_t now_ms : {10, 20}) once_.Put(Resolved("Hot", 1, 10), now_ms);
  EXPECT_EQ(Take(once_, 30), "Hot resolved 1..10");
  once_.Put(Resolved("Hot", 1, 10), 40);
  EXPECT_EQ(Take(once_, 40), "");
  once_.Put(Firing("Hot", 50, 300), 50);
  EXPECT_EQ(Take(once_, 50), "Hot firing 50..300");
}

TEST_F(OutboxTest, OnceMeansWhenItIsTrueAgain) {
  once_.Put(Firing("Hot", 1, 100), 1);
  auto batch = once_.Take(256, 2);
  // In flight: it is neither sent twice nor forgotten.
  once_.Put(Firing("Hot", 1, 200), 3);
  EXPECT_TRUE(once_.empty());
  once_.PutBack(std::move(batch));
  once_.Put(Firing("Hot", 1, 300), 4);
  EXPECT_EQ(Take(once_, 250), "Hot firing 1..300");

  once_.Put(Resolved("Hot", 1, 260), 260);
  batch = once_.Take(256, 261);
  once_.PutBack(std::move(batch));
  once_.Put(Firing("Hot", 270, 400), 270);
  EXPECT_EQ(Take(once_, 271), "Hot firing 270..400");
  EXPECT_EQ(Take(once_, 272), "");
}

TEST_F(OutboxTest, OnceHearsOfAnEndThatMayHaveBeenMissed) {
  once_.Put(Firing("Hot", 1, 100), 1);
  auto batch = once_.Take(256, 2);
  once_.Put(Resolved("Hot", 1, 3), 3);
  once_.PutBack(std::move(batch));
  EXPECT_EQ(Take(once_, 20 * kOutboxMinute), "Hot resolved 1..3");
}

TEST_F(OutboxTest, OnceKeepsQuietWhereTheEndAndItsOppositeAreOvertaken) {
  once_.Put(Firing("Hot", 1, 100, 1), 1);
  EXPECT_EQ(Take(once_, 1), "Hot firing 1..100");
  once_.Put(Resolved("Hot", 1, 2, 1), 2);
  once_.Put(Firing("Hot", 1, 100, 2), 3);
  EXPECT_EQ(Take(once_, 4), "");
}

TEST_F(OutboxTest, DropsWhatWaitedLongestBeyondItsLimit) {
  Outbox outbox({.max_waiting = 2});
  for (const char* name : {"A", "B", "C"}) outbox.Put(Firing(name, 1, 100), 1);
  EXPECT_EQ(Take(outbox, 2), "B firing 1..100, C firing 1..100");
  EXPECT_EQ(outbox.dropped(), 1u);
}

TEST_F(OutboxTest, TakesAsManyAsAskedForInTurn) {
  for (const char* name : {"A", "B", "C"}) again_and_again_.Put(Firing(name, 1, 100), 1);
  EXPECT_EQ(TextOf(again_and_again_.Take(2, 2)), "A firing 1..100, B firing 1..100");
  EXPECT_FALSE(again_and_again_.empty());
  EXPECT_EQ(TextOf(again_and_again_.Take(2, 2)), "C firing 1..100");
  EXPECT_TRUE(again_and_again_.empty());
}

TEST_F(OutboxTest, AnEndIsNewsForAQuarterOfAnHour) {
  again_and_again_.Put(Resolved("A", 1, 10), 10);
  EXPECT_EQ(Take(again_and_again_, 10 + 15 * kOutboxMinute), "A resolved 1..10");
  again_and_again_.Put(Resolved("A", 1, 10), 10);
  EXPECT_EQ(Take(again_and_again_, 11 + 15 * kOutboxMinute), "");
  EXPECT_EQ(again_and_again_.dropped(), 1u);
}

TEST_F(OutboxTest, AtItsLimitNothingIsDropped) {
  Outbox outbox({.max_waiting = 2});
  for (const char* name : {"A", "B", "A", "B"}) outbox.Put(Firing(name, 1, 100), 1);
  EXPECT_EQ(outbox.dropped(), 0u);
  EXPECT_EQ(Take(outbox, 2), "A firing 1..100, B firing 1..100");
}

TEST_F(OutboxTest, ASourceThatEndsEarlierDoesNotShortenAnAlert) {
  again_and_again_.Put(Firing("Hot", 1, 300, 1), 1);
  again_and_again_.Put(Firing("Hot", 2, 100, 2), 2);
  EXPECT_EQ(Take(again_and_again_, 3), "Hot firing 2..300");
}

TEST_F(OutboxTest, WhatIsRememberedIsWhatMayBeAskedFor) {
  // A receiver that was told of what fires may get its end a day later.
  constexpr int64_t kDay = 24 * 60 * kOutboxMinute;
  once_.Put(Firing("Hot", 1, 100), 1);
  EXPECT_EQ(Take(once_, 2), "Hot firing 1..100");
  for (int i = 0; i < 3'000; ++i) {
    once_.Put(Firing(absl::StrFormat("A%d", i), 1, 50 + kDay), 99 + kDay);
  }
  once_.Put(Resolved("Hot", 1, kDay), 99 + kDay);
  const auto batch = once_.Take(10'000, 99 + kDay);
  EXPECT_EQ(TextOf(batch), absl::StrFormat("Hot resolved 1..%d", kDay));
}

TEST_F(OutboxTest, ManyAlertsThatAreOverAreForgotten) {
  for (Outbox* outbox : {&again_and_again_, &once_}) {
    for (int i = 0; i < 5'000; ++i) {
      const std::string name = absl::StrFormat("A%d", i);
      outbox->Put(Firing(name, i, i + 10), i);
      outbox->Put(Resolved(name, i, i + 1), i + 1);
      EXPECT_NE(Take(*outbox, i + 2), "");
    }
    outbox->Put(Firing("Last", 1, 2 * 24 * 60 * kOutboxMinute), 24 * 60 * kOutboxMinute);
    EXPECT_LE(outbox->remembered(), 2'048u);
  }
}

}  // namespace
}  // namespace lockstep::rules
