// Tests annotations by requests to the whole API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/api_testing.h"
#include "storage/kept_rows_testing.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPath = "/api/v1/annotations";

class ApiAnnotationsTest : public ApiFixture {
 protected:
  ApiAnnotationsTest() { Restart(); }
  ~ApiAnnotationsTest() override { api_ = nullptr; }

  void Restart() {
    api_ = nullptr;
    kept_tenants_ = std::make_unique<tenants::Tenants>(
        storage_, &rows_, tenants::TenantOptions{.engine = {.threads = 2}});
    ASSERT_TRUE(kept_tenants_->Load().ok());
    ApiFixture::Restart(*kept_tenants_, {});
  }

  Response SendAs(const std::string& tenant, const std::string& method, const std::string& target,
                  std::string body, const Grant& grant) {
    Request request;
    request.method = method;
    request.target = target;
    request.body = std::move(body);
    request.grant = grant;
    if (!tenant.empty()) request.headers.push_back({"X-Scope-OrgID", tenant});
    return Send(std::move(request));
  }
  Response Post(std::string body) { return Send("POST", kPath, std::move(body)); }
  std::string Listed(const std::string& parameters = "") {
    return Body(absl::StrFormat("%s?%s", kPath, parameters));
  }

  RowsInMemory rows_;
  std::unique_ptr<tenants::Tenants> kept_tenants_;
};

Grant ForJob(const std::string& job) {
  Grant grant;
  grant.jobs = Matcher::Equal("job", job);
  return grant;
}

// 2015-07-01T20:10:51.781Z is kNowMs.
constexpr const char* kEvaluation =
    R"({"job":"j","start":1435781450.5,"end":1435781451,"id":"e1","kind":"evaluation",)"
    R"("text":"at \u003cstep\u003e 7","is_open":false,"first_step":7,"last_step":7,)"
    R"("tags":["nightly"],"labels":{"rank":"0"}})";

TEST_F(ApiAnnotationsTest, WhatIsStoredIsListed) {
  const Response stored = Post(
      R"({"job": "j", "id": "e1", "kind": "evaluation", "text": "at <step> 7", "step": 7,
          "start": 1435781450.5, "end": 1435781451, "tags": ["nightly"], "labels": {"rank": 0}})");
  EXPECT_EQ(stored.status, 200);
  EXPECT_EQ(stored.body, Success(absl::StrFormat("[%s]", kEvaluation)));
  EXPECT_EQ(Listed(), stored.body);
  EXPECT_EQ(Listed("job=j&kind=profile&kind=evaluation&tag=nightly&start=1435781450&limit=5"),
            stored.body);
  EXPECT_EQ(Listed("job=k"), Success("[]"));
  EXPECT_EQ(Listed("end=1435781450"), Success("[]"));
}

TEST_F(ApiAnnotationsTest, WhatIsBegunIsEndedByItsId) {
  EXPECT_EQ(Post(R"({"job": "j", "id": "p", "kind": "profile", "start": "now"})").status, 200);
  EXPECT_THAT(Listed(),
              HasSubstr(R"("end":null,"id":"p","kind":"profile","text":"","is_open":true)"));
  EXPECT_EQ(Post(R"({"job": "j", "id": "p", "end": "now"})").status, 200);
  EXPECT_THAT(Listed(), HasSubstr(R"("end":1435781451.781,"id":"p")"));
  const Response unknown = Post(R"({"id": "p", "end": "now"})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("of job \\\"\\\" to end"));
}

TEST_F(ApiAnnotationsTest, TheLatestAreListedAndTheOthersMentioned) {
  EXPECT_EQ(
      Post(R"([{"id": "a", "text": "x", "time": 1}, {"id": "b", "text": "x", "time": 2}])").status,
      200);
  const std::string listed = Listed("limit=1");
  EXPECT_THAT(listed, HasSubstr("\"id\":\"b\""));
  EXPECT_THAT(listed, Not(HasSubstr("\"id\":\"a\"")));
  EXPECT_THAT(listed, HasSubstr("2 annotations match; these are the latest 1"));
  EXPECT_EQ(Get(std::string(kPath) + "?limit=x").status, 400);
  EXPECT_EQ(Get(std::string(kPath) + "?start=x").status, 400);
}

TEST_F(ApiAnnotationsTest, DeletedByIdAndJob) {
  EXPECT_EQ(Post(R"([{"id": "a", "job": "j", "text": "x"}, {"id": "a", "job": "k", "text": "x"}])")
                .status,
            200);
  const std::string target = std::string(kPath) + "?id=a";
  const Response ambiguous = Send("DELETE", target);
  EXPECT_EQ(ambiguous.status, 400);
  EXPECT_THAT(ambiguous.body, HasSubstr("2 jobs have an annotation"));
  const Response deleted = Send("DELETE", target + "&job=j");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(deleted.body, Success("{\"deleted\":1}"));
  EXPECT_EQ(Send("DELETE", target + "&job=j").status, 404);
  EXPECT_EQ(Send("DELETE", kPath).status, 400);
  EXPECT_THAT(Listed(), HasSubstr("\"job\":\"k\""));
}

TEST_F(ApiAnnotationsTest, MistakesAreTold) {
  const Response response = Post(R"({"text": "x", "tmie": 5})");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("unknown member"));
  EXPECT_EQ(Send("POST", kPath, "x", {{"Content-Encoding", "br"}}).status, 415);
  EXPECT_EQ(Post(std::string(5 << 20, ' ')).status, 413);
  EXPECT_EQ(Post("\xff").status, 400);
  const Response refused = Send("PUT", kPath);
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.headers.front().value, "GET, HEAD, DELETE, POST, OPTIONS");
}

TEST_F(ApiAnnotationsTest, EachMethodHasItsRole) {
  EXPECT_EQ(api_->RoleFor("GET", kPath), Role::kRead);
  EXPECT_EQ(api_->RoleFor("OPTIONS", kPath), Role::kRead);
  EXPECT_EQ(api_->RoleFor("POST", kPath), Role::kPush);
  EXPECT_EQ(api_->RoleFor("DELETE", kPath), Role::kPush);
  EXPECT_EQ(api_->RoleFor("POST", "/api/v1/query"), Role::kRead);
}

TEST_F(ApiAnnotationsTest, TenantsAreSeparate) {
  for (const char* tenant : {"", "team"}) {
    EXPECT_EQ(SendAs(tenant, "POST", kPath,
                     absl::StrFormat(R"({"id": "a", "text": "of <%s>", "time": 1})", tenant), {})
                  .status,
              200);
  }
  const auto listed = [this](const std::string& tenant) {
    return SendAs(tenant, "GET", kPath, "", {}).body;
  };
  EXPECT_THAT(listed(""), HasSubstr("of \\u003c\\u003e"));
  EXPECT_THAT(listed(""), Not(HasSubstr("team")));
  EXPECT_THAT(listed("team"), HasSubstr("of \\u003cteam\\u003e"));
  EXPECT_EQ(listed("other"), Success("[]"));
  EXPECT_THAT(listed("default|team"), HasSubstr("\"__tenant_id__\":\"team\""));
  EXPECT_THAT(listed("default|team"), HasSubstr("\"__tenant_id__\":\"default\""));
  Restart();
  EXPECT_THAT(listed("team"), HasSubstr("of \\u003cteam\\u003e"));
  EXPECT_EQ(SendAs("other", "DELETE", std::string(kPath) + "?id=a", "", {}).status, 404);
  EXPECT_EQ(SendAs("team", "DELETE", std::string(kPath) + "?id=a", "", {}).status, 200);
  EXPECT_EQ(listed("team"), Success("[]"));
  EXPECT_THAT(listed(""), HasSubstr("\"id\":\"a\""));
  // So are the series.
  const auto count = [this](const std::string& tenant) {
    return SendAs(tenant, "GET", "/api/v1/query?query=count(lockstep_annotation)&time=1", "", {})
        .body;
  };
  EXPECT_THAT(count(""), HasSubstr(R"("value":[1,"1"])"));
  EXPECT_THAT(count("team"), HasSubstr(R"("result":[])"));
}

TEST_F(ApiAnnotationsTest, ACredentialForSomeJobsReachesOnlyThem) {
  const Grant grant = ForJob("mine");
  const auto post = [&](const char* body) { return SendAs("", "POST", kPath, body, grant); };
  EXPECT_EQ(post(R"({"id": "a", "job": "mine", "text": "x", "time": 1})").status, 200);
  const Response refused = post(R"([{"job": "mine", "text": "x"}, {"job": "other", "text": "x"}])");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("may not annotate the job"));
  EXPECT_EQ(post(R"({"text": "about no job"})").status, 403);
  EXPECT_EQ(Post(R"({"id": "b", "job": "other", "text": "x", "time": 1})").status, 200);
  EXPECT_EQ(SendAs("", "DELETE", std::string(kPath) + "?id=b", "", grant).status, 404);
  const std::string listed = SendAs("", "GET", kPath, "", grant).body;
  EXPECT_THAT(listed, HasSubstr("\"id\":\"a\""));
  EXPECT_THAT(listed, Not(HasSubstr("\"id\":\"b\"")));
  EXPECT_THAT(
      SendAs("", "GET", "/api/v1/query?query=count(lockstep_annotation)&time=1", "", grant).body,
      HasSubstr(R"("value":[1,"1"])"));
}

TEST_F(ApiAnnotationsTest, EventsOfAJobIncludeThem) {
  for (const int step : {0, 1, 2}) {
    storage_.Append(LabelSet::Of({{"__name__", "train_step"}, {"job", "j"}, {"rank", "0"}}),
                    kNowMs - 60'000 + 1000 * step, step);
  }
  EXPECT_EQ(Post(R"({"job": "j", "id": "e1", "kind": "checkpoint", "text": "saved", "step": 1,
                     "time": 1435781393, "labels": {"rank": 0}})")
                .status,
            200);
  EXPECT_THAT(Body("/api/v1/training/events?job=j"),
              HasSubstr(R"({"kind":"annotation","from":1435781393,"to":1435781393,"step":1,)"
                        R"("ranks":[0],"evidence":[],"words":"saved","annotation":{"id":"e1",)"
                        R"("kind":"checkpoint","text":"saved","is_open":false)"));
}

}  // namespace
}  // namespace lockstep::api
