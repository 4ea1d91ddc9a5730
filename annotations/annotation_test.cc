#include "annotations/annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::annotations {
namespace {

using testing::HasSubstr;

constexpr int64_t kRequestMs = 1'700'000'000'000;

AnnotationChange Change(std::string text = "x") {
  AnnotationChange change{.job = "j", .id = "i"};
  change.text = std::move(text);
  return change;
}

TEST(AnnotationTest, WithoutATimeItIsAMomentNow) {
  const auto made = Apply(Change(), nullptr, kRequestMs);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->start_ms, kRequestMs);
  EXPECT_EQ(made->end_ms, kRequestMs);
  EXPECT_EQ(made->kind, "note");
  EXPECT_EQ(TimeOf(*made, kRequestMs + 5000), (TimeRange{kRequestMs, kRequestMs}));
}

TEST(AnnotationTest, WhatWasBegunLastsUntilNowButNoLongerThanADay) {
  AnnotationChange begin = Change();
  begin.start_ms = kRequestMs;
  const auto made = Apply(begin, nullptr, kRequestMs);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->end_ms, std::nullopt);
  EXPECT_EQ(TimeOf(*made, kRequestMs + 5000).max_ms, kRequestMs + 5000);
  EXPECT_EQ(TimeOf(*made, kRequestMs + 30 * kMaxOpenMs).max_ms, kRequestMs + kMaxOpenMs);
  // A query of an earlier time.
  EXPECT_EQ(TimeOf(*made, kRequestMs - 5000), (TimeRange{kRequestMs, kRequestMs}));
}

TEST(AnnotationTest, RepeatsAndAnotherOrderHaveTheSameResult) {
  AnnotationChange begin = Change("profile of step 7");
  begin.kind = "profile";
  begin.start_ms = kRequestMs;
  begin.first_step = 7;
  AnnotationChange end = begin;
  end.end_ms = kRequestMs + 1000;
  end.last_step = 9;
  const auto apply = [](const std::vector<AnnotationChange>& changes) {
    Annotation annotation;
    bool is_first = true;
    for (const AnnotationChange& change : changes) {
      const auto next = Apply(change, is_first ? nullptr : &annotation, kRequestMs + 5000);
      EXPECT_TRUE(next.ok()) << next.status();
      annotation = *next;
      is_first = false;
    }
    return annotation;
  };
  const Annotation expected = apply({begin, end});
  EXPECT_EQ(expected.end_ms, kRequestMs + 1000);
  EXPECT_EQ(expected.last_step, 9);
  EXPECT_EQ(apply({begin, begin, end, end}), expected);
  EXPECT_EQ(apply({end, begin}), expected);
  EXPECT_EQ(apply({end}), expected);
}

TEST(AnnotationTest, TheEndAloneKeepsTheRest) {
  AnnotationChange begin = Change("profile");
  begin.start_ms = kRequestMs;
  begin.tags = {{"nightly"}};
  const auto known = Apply(begin, nullptr, kRequestMs);
  ASSERT_TRUE(known.ok());
  AnnotationChange end{.job = "j", .id = "i"};
  end.end_ms = kRequestMs + 1;
  const auto ended = Apply(end, &*known, kRequestMs + 1);
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->text, "profile");
  EXPECT_EQ(ended->tags, std::vector<std::string>{"nightly"});
  EXPECT_EQ(ended->end_ms, kRequestMs + 1);
}

std::string ErrorOf(const AnnotationChange& change) {
  const auto made = Apply(change, nullptr, kRequestMs);
  EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(made.status()));
}

TEST(AnnotationTest, AnEndWithoutABeginIsRefused) {
  AnnotationChange end{.job = "j", .id = "i"};
  end.end_ms = kRequestMs;
  EXPECT_THAT(ErrorOf(end), HasSubstr("no annotation \"i\" of job \"j\" to end"));
}

TEST(AnnotationTest, MistakesAreTold) {
  AnnotationChange change = Change("");
  EXPECT_THAT(ErrorOf(change), HasSubstr("\"text\" or a \"kind\" is required"));
  change = Change();
  change.kind = "two words";
  EXPECT_THAT(ErrorOf(change), HasSubstr("one word"));
  change = Change();
  change.kind = std::string(kMaxKindBytes + 1, 'k');
  EXPECT_THAT(ErrorOf(change), HasSubstr("\"kind\" has 65 bytes"));
  EXPECT_THAT(ErrorOf(Change(std::string(kMaxTextBytes + 1, 't'))), HasSubstr("4097 bytes"));
  change = Change();
  change.tags = {{"a,b"}};
  EXPECT_THAT(ErrorOf(change), HasSubstr("comma"));
  change.tags = std::vector<std::string>(kMaxTags + 1, "t");
  EXPECT_THAT(ErrorOf(change), HasSubstr("17 elements"));
  change = Change();
  change.labels = LabelSet::Of({{"text", "x"}});
  EXPECT_THAT(ErrorOf(change), HasSubstr("is taken"));
  change.labels = LabelSet::Of({{"a-b", "x"}});
  EXPECT_THAT(ErrorOf(change), HasSubstr("\"a-b\""));
  change.labels = LabelSet::Of({{"a", std::string(kMaxLabelBytes, 'x')}});
  EXPECT_THAT(ErrorOf(change), HasSubstr("513 bytes"));
  change = Change();
  change.id = "a\nb";
  EXPECT_THAT(ErrorOf(change), HasSubstr("control characters"));
}

TEST(AnnotationTest, TimesAndStepsThatCannotBeAreTold) {
  AnnotationChange change = Change();
  change.start_ms = kRequestMs;
  change.end_ms = kRequestMs - 1500;
  EXPECT_THAT(ErrorOf(change), HasSubstr("\"end\" is 1.500 s before \"start\""));
  change.end_ms = kRequestMs * 1000;
  EXPECT_THAT(ErrorOf(change), HasSubstr("not milliseconds"));
  change = Change();
  change.start_ms = -1;
  EXPECT_THAT(ErrorOf(change), HasSubstr("before 1970"));
  change = Change();
  change.first_step = 3;
  change.last_step = 2;
  EXPECT_THAT(ErrorOf(change), HasSubstr("\"last_step\""));
  change.first_step = -1;
  change.last_step.reset();
  EXPECT_THAT(ErrorOf(change), HasSubstr("\"first_step\""));
}

}  // namespace
}  // namespace lockstep::annotations
