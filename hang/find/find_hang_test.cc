#include "hang/find/find_hang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "hang/find/hang_words.h"

namespace lockstep::hang {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kBeginMs = 1'700'000'000'000;
constexpr int64_t kStepMs = 100;

// A rank's record, an operation at a time.
class Rank {
 public:
  explicit Rank(int32_t rank) {
    record_.rank = rank;
    record_.version = "2.10";
  }

  Rank& Group(std::string_view name, std::vector<int32_t> ranks, std::string_view words = "") {
    record_.groups.push_back({.name = Number(name),
                              .description = Number(words.empty() ? name : words),
                              .ranks = std::move(ranks),
                              .last_entered = 0});
    return *this;
  }

  // In the group that was added last, or the one chosen.
  Rank& In(uint32_t group) {
    group_ = group;
    return *this;
  }

  Rank& Enter(std::string_view kind, int64_t sequence, bool ended = true, int64_t elements = 16,
              std::string_view dtype = "Float") {
    Operation& operation = Add(kind, sequence, ended, elements);
    operation.dtypes = Number(dtype);
    GroupRecord& group = record_.groups[group_];
    group.last_entered = std::max(group.last_entered.value_or(0), sequence);
    return *this;
  }

  Rank& Peer(std::string_view kind, int32_t peer, int64_t sequence, bool ended,
             int64_t elements = 16) {
    Operation& operation = Add(kind, sequence, ended, elements);
    operation.is_p2p = true;
    operation.peer = peer;
    return *this;
  }

  Rank& Reduced(int64_t first, int64_t last) {
    for (int64_t i = first; i <= last; ++i) Enter("all_reduce", i);
    return *this;
  }

  Rank& Later(int64_t offset_ms) {
    offset_ms_ = offset_ms;
    return *this;
  }

  // The buffer lost what was before this sequence of the first group.
  Rank& Wrapped(int64_t first_kept) {
    record_.is_wrapped = true;
    record_.groups[0].first_kept = first_kept;
    return *this;
  }

  RankRecord Record() const { return record_; }

 private:
  TextNumber Number(std::string_view text) {
    const auto found = std::ranges::find(record_.texts, text);
    if (found == record_.texts.end()) record_.texts.emplace_back(text);
    return static_cast<TextNumber>(std::ranges::find(record_.texts, text) - record_.texts.begin());
  }

  Operation& Add(std::string_view kind, int64_t sequence, bool ended, int64_t elements) {
    Operation operation{.group = group_};
    operation.sequence = sequence;
    operation.kind = Number(kind);
    operation.sizes = Number("[[" + std::to_string(elements) + "]]");
    operation.element_count = elements;
    operation.state = ended ? OperationState::kCompleted : OperationState::kScheduled;
    operation.created_ms = kBeginMs + offset_ms_ + sequence * kStepMs;
    record_.newest_ms = std::max(record_.newest_ms, operation.created_ms);
    record_.operations.push_back(operation);
    return record_.operations.back();
  }

  RankRecord record_;
  uint32_t group_ = 0;
  int64_t offset_ms_ = 0;
};

std::vector<int32_t> Range(int32_t count) {
  std::vector<int32_t> ranks(static_cast<size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

HangAnswer Find(const std::vector<Rank>& ranks, const std::vector<int32_t>& known = {}) {
  std::vector<RankRecord> records;
  for (const Rank& rank : ranks) records.push_back(rank.Record());
  return *FindHang(records, known, nullptr);
}

Rank World(int32_t rank, int32_t count) {
  return Rank(rank).Group("0", Range(count), "default_pg");
}

std::vector<int32_t> MissingRanks(const HangAnswer& answer) {
  std::vector<int32_t> ranks;
  if (!answer.cause.has_value()) return ranks;
  for (const AbsentRank& absent : answer.cause->missing) ranks.push_back(absent.rank);
  return ranks;
}

TEST(FindHangTest, NothingSent) {
  const HangAnswer answer = *FindHang({}, {}, nullptr);
  EXPECT_EQ(answer.verdict, HangVerdict::kNoData);
  EXPECT_THAT(answer.missing, SizeIs(1));
}

TEST(FindHangTest, ARankAheadOfOthersIsNoHangByItself) {
  const HangAnswer answer = Find({World(0, 2).Reduced(1, 9), World(1, 2).Reduced(1, 8)});
  EXPECT_EQ(answer.verdict, HangVerdict::kNone);
}

TEST(FindHangTest, TheFirstToStopComesFirst) {
  const HangAnswer answer =
      Find({World(0, 4).Reduced(1, 8).Enter("all_reduce", 9, false), World(1, 4).Reduced(1, 8),
            World(2, 4).Reduced(1, 7).Enter("all_reduce", 8, false), World(3, 4).Reduced(1, 7)});
  EXPECT_EQ(answer.verdict, HangVerdict::kRanksMissing);
  EXPECT_EQ(answer.cause->sequence, 8);
  EXPECT_THAT(MissingRanks(answer), ElementsAre(3));
}

TEST(FindHangTest, ARankWithoutADumpIsUnknownAndNotMissing) {
  const HangAnswer answer =
      Find({World(0, 3).Enter("all_reduce", 1, false), World(2, 3).Enter("all_reduce", 1, false)});
  EXPECT_EQ(answer.verdict, HangVerdict::kDumpsMissing);
  EXPECT_THAT(answer.cause->without_dump, ElementsAre(1));
  EXPECT_THAT(answer.cause->missing, IsEmpty());
}

// A backend that does not say a group's ranks: the job's series do.
TEST(FindHangTest, RanksThatTheJobIsKnownToHave) {
  Rank alone(0);
  alone.Group("0", {}, "default_pg").Enter("all_reduce", 1, false);
  EXPECT_EQ(Find({alone}).verdict, HangVerdict::kAllEntered);
  const HangAnswer answer = Find({alone}, {0, 1});
  EXPECT_EQ(answer.verdict, HangVerdict::kDumpsMissing);
  EXPECT_THAT(answer.cause->without_dump, ElementsAre(1));
}

TEST(FindHangTest, AllEntered) {
  const HangAnswer answer = Find({World(0, 2).Reduced(1, 4).Enter("all_reduce", 5, false),
                                  World(1, 2).Reduced(1, 4).Enter("all_reduce", 5, false)});
  EXPECT_EQ(answer.verdict, HangVerdict::kAllEntered);
  EXPECT_THAT(answer.sentence, HasSubstr("All ranks entered all_reduce 5"));
}

// The recorder learns late that an operation ended.
TEST(FindHangTest, WhatWaitsBehindOneThatARankLeftCounts) {
  const HangAnswer answer =
      Find({World(0, 2).Reduced(1, 3).Enter("all_reduce", 4, false).Enter("all_reduce", 5, false),
            World(1, 2).Reduced(1, 4)});
  EXPECT_EQ(answer.verdict, HangVerdict::kRanksMissing);
  EXPECT_EQ(answer.cause->sequence, 5);
}

// Ranks enter operations ahead of the GPU, and not equally far: a rank that waits is not late.
TEST(FindHangTest, ARankThatStillWaitsIsNotBlamedForWhatFollows) {
  const HangAnswer answer =
      Find({World(0, 2).Reduced(1, 3).Enter("all_reduce", 4, false).Enter("all_reduce", 5, false),
            World(1, 2).Reduced(1, 3).Enter("all_reduce", 4, false)});
  EXPECT_EQ(answer.verdict, HangVerdict::kAllEntered);
  EXPECT_EQ(answer.cause->sequence, 4);
}

TEST(FindHangTest, ABufferThatDoesNotReachBackIsUnknown) {
  RankRecord wrapped = World(1, 2).Record();
  wrapped.is_wrapped = true;
  wrapped.groups[0].last_entered.reset();
  const std::vector<RankRecord> records = {World(0, 2).Enter("all_reduce", 1, false).Record(),
                                           wrapped};
  const HangAnswer answer = *FindHang(records, {}, nullptr);
  EXPECT_EQ(answer.verdict, HangVerdict::kDumpsMissing);
  EXPECT_THAT(answer.cause->unknown, ElementsAre(1));
}

TEST(FindHangTest, OnlyWhatBothBuffersHaveIsCompared) {
  const HangAnswer answer =
      Find({World(0, 2).Enter("broadcast", 1).Reduced(2, 9).Enter("all_reduce", 10, false),
            World(1, 2).Reduced(9, 9).Enter("all_reduce", 10, false).Wrapped(9)});
  EXPECT_EQ(answer.verdict, HangVerdict::kAllEntered);
}

TEST(FindHangTest, MismatchesByKindSizeAndDtype) {
  const auto mismatch = [](std::string_view kind, int64_t elements, std::string_view dtype) {
    const HangAnswer answer =
        Find({World(0, 3).Enter("all_reduce", 1, false), World(1, 3).Enter("all_reduce", 1, false),
              World(2, 3).Enter(kind, 1, false, elements, dtype)});
    EXPECT_EQ(answer.verdict, HangVerdict::kMismatch);
    EXPECT_THAT(answer.cause->differing, SizeIs(1));
    EXPECT_EQ(answer.cause->differing[0].rank, 2);
    return answer.cause->mismatch;
  };
  EXPECT_EQ(mismatch("broadcast", 16, "Float"), MismatchKind::kKind);
  EXPECT_EQ(mismatch("all_reduce", 8, "Float"), MismatchKind::kSize);
  EXPECT_EQ(mismatch("all_reduce", 16, "Half"), MismatchKind::kDtype);
}

TEST(FindHangTest, AMismatchThatAllLeftLongAgoIsNotTheCause) {
  const HangAnswer answer =
      Find({World(0, 2).Enter("all_reduce", 1).Reduced(2, 40).Enter("all_reduce", 41, false),
            World(1, 2).Enter("all_reduce", 1, true, 8).Reduced(2, 40)});
  EXPECT_EQ(answer.verdict, HangVerdict::kRanksMissing);
}

TEST(FindHangTest, UnknownSizesAgreeWithAll) {
  const HangAnswer answer =
      Find({World(0, 2).Enter("all_to_all", 1, true, -1), World(1, 2).Enter("all_to_all", 1)});
  EXPECT_EQ(answer.verdict, HangVerdict::kNone);
}

// Two groups of one name on different ranks, as when ranks count their groups by themselves.
TEST(FindHangTest, GroupsOfOneNameAreToldApartByTheirRanks) {
  const HangAnswer answer =
      Find({Rank(0).Group("1", {0, 1}).Enter("all_reduce", 1),
            Rank(1).Group("1", {0, 1}).Enter("all_reduce", 1),
            Rank(2).Group("1", {2, 3}).Enter("broadcast", 1, false), Rank(3).Group("1", {2, 3})});
  EXPECT_EQ(answer.verdict, HangVerdict::kRanksMissing);
  EXPECT_THAT(MissingRanks(answer), ElementsAre(3));
  EXPECT_THAT(answer.others, IsEmpty());
}

TEST(FindHangTest, GroupsOfOneNameMayShareARank) {
  const HangAnswer answer =
      Find({Rank(0).Group("1", {0, 1}).Enter("all_reduce", 1, false),
            Rank(1).Group("1", {1, 2}).Reduced(1, 3), Rank(2).Group("1", {1, 2}).Reduced(1, 3)});
  // What rank 1 entered in the other group does not count.
  EXPECT_EQ(answer.verdict, HangVerdict::kRanksMissing);
  ASSERT_THAT(MissingRanks(answer), ElementsAre(1));
  EXPECT_EQ(answer.cause->missing[0].last, "");
  EXPECT_THAT(answer.others, IsEmpty());
}

// Rank 2 stopped; rank 1 waits for it, and rank 0 has waited for both for longer.
TEST(FindHangTest, TheCauseIsWhereAllMissingRanksStopped) {
  const auto begin = [](int32_t rank) {
    return Rank(rank).Group("all", {0, 1, 2}).Group("some", {1, 2});
  };
  const HangAnswer answer =
      Find({Rank(0).Group("all", {0, 1, 2}).Enter("all_reduce", 1, false),
            begin(1).Later(500).In(1).Enter("all_reduce", 1, false), begin(2)});
  EXPECT_EQ(answer.cause->group, "some");
  EXPECT_THAT(MissingRanks(answer), ElementsAre(2));
}

// Sends and receives number ranks inside the group: 1 of {4, 6} is rank 6.
TEST(FindHangTest, PeersAreNumberedInsideTheGroup) {
  const HangAnswer answer = Find({Rank(4).Group("1", {4, 6}).Peer("recv", 1, 1, false),
                                  Rank(6).Group("1", {4, 6}).Peer("send", 0, 0, true)});
  EXPECT_EQ(answer.verdict, HangVerdict::kPeerMissing);
  EXPECT_THAT(MissingRanks(answer), ElementsAre(6));
}

TEST(FindHangTest, ThePipelinesCauseIsTheStageThatDoesNotWait) {
  const HangAnswer answer =
      Find({World(0, 4).Peer("send", 1, 1, false), World(1, 4),
            World(2, 4).Peer("recv", 1, 1, false), World(3, 4).Peer("recv", 2, 1, false)});
  EXPECT_EQ(answer.verdict, HangVerdict::kPeerMissing);
  EXPECT_THAT(MissingRanks(answer), ElementsAre(1));
  EXPECT_THAT(answer.others, SizeIs(2));
}

TEST(FindHangTest, SizesOfASendAndItsReceive) {
  const HangAnswer answer =
      Find({World(0, 2).Peer("send", 1, 1, false, 16), World(1, 2).Peer("recv", 0, 1, false, 8)});
  EXPECT_EQ(answer.verdict, HangVerdict::kMismatch);
  EXPECT_EQ(answer.cause->mismatch, MismatchKind::kSize);
}

TEST(FindHangTest, RanksThatWaitForEachOther) {
  const auto rank = [](int32_t number, uint32_t first) {
    return Rank(number)
        .Group("a", {0, 1})
        .Group("b", {0, 1})
        .In(first)
        .Enter("all_reduce", 1, false);
  };
  EXPECT_EQ(Find({rank(0, 0), rank(1, 1)}).verdict, HangVerdict::kDeadlock);
}

TEST(FindHangTest, DumpsOfAnEarlierAttemptAreSetAside) {
  // Rank 1 of the earlier attempt, two minutes before, stopped at another collective.
  const HangAnswer answer =
      Find({World(0, 2).Later(120'000).Reduced(1, 8).Enter("all_reduce", 9, false),
            World(1, 2).Reduced(1, 30)});
  EXPECT_THAT(answer.set_aside, SizeIs(1));
  EXPECT_EQ(answer.set_aside[0].rank, 1);
  EXPECT_EQ(answer.verdict, HangVerdict::kDumpsMissing);
  EXPECT_THAT(answer.cause->without_dump, ElementsAre(1));
}

TEST(FindHangTest, DumpsWithoutCommonOperationsAreToldApartByTheirTimes) {
  const HangAnswer answer = Find({World(0, 2).Later(7'200'000).Enter("all_reduce", 1, false),
                                  World(1, 2).Reduced(20, 30).Wrapped(20)});
  EXPECT_THAT(answer.set_aside, SizeIs(1));
}

TEST(FindHangTest, AClockThatIsWrongIsNoOtherAttempt) {
  const HangAnswer answer =
      Find({World(0, 3).Later(90'000).Reduced(1, 30).Enter("all_reduce", 31, false),
            World(1, 3).Reduced(1, 30), World(2, 3).Reduced(1, 30).Enter("all_reduce", 31, false)});
  EXPECT_THAT(answer.set_aside, IsEmpty());
  EXPECT_THAT(answer.remarks, ElementsAre(HasSubstr("clocks of 2 ranks")));
  EXPECT_THAT(MissingRanks(answer), ElementsAre(1));
}

TEST(FindHangTest, ManyRanks) {
  constexpr int32_t kRanks = 1024;
  std::vector<Rank> ranks;
  for (int32_t i = 0; i < kRanks; ++i) {
    ranks.push_back(World(i, kRanks).Reduced(1, 200));
    if (i != 700) ranks.back().Enter("all_reduce", 201, false);
  }
  const HangAnswer answer = Find(ranks);
  EXPECT_EQ(answer.verdict, HangVerdict::kRanksMissing);
  EXPECT_THAT(MissingRanks(answer), ElementsAre(700));
  EXPECT_THAT(answer.sentence, HasSubstr("ranks 0-699, 701-1023 wait in it"));
}

TEST(FindHangTest, RankLists) {
  EXPECT_EQ(RankList(std::vector<int32_t>{}), "");
  EXPECT_EQ(RankList(std::vector<int32_t>{3}), "3");
  EXPECT_EQ(RankList(std::vector<int32_t>{0, 1, 4, 5, 6, 9}), "0, 1, 4-6, 9");
  std::vector<int32_t> even;
  for (int32_t i = 0; i < 100; i += 2) even.push_back(i);
  EXPECT_THAT(RankList(even), testing::EndsWith("28, 30 and 34 more"));
}

// A rank whose progress is not known is not the one that stopped.
TEST(FindHangTest, WhatIsNextIsJudgedByARankThatIsMissing) {
  RankRecord unknown = World(2, 3).Record();
  unknown.is_wrapped = true;
  unknown.groups[0].last_entered.reset();
  const std::vector<RankRecord> records = {
      World(0, 3).Reduced(1, 1).Enter("all_reduce", 2, false).Record(),
      World(1, 3).Reduced(1, 1).Record(), unknown};
  const HangAnswer answer = *FindHang(records, {}, nullptr);
  EXPECT_THAT(MissingRanks(answer), ElementsAre(1));
  EXPECT_THAT(answer.cause->unknown, ElementsAre(2));
  EXPECT_TRUE(answer.cause->is_next);
}

// A record of 64 KB may name hundreds of groups, and each of them has all ranks of the job.
TEST(FindHangTest, WhatTheSearchMakesIsCharged) {
  constexpr int kGroups = 500;
  Rank first(0);
  for (int i = 0; i < kGroups; ++i) {
    first.Group(std::to_string(i), {}, "default_pg").In(static_cast<uint32_t>(i));
    first.Enter("all_reduce", 1, false);
  }
  const std::vector<RankRecord> records = {first.Record()};
  const std::vector<int32_t> known = Range(10'000);
  const auto find = [&](int64_t max_samples, QueryBudget::Clock::time_point deadline) {
    QueryBudget budget(max_samples, deadline);
    return FindHang(records, known, &budget).status().code();
  };
  const auto later = QueryBudget::Clock::now() + std::chrono::hours(1);
  EXPECT_EQ(find(1'000'000, later), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(find(100'000'000, later), absl::StatusCode::kOk);
  EXPECT_EQ(find(100'000'000, QueryBudget::Clock::now()), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace lockstep::hang
