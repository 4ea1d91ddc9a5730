#include "annotations/annotation_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "storage/kept_rows_testing.h"

namespace lockstep::annotations {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kNowMs = 1'700'000'000'000;

AnnotationChange Note(std::string job, std::string id, int64_t at_ms = kNowMs) {
  AnnotationChange change{.job = std::move(job), .id = std::move(id)};
  change.text = "a note";
  change.start_ms = at_ms;
  change.end_ms = at_ms;
  return change;
}

class AnnotationStoreTest : public testing::Test {
 protected:
  void Put(const AnnotationChange& change) {
    const auto stored = store_->Put({change}, kNowMs);
    EXPECT_TRUE(stored.ok()) << stored.status();
  }
  static std::vector<std::string> Ids(const AnnotationList& list) {
    std::vector<std::string> ids;
    for (const AnnotationPtr& one : list.annotations) ids.push_back(one->job + "/" + one->id);
    return ids;
  }
  std::vector<std::string> Ids(const AnnotationFilter& filter = {}) const {
    return Ids(store_->List(filter, kNowMs));
  }
  void Restart(AnnotationLimits limits = {}, EarliestKeptMs earliest = {}) {
    store_ = std::make_unique<AnnotationStore>(&rows_, total_, std::move(earliest), limits);
  }

  RowsInMemory rows_;
  AnnotationTotal total_{nullptr};
  std::unique_ptr<AnnotationStore> store_ = std::make_unique<AnnotationStore>(&rows_, total_);
};

TEST_F(AnnotationStoreTest, FiltersSelectByTimeJobKindAndTag) {
  Put(Note("a", "1", kNowMs - 5000));
  AnnotationChange profile = Note("a", "2", kNowMs - 3000);
  profile.kind = "profile";
  profile.end_ms = kNowMs - 1000;
  profile.tags = {{"x", "y"}};
  Put(profile);
  Put(Note("b", "1", kNowMs - 4000));
  Put(Note("", "3", kNowMs));
  EXPECT_THAT(Ids(), ElementsAre("a/1", "b/1", "a/2", "/3"));
  AnnotationFilter filter;
  filter.job = "a";
  EXPECT_THAT(Ids(filter), ElementsAre("a/1", "a/2"));
  filter.kinds = {"checkpoint", "profile"};
  EXPECT_THAT(Ids(filter), ElementsAre("a/2"));
  filter = {};
  filter.tags = {"y"};
  EXPECT_THAT(Ids(filter), ElementsAre("a/2"));
  filter.tags = {"y", "z"};
  EXPECT_THAT(Ids(filter), IsEmpty());
  filter = {};
  filter.time = {kNowMs - 2000, kNowMs - 1500};  // inside the profile
  EXPECT_THAT(Ids(filter), ElementsAre("a/2"));
  filter = {};
  filter.job = "";
  EXPECT_THAT(Ids(filter), ElementsAre("/3"));
  filter = {};
  filter.may_see = Matcher::Equal("job", "b");
  EXPECT_THAT(Ids(filter), ElementsAre("b/1"));
  filter = {};
  filter.max_count = 2;
  const AnnotationList list = store_->List(filter, kNowMs);
  EXPECT_THAT(Ids(list), ElementsAre("a/2", "/3"));
  EXPECT_EQ(list.matching_count, 4u);
}

TEST_F(AnnotationStoreTest, ARestartFindsWhatWasStoredChangedAndDeleted) {
  for (const char* id : {"1", "2", "3"}) Put(Note("a", id));
  EXPECT_TRUE(store_->Delete("2", std::nullopt, std::nullopt).ok());
  AnnotationChange change{.job = "a", .id = "3"};
  change.text = "changed";
  Put(change);
  Restart();
  EXPECT_THAT(Ids(), ElementsAre("a/1", "a/3"));
  EXPECT_EQ(store_->List({}, kNowMs).annotations.back()->text, "changed");
  // New ones do not take the rows of others.
  Put(Note("a", "4"));
  Put(Note("a", "5"));
  Restart();
  EXPECT_THAT(Ids(), ElementsAre("a/1", "a/3", "a/4", "a/5"));
}

TEST_F(AnnotationStoreTest, WithoutAnIdEachIsANewOne) {
  const auto stored = store_->Put({Note("a", ""), Note("a", "")}, kNowMs);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_NE((*stored)[0]->id, (*stored)[1]->id);
  EXPECT_EQ(Ids().size(), 2u);
}

TEST_F(AnnotationStoreTest, AllChangesOfARequestAreStoredOrNone) {
  AnnotationChange wrong = Note("a", "2");
  wrong.kind = "?";
  const auto refused = store_->Put({Note("a", "1"), wrong}, kNowMs);
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("annotation 2: \"kind\""));
  EXPECT_THAT(Ids(), IsEmpty());
  rows_.refuses = true;
  EXPECT_EQ(store_->Put({Note("a", "1")}, kNowMs).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Ids(), IsEmpty());
  rows_.refuses = false;
  AnnotationChange end{.job = "a", .id = "1"};
  end.end_ms = kNowMs + 1;
  const auto both = store_->Put({Note("a", "1"), end}, kNowMs);
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->front()->end_ms, kNowMs + 1);
  EXPECT_THAT(Ids(), ElementsAre("a/1"));
}

TEST_F(AnnotationStoreTest, TheIdsOfTwoJobsAreDifferent) {
  Put(Note("a", "1"));
  Put(Note("b", "1"));
  EXPECT_EQ(store_->Delete("1", std::nullopt, std::nullopt).code(),
            absl::StatusCode::kInvalidArgument);
  // A reader of only one of the jobs means that one.
  EXPECT_TRUE(store_->Delete("1", std::nullopt, Matcher::Equal("job", "a")).ok());
  EXPECT_EQ(store_->Delete("1", "b", Matcher::Equal("job", "a")).code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(Ids(), ElementsAre("b/1"));
  EXPECT_TRUE(store_->Delete("1", "b", std::nullopt).ok());
  EXPECT_EQ(store_->Delete("1", "b", std::nullopt).code(), absl::StatusCode::kNotFound);
}

TEST_F(AnnotationStoreTest, ATenantHasALimitedNumberAndSize) {
  Restart({.max_count = 2, .max_bytes = 1 << 20});
  Put(Note("a", "1"));
  Put(Note("a", "2"));
  const auto refused = store_->Put({Note("a", "3")}, kNowMs);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("at most 2 annotations"));
  Put(Note("a", "2"));  // a repeat takes no more
  EXPECT_TRUE(store_->Delete("1", "a", std::nullopt).ok());
  Put(Note("a", "3"));
  Restart({.max_count = 100, .max_bytes = 200});
  AnnotationChange large = Note("a", "4");
  large.text = std::string(200, 'x');
  EXPECT_EQ(store_->Put({large}, kNowMs).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Ids(), ElementsAre("a/2", "a/3"));
}

TEST_F(AnnotationStoreTest, TheLimitOfAllCountsTenantsThatNobodyAskedFor) {
  Put(Note("a", "1"));
  Put(Note("a", "2"));
  AnnotationTotal total(&rows_, {.max_count = 3, .max_bytes = 1 << 20});
  AnnotationStore other(nullptr, total);
  EXPECT_TRUE(other.Put({Note("b", "1")}, kNowMs).ok());
  const auto refused = other.Put({Note("b", "2")}, kNowMs);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("all tenants together"));
  EXPECT_TRUE(other.Delete("1", "b", std::nullopt).ok());
  EXPECT_TRUE(other.Put({Note("b", "2")}, kNowMs).ok());
}

TEST_F(AnnotationStoreTest, WhatIsTooOldIsNotFoundAndThenDeleted) {
  int64_t earliest_ms = 0;
  Restart({}, [&](std::string_view job) { return job == "kept" ? 0 : earliest_ms; });
  Put(Note("a", "1", kNowMs - 5000));
  Put(Note("kept", "1", kNowMs - 5000));
  AnnotationChange open{.job = "a", .id = "open"};
  open.text = "begun before";
  open.start_ms = kNowMs - 9000;
  Put(open);
  earliest_ms = kNowMs - 4000;
  EXPECT_THAT(Ids(), ElementsAre("a/open", "kept/1"));
  const auto refused = store_->Put({Note("a", "2", kNowMs - 4001)}, kNowMs);
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("older than samples are kept"));
  Put(Note("a", "3"));
  Restart();
  EXPECT_THAT(Ids(), ElementsAre("a/open", "kept/1", "a/3"));
}

TEST_F(AnnotationStoreTest, ADamagedRowCostsOnlyItself) {
  Put(Note("a", "1"));
  Put(Note("a", "2"));
  ASSERT_TRUE(rows_.WriteKept(KeptKind::kAnnotations, {{0, "\x01?"}}).ok());
  Restart();
  EXPECT_THAT(Ids(), ElementsAre("a/2"));
}

}  // namespace
}  // namespace lockstep::annotations
