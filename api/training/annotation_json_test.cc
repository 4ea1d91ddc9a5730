#include "api/training/annotation_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kSentAtMs = 1'700'000'000'000;

annotations::AnnotationChange Parsed(const std::string& text) {
  const auto changes = ParseAnnotations(text, kSentAtMs);
  EXPECT_TRUE(changes.ok()) << changes.status();
  return changes.ok() ? changes->front() : annotations::AnnotationChange();
}

std::string ErrorOf(const std::string& text) {
  const auto changes = ParseAnnotations(text, kSentAtMs);
  EXPECT_EQ(changes.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(Message(changes.status()));
}

TEST(AnnotationJsonTest, AllMembers) {
  const auto change = Parsed(
      R"({"labels": {"rank": 3, "dry": true}, "job": "j", "id": 7, "kind": "profile", "text": "t",
          "start": 1700000000.25, "end": "2023-11-14T22:13:21Z", "first_step": 5, "last_step": 6,
          "tags": ["a", "b"]})");
  EXPECT_EQ(change.job, "j");
  EXPECT_EQ(change.id, "7");
  EXPECT_EQ(change.kind, "profile");
  EXPECT_EQ(change.text, "t");
  EXPECT_EQ(change.start_ms, 1'700'000'000'250);
  EXPECT_EQ(change.end_ms, 1'700'000'001'000);
  EXPECT_EQ(change.first_step, 5);
  EXPECT_EQ(change.last_step, 6);
  EXPECT_THAT(*change.tags, ElementsAre("a", "b"));
  EXPECT_EQ(change.labels->ToString(), "{dry=\"true\", rank=\"3\"}");
}

TEST(AnnotationJsonTest, TimesAreSecondsTextsOrNow) {
  EXPECT_EQ(Parsed(R"({"time": 5})").start_ms, 5000);
  EXPECT_EQ(Parsed(R"({"time": 5})").end_ms, 5000);
  EXPECT_EQ(Parsed(R"({"time": "5.5"})").end_ms, 5500);
  EXPECT_EQ(Parsed(R"({"start": "now"})").start_ms, kSentAtMs);
  EXPECT_EQ(Parsed(R"({"start": "now"})").end_ms, std::nullopt);
  EXPECT_EQ(Parsed(R"({"end": "now", "start": null})").start_ms, std::nullopt);
  EXPECT_THAT(ErrorOf(R"({"time": 1700000000000})"), HasSubstr("not milliseconds"));
  EXPECT_THAT(ErrorOf(R"({"time": 1e300})"), HasSubstr("too large"));
  EXPECT_THAT(ErrorOf(R"({"time": "yesterday"})"), HasSubstr("not \"yesterday\""));
  EXPECT_THAT(ErrorOf(R"({"time": []})"), HasSubstr("\"time\" must be"));
  EXPECT_THAT(ErrorOf(R"({"time": 1, "end": 2})"), HasSubstr("either it or"));
}

TEST(AnnotationJsonTest, OneStepOrARange) {
  EXPECT_EQ(Parsed(R"({"step": 5})").first_step, 5);
  EXPECT_EQ(Parsed(R"({"step": 5})").last_step, 5);
  EXPECT_THAT(ErrorOf(R"({"step": 5.5})"), HasSubstr("\"step\" must be an integer"));
}

TEST(AnnotationJsonTest, TheJobMayBeALabel) {
  EXPECT_EQ(Parsed(R"({"labels": {"job": "j"}})").job, "j");
  EXPECT_EQ(Parsed(R"({"labels": {"job": "j"}, "job": "j"})").labels->ToString(), "{}");
  EXPECT_THAT(ErrorOf(R"({"labels": {"job": "j"}, "job": "k"})"), HasSubstr("another job"));
}

TEST(AnnotationJsonTest, MistakesNameTheAnnotation) {
  EXPECT_THAT(ErrorOf(R"([{"text": "a"}, {"txt": "b"}])"),
              HasSubstr("annotation 2: unknown member \"txt\""));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("no annotations"));
  EXPECT_THAT(ErrorOf("[1]"), HasSubstr("annotation 1: not a JSON object"));
  EXPECT_THAT(ErrorOf("text=a"), HasSubstr("not a JSON object or list"));
  EXPECT_THAT(ErrorOf(R"({"tags": "a"})"), HasSubstr("\"tags\" must be a list"));
  EXPECT_THAT(ErrorOf(R"({"labels": ["a"]})"), HasSubstr("\"labels\" must be an object"));
  std::string many = "[{}";
  for (size_t i = 0; i < kMaxAnnotationsPerRequest; ++i) many += ",{}";
  EXPECT_THAT(ErrorOf(many + "]"), HasSubstr("at most 1000"));
}

}  // namespace
}  // namespace lockstep::api
