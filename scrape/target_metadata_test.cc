#include "scrape/target_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::scrape {
namespace {

using exposition::EntryKind;
using testing::ElementsAre;
using testing::IsEmpty;

class TargetMetadataTest : public testing::Test {
 protected:
  void Put(EntryKind kind, std::string_view metric, std::string_view text) {
    exposition::TextEntry entry;
    entry.kind = kind;
    entry.metric = metric;
    entry.text = text;
    metadata_.Put(entry);
  }

  // "metric type help unit"
  static std::vector<std::string> Shown(const std::vector<MetadataEntry>& entries) {
    std::vector<std::string> shown;
    for (const MetadataEntry& entry : entries) {
      shown.push_back(absl::StrFormat("%s %s %s %s", entry.metric, entry.metadata.type,
                                      entry.metadata.help, entry.metadata.unit));
    }
    return shown;
  }

  TargetMetadata metadata_;
};

TEST_F(TargetMetadataTest, CollectsWhatIsSaidAboutAMetric) {
  Put(EntryKind::kUnit, "b_bytes", "bytes");
  Put(EntryKind::kType, "b_bytes", "gauge");
  Put(EntryKind::kHelp, "b_bytes", "of\\nb");
  Put(EntryKind::kHelp, "a", "of a");
  EXPECT_THAT(Shown(metadata_.List("")),
              ElementsAre("a unknown of a ", "b_bytes gauge of\nb bytes"));
  EXPECT_THAT(Shown(metadata_.List("a")), ElementsAre("a unknown of a "));
  EXPECT_THAT(metadata_.List("c"), IsEmpty());
}

TEST_F(TargetMetadataTest, TellsOnlyWhatHasChanged) {
  Put(EntryKind::kHelp, "a", "1");
  Put(EntryKind::kHelp, "b", "1");
  EXPECT_EQ(metadata_.TakeChanges().size(), 2u);
  Put(EntryKind::kHelp, "a", "1");
  Put(EntryKind::kHelp, "b", "2");
  EXPECT_THAT(Shown(metadata_.TakeChanges()), ElementsAre("b unknown 2 "));
  // The same text, written in another way.
  Put(EntryKind::kHelp, "a", "\\1");
  Put(EntryKind::kHelp, "b", "2");
  EXPECT_EQ(metadata_.TakeChanges().size(), 1u);
}

TEST_F(TargetMetadataTest, AMetricThatIsNewIsToldWithoutAText) {
  Put(EntryKind::kType, "a", "unknown");
  EXPECT_THAT(Shown(metadata_.TakeChanges()), ElementsAre("a unknown  "));
}

TEST_F(TargetMetadataTest, ForgetsWhatIsNotSaidAgain) {
  Put(EntryKind::kHelp, "a", "1");
  Put(EntryKind::kHelp, "b", "1");
  metadata_.TakeChanges();
  Put(EntryKind::kHelp, "a", "1");
  EXPECT_THAT(metadata_.TakeChanges(), IsEmpty());
  EXPECT_THAT(Shown(metadata_.List("")), ElementsAre("a unknown 1 "));
  // It is new when it comes back.
  Put(EntryKind::kHelp, "b", "1");
  EXPECT_THAT(Shown(metadata_.TakeChanges()), ElementsAre("b unknown 1 "));
}

TEST_F(TargetMetadataTest, WhatTheStoreCannotUseIsNotTold) {
  Put(EntryKind::kHelp, "a", "\xff");
  Put(EntryKind::kHelp, "b", "1");
  EXPECT_THAT(Shown(metadata_.TakeChanges()), ElementsAre("b unknown 1 "));
  EXPECT_EQ(metadata_.List("").size(), 2u);
}

TEST_F(TargetMetadataTest, TheMemoryIsThatOfTheTextsThatAreThere) {
  const auto held = [] {
    return MemoryBudget::OfProcess()
        .stats()
        .accounts[static_cast<size_t>(MemoryAccount::kScrapes)]
        .held_bytes;
  };
  const uint64_t before = held();
  Put(EntryKind::kHelp, "a", std::string(1'000'000, 'x'));
  Put(EntryKind::kUnit, "a", std::string(1'000'000, 'x'));
  EXPECT_GE(held(), before + 2'000'000);
  Put(EntryKind::kHelp, "a", "short");
  EXPECT_GE(held(), before + 1'000'000);
  EXPECT_LT(held(), before + 1'500'000);
  metadata_.TakeChanges();
  EXPECT_GE(held(), before + 1'000'000);
  EXPECT_LT(held(), before + 1'500'000);
  metadata_.TakeChanges();
  EXPECT_LT(held(), before + 100'000);
}

TEST_F(TargetMetadataTest, ATextWithoutMemoryLeavesTheOneBefore) {
  Put(EntryKind::kHelp, "a", "first");
  metadata_.TakeChanges();
  MemoryBudget::OfProcess().set_max_bytes(1 << 20);
  Put(EntryKind::kHelp, "a", std::string(2 << 20, 'x'));
  Put(EntryKind::kType, std::string(2 << 20, 'n'), "gauge");
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_THAT(Shown(metadata_.List("")), ElementsAre("a unknown first "));
  EXPECT_THAT(metadata_.TakeChanges(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::scrape
