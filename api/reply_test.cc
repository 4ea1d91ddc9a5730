#include "api/reply.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

TEST(ReplyTest, ErrorsByStatusCode) {
  struct Case {
    absl::Status status;
    int http_status;
    std::string body;
  };
  const Case cases[] = {
      {absl::InvalidArgumentError("1:4: parse error: unexpected <by>"), 400,
       R"({"status":"error","errorType":"bad_data",)"
       R"("error":"1:4: parse error: unexpected \u003cby\u003e"})"},
      {absl::FailedPreconditionError("many-to-many"), 422,
       R"({"status":"error","errorType":"execution","error":"many-to-many"})"},
      {absl::ResourceExhaustedError("too many samples"), 422,
       R"({"status":"error","errorType":"execution","error":"too many samples"})"},
      {absl::CancelledError("gone"), 499,
       R"({"status":"error","errorType":"canceled","error":"gone"})"},
      {absl::DeadlineExceededError("late"), 503,
       R"({"status":"error","errorType":"timeout","error":"late"})"},
      {absl::UnavailableError("closing"), 503,
       R"({"status":"error","errorType":"unavailable","error":"closing"})"},
      {absl::DataLossError("broken"), 500,
       R"({"status":"error","errorType":"internal","error":"broken"})"},
      {absl::InternalError("broken"), 500,
       R"({"status":"error","errorType":"internal","error":"broken"})"},
  };
  for (const Case& c : cases) {
    const Response response = FailureReply(c.status);
    EXPECT_EQ(response.status, c.http_status);
    EXPECT_EQ(response.body, c.body);
    EXPECT_EQ(response.content_type, "application/json");
  }
}

TEST(ReplyTest, InvalidParameter) {
  EXPECT_EQ(
      InvalidParameter("step", "zero").body,
      R"({"status":"error","errorType":"bad_data","error":"invalid parameter \"step\": zero"})");
}

TEST(ReplyTest, AnnotationsFollowTheData) {
  const auto number = [](JsonWriter& json) { json.Number(1); };
  EXPECT_EQ(SuccessReply(number).body, R"({"status":"success","data":1})");
  EXPECT_EQ(SuccessReply(number, {{"w"}, {"i & j"}}).body,
            R"({"status":"success","data":1,"warnings":["w"],"infos":["i \u0026 j"]})");
  engine::Annotations many;
  for (int i = 0; i < 13; ++i) many.infos.push_back(std::to_string(i));
  EXPECT_EQ(SuccessReply(number, many).body,
            R"({"status":"success","data":1,"infos":["0","1","2","3","4","5","6","7","8","9",)"
            R"("3 more info annotations omitted"]})");
}

}  // namespace
}  // namespace lockstep::api
