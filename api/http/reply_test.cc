#include "api/http/reply.h"

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
      {absl::OutOfRangeError("too long"), 422,
       R"({"status":"error","errorType":"execution","error":"too long"})"},
      {absl::PermissionDeniedError("this server only reads"), 403,
       R"({"status":"error","errorType":"forbidden","error":"this server only reads"})"},
      {absl::CancelledError("gone"), 499,
       R"({"status":"error","errorType":"canceled","error":"gone"})"},
      {absl::DeadlineExceededError("late"), 503,
       R"({"status":"error","errorType":"timeout","error":"late"})"},
      {absl::UnavailableError("closing"), 503,
       R"({"status":"error","errorType":"unavailable","error":"closing"})"},
      {absl::AbortedError("in the way"), 503,
       R"({"status":"error","errorType":"unavailable","error":"in the way"})"},
      {absl::NotFoundError("no file 000012.sst"), 500,
       R"({"status":"error","errorType":"internal","error":"no file 000012.sst"})"},
      {absl::UnimplementedError("not known"), 500,
       R"({"status":"error","errorType":"internal","error":"not known"})"},
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
    const Response line = PlainFailureReply(c.status);
    const bool is_over_a_limit =
        absl::IsResourceExhausted(c.status) || absl::IsOutOfRange(c.status);
    EXPECT_EQ(line.status, is_over_a_limit ? 400 : c.http_status);
    const bool may_pass = absl::IsUnavailable(c.status) || absl::IsAborted(c.status);
    EXPECT_EQ(response.headers.size(), may_pass ? 1 : 0) << c.body;
    EXPECT_EQ(line.headers.size(), may_pass ? 1 : 0) << c.body;
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

TEST(ReplyTest, ListsAreTakenFromTheBudgetAsTheyGrow) {
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  MemoryBudget memory(8 * kMebibyte);
  const auto reply = [&memory](size_t count, Brackets brackets, size_t* written) {
    QueryBudget budget(1, QueryBudget::Clock::time_point::max(), memory);
    return ListReply(
        brackets, count,
        [&](JsonWriter& json, size_t i) {
          if (brackets == Brackets::kObject) json.LabelKey(std::to_string(i));
          json.String(std::string(1000, 'x'));
          if (written != nullptr) *written = i + 1;
        },
        budget);
  };
  EXPECT_EQ(reply(0, Brackets::kArray, nullptr).body, R"({"status":"success","data":[]})");
  EXPECT_EQ(reply(1, Brackets::kObject, nullptr).body,
            R"({"status":"success","data":{"0":")" + std::string(1000, 'x') + R"("}})");
  EXPECT_EQ(reply(2000, Brackets::kArray, nullptr).status, 200);
  size_t written = 0;
  const Response refused = reply(10'000, Brackets::kArray, &written);
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find("--memory-limit"), std::string::npos) << refused.body;
  EXPECT_LT(written, 4000u);
  EXPECT_EQ(memory.stats().held_bytes, 0u);
}

}  // namespace
}  // namespace lockstep::api
