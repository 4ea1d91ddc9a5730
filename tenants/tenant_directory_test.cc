#include "tenants/tenant_directory.h"

#include <gtest/gtest.h>

#include "storage/kept_rows_testing.h"
#include "tenants/tenant_rows.h"
#include "tests/support/format_page.h"

namespace lockstep::tenants {
namespace {

TEST(TenantDirectory, NumbersTenantsInOrderAndKeepsThem) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  ASSERT_TRUE(directory.Load().ok());
  EXPECT_FALSE(directory.has_others());
  EXPECT_EQ(*directory.Add(""), 0u);
  EXPECT_FALSE(directory.has_others());
  EXPECT_EQ(directory.Find("team-a"), std::nullopt);
  EXPECT_EQ(*directory.Add("team-a"), 1u);
  EXPECT_EQ(*directory.Add("team-b"), 2u);
  EXPECT_EQ(*directory.Add("team-a"), 1u);
  EXPECT_TRUE(directory.has_others());
  EXPECT_EQ(*rows.ReadKept(KeptKind::kTenants, 0), FormatPageExample("kept.md", "tenants"));

  TenantDirectory again(&rows);
  ASSERT_TRUE(again.Load().ok());
  EXPECT_TRUE(again.has_others());
  EXPECT_EQ(again.Find("team-b"), 2u);
  EXPECT_EQ(again.names(), (std::vector<std::string>{"", "team-a", "team-b"}));
}

TEST(TenantDirectory, HasOneTenantOfANameAndNoMoreThanItMay) {
  TenantDirectory directory(nullptr);
  for (size_t i = 0; i < kMaxTenants; ++i) {
    ASSERT_TRUE(directory.Add("t" + std::to_string(i)).ok());
  }
  EXPECT_TRUE(directory.Add("t0").ok());
  EXPECT_EQ(directory.Add("one-more").status(),
            absl::ResourceExhaustedError("the store already has the maximum of 1000 tenants"));
  EXPECT_EQ(directory.Find("one-more"), std::nullopt);
}

TEST(TenantDirectory, AddsNobodyWhoCannotBeKept) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  rows.refuses = true;
  EXPECT_TRUE(absl::IsUnavailable(directory.Add("a").status()));
  EXPECT_EQ(directory.Find("a"), std::nullopt);
  EXPECT_FALSE(directory.has_others());
}

TEST(TenantDirectory, RefusesRowsThatAreDamaged) {
  for (const std::string& row : {std::string("\x02\x01"
                                             "a"),
                                 std::string("\x01\x05"
                                             "ab"),
                                 std::string("\x01\x01"
                                             "|"),
                                 std::string("\x01\x01"
                                             "a\x01"
                                             "a"),
                                 std::string("\x01\x07"
                                             "default"),
                                 std::string("\x01\xff")}) {
    RowsInMemory rows;
    ASSERT_TRUE(rows.WriteKept(KeptKind::kTenants, {{0, row}}).ok());
    TenantDirectory directory(&rows);
    EXPECT_TRUE(absl::IsDataLoss(directory.Load())) << row;
  }
}

TEST(TenantDirectory, RoomIsKeptForThoseWhoseSamplesAreOnTheirWay) {
  TenantDirectory directory(nullptr);
  for (size_t i = 0; i < kMaxTenants - 1; ++i) {
    ASSERT_TRUE(directory.Add("t" + std::to_string(i)).ok());
  }
  ASSERT_TRUE(directory.Reserve("first").ok());
  ASSERT_TRUE(directory.Reserve("first").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(directory.Reserve("second")));
  EXPECT_TRUE(absl::IsResourceExhausted(directory.CheckRoom("second")));
  EXPECT_TRUE(directory.CheckRoom("first").ok());
  directory.Release("first");
  EXPECT_TRUE(absl::IsResourceExhausted(directory.Add("second").status()));
  directory.Release("first");
  EXPECT_EQ(directory.Find("first"), std::nullopt);
  ASSERT_TRUE(directory.Reserve("second").ok());
  EXPECT_TRUE(directory.Add("second").ok());
  directory.Release("second");
  EXPECT_TRUE(directory.Reserve("t0").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(directory.Reserve("third")));
}

TEST(TenantDirectory, KeepsAsManyAsItMayHave) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  std::vector<std::string> names;
  for (size_t i = 0; i < kMaxTenants; ++i) names.push_back("t" + std::to_string(i));
  ASSERT_TRUE(directory.Adopt(names).ok());
  EXPECT_TRUE(directory.CheckRoom("t0").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(directory.CheckRoom("one-more")));
  TenantDirectory again(&rows);
  ASSERT_TRUE(again.Load().ok());
  EXPECT_EQ(again.names().size(), kMaxTenants + 1);
  // The store had more before.
  ASSERT_TRUE(directory.Adopt({"one-more"}).ok());
  TenantDirectory full(&rows);
  EXPECT_EQ(full.Load(), absl::DataLossError("the list of tenants is malformed"));
}

TEST(TenantDirectory, AnEmptyRowIsDamaged) {
  RowsInMemory rows;
  ASSERT_TRUE(rows.WriteKept(KeptKind::kTenants, {{0, ""}}).ok());
  EXPECT_TRUE(absl::IsDataLoss(TenantDirectory(&rows).Load()));
  ASSERT_TRUE(rows.WriteKept(KeptKind::kTenants, {{0, "\x01"}}).ok());
  EXPECT_TRUE(TenantDirectory(&rows).Load().ok());
}

TEST(TenantDirectory, AdoptsInMemoryWhereNothingCanBeWritten) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  rows.refuses = true;
  EXPECT_TRUE(absl::IsUnavailable(directory.Adopt({"a"})));
  // Nothing is new.
  EXPECT_TRUE(directory.Adopt({"a"}).ok());
  EXPECT_TRUE(directory.Adopt({}).ok());
  TenantDirectory unkept(nullptr);
  EXPECT_TRUE(unkept.Adopt({"b"}).ok());
  EXPECT_EQ(unkept.Find("b"), 1u);
}

TEST(TenantDirectory, WhoeverReservesIsSeenByReaders) {
  TenantDirectory directory(nullptr);
  ASSERT_TRUE(directory.Reserve("a").ok());
  EXPECT_TRUE(directory.has_others());
}

TEST(TenantDirectory, AdoptsThoseThatTheStoreHasSamplesOf) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  ASSERT_TRUE(directory.Add("b").ok());
  ASSERT_TRUE(directory.Adopt({"a", "b", "c"}).ok());
  TenantDirectory again(&rows);
  ASSERT_TRUE(again.Load().ok());
  EXPECT_EQ(again.names(), (std::vector<std::string>{"", "b", "a", "c"}));
}

TEST(TenantRows, LieBesideThoseOfOthers) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  ASSERT_TRUE(directory.Adopt({"a", "b", "c"}).ok());
  TenantEntry default_tenant(directory, ""), c(directory, "c");
  TenantRows first(rows, default_tenant), third(rows, c);
  ASSERT_TRUE(first.WriteKept(KeptKind::kMetadata, {{0, "a"}, {7, "b"}}).ok());
  ASSERT_TRUE(third.WriteKept(KeptKind::kMetadata, {{0, "c"}}).ok());
  EXPECT_EQ(*rows.ReadKept(KeptKind::kMetadata, 0), "a");
  EXPECT_EQ(*first.ReadKept(KeptKind::kMetadata, 7), "b");
  EXPECT_EQ(*third.ReadKept(KeptKind::kMetadata, 7), std::nullopt);
  const auto of_third = third.ReadKept(KeptKind::kMetadata);
  ASSERT_EQ(of_third->size(), 1u);
  EXPECT_EQ(of_third->front().number, 0u);
  EXPECT_EQ(of_third->front().bytes, "c");
  EXPECT_EQ(first.ReadKept(KeptKind::kMetadata)->size(), 2u);
}

// Rows in a store, which must not be read all at once.
class RowsByRange : public RowsInMemory {
 public:
  absl::Status VisitKept(KeptKind kind, uint32_t first, uint32_t last, Visit visit) const override {
    first_ = first;
    last_ = last;
    return RowsInMemory::VisitKept(kind, first, last, visit);
  }
  mutable uint32_t first_ = 0;
  mutable uint32_t last_ = 0;
};

TEST(TenantRows, OnlyTheOwnRangeIsRead) {
  RowsByRange rows;
  TenantDirectory directory(&rows);
  ASSERT_TRUE(directory.Adopt({"a", "b"}).ok());
  TenantEntry b(directory, "b");
  const TenantRows own(rows, b);
  EXPECT_TRUE(own.ReadKept(KeptKind::kDumps)->empty());
  EXPECT_EQ(rows.first_, *b.number() * TenantRows::kNumbersPerTenant);
  EXPECT_EQ(rows.last_, rows.first_ + TenantRows::kNumbersPerTenant - 1);
}

TEST(TenantRows, TheFirstThatIsWrittenMakesTheTenant) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  TenantEntry entry(directory, "a");
  int entered_count = 0;
  entry.SetEntered([&] { ++entered_count; });
  TenantRows own(rows, entry);
  EXPECT_TRUE(own.ReadKept(KeptKind::kLogStreams)->empty());
  EXPECT_EQ(*own.ReadKept(KeptKind::kLogStreams, 0), std::nullopt);
  ASSERT_TRUE(own.WriteKept(KeptKind::kLogStreams, {{0, ""}}).ok());
  EXPECT_EQ(directory.Find("a"), std::nullopt);
  rows.refuses = true;
  EXPECT_TRUE(absl::IsUnavailable(own.WriteKept(KeptKind::kLogStreams, {{0, "x"}})));
  EXPECT_EQ(directory.Find("a"), std::nullopt);
  rows.refuses = false;
  ASSERT_TRUE(own.WriteKept(KeptKind::kLogStreams, {{0, "x"}}).ok());
  ASSERT_TRUE(own.WriteKept(KeptKind::kLogStreams, {{1, "y"}}).ok());
  EXPECT_EQ(directory.Find("a"), 1u);
  EXPECT_EQ(entered_count, 1);
  EXPECT_EQ(own.ReadKept(KeptKind::kLogStreams)->size(), 2u);
}

// The first and the last of a tenant's numbers.
TEST(TenantRows, AreWithinTheTenantsNumbers) {
  RowsInMemory rows;
  TenantDirectory directory(&rows);
  ASSERT_TRUE(directory.Adopt({"a", "b"}).ok());
  TenantEntry a(directory, "a");
  TenantRows own(rows, a);
  const uint32_t last = TenantRows::kNumbersPerTenant - 1;
  ASSERT_TRUE(own.WriteKept(KeptKind::kMetadata, {{0, "first"}, {last, "last"}}).ok());
  EXPECT_EQ(*rows.ReadKept(KeptKind::kMetadata, last + 1), "first");
  EXPECT_EQ(*rows.ReadKept(KeptKind::kMetadata, 2 * last + 1), "last");
  ASSERT_TRUE(rows.WriteKept(KeptKind::kMetadata, {{last, "before"}}).ok());
  ASSERT_TRUE(rows.WriteKept(KeptKind::kMetadata, {{2 * last + 2, "behind"}}).ok());
  const auto read = own.ReadKept(KeptKind::kMetadata);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].number, 0u);
  EXPECT_EQ((*read)[0].bytes, "first");
  EXPECT_EQ((*read)[1].number, last);
  EXPECT_EQ((*read)[1].bytes, "last");
  EXPECT_EQ(*own.ReadKept(KeptKind::kMetadata, last), "last");
}

}  // namespace
}  // namespace lockstep::tenants
