#include "import/delivery/pushed_log.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

void CheckAnswer(int status, std::string_view body, std::string_view expected) {
  const auto answer = ReadPushAnswer(status, body);
  EXPECT_EQ(answer.has_value()
                ? absl::StrFormat("%d|%d|%s|%d|%s", answer->next_offset, answer->is_gap ? 1 : 0,
                                  answer->format, answer->refused_samples, answer->refused)
                : "none",
            expected)
      << body;
}

// As documented in docs/http_api.md.
TEST(PushAnswerTest, OfLogsAndSteps) {
  CheckAnswer(
      200,
      R"({"status":"success","data":{"format":"megatron","next_offset":51,"refused_samples":0}})",
      "51|0|megatron|0|");
  CheckAnswer(400,
              R"({"accepted": 1, "next_offset": 99, "refused_samples": 2, "refused": "too old"})",
              "99|0||2|too old");
  CheckAnswer(409, R"({"status":"error","expected_offset":7})", "7|1||0|");
}

TEST(PushAnswerTest, WhatBecameOfTheSamples) {
  const auto fates = [](std::string_view body) { return ReadPushAnswer(200, body)->fates; };
  EXPECT_EQ(fates(R"({"next_offset": 9, "new_samples": 3, "duplicate_samples": 2,
                      "overwritten_samples": 1, "refused_samples": 0})"),
            (SampleFates{3, 2, 1}));
  // An older server does not say.
  EXPECT_EQ(fates(R"({"next_offset": 9, "refused_samples": 0})"), std::nullopt);
  EXPECT_EQ(fates(R"({"next_offset": 9, "new_samples": 3, "refused_samples": 0})"), std::nullopt);
}

TEST(PushAnswerTest, WhatIsNone) {
  CheckAnswer(400, R"({"status":"error","errorType":"bad_data","error":"no"})", "none");
  CheckAnswer(409, R"({"next_offset":7})", "none");
  CheckAnswer(200, R"({"data":{"format":"x"}})", "none");
  CheckAnswer(401, "who are you?", "none");
  CheckAnswer(200, "", "none");
}

}  // namespace
}  // namespace lockstep::importer
