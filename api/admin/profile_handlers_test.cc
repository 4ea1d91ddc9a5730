#include "api/admin/profile_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace lockstep::api {
namespace {

using testing::HasSubstr;

Call CallOf(const std::string& query) {
  Request request;
  request.method = "GET";
  request.target = "/debug/pprof/profile?" + query;
  Call call{Form::Of(request)};
  call.request.cancel = std::make_shared<CancelSignal>();
  return call;
}

struct Pending {
  std::shared_ptr<CancelSignal> cancel;
  std::future<Response> answer;
};

Pending Start(ProfileRunner& runner, const std::string& query) {
  Call call = CallOf(query);
  auto promise = std::make_shared<std::promise<Response>>();
  Pending pending{call.request.cancel, promise->get_future()};
  runner.Profile(std::move(call),
                 [promise](Response response) { promise->set_value(std::move(response)); });
  return pending;
}

TEST(ProfileHandlersTest, SecondsAreBounded) {
  ProfileRunner runner;
  for (const char* query : {"seconds=0", "seconds=-1", "seconds=301", "seconds=x", "seconds=1.5"}) {
    const Response response = Start(runner, query).answer.get();
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_THAT(response.body, HasSubstr("from 1 to 300"));
  }
}

TEST(ProfileHandlersTest, OneAtATimeUntilTheClientGoes) {
  ProfileRunner runner;
  Pending first = Start(runner, "seconds=300");
  EXPECT_EQ(Start(runner, "seconds=1").answer.get().status, 409);
  first.cancel->Fire();
  EXPECT_EQ(first.answer.get().status, 499);
  Pending next = Start(runner, "seconds=300");
  next.cancel->Fire();
  EXPECT_EQ(next.answer.get().status, 499);
}

TEST(ProfileHandlersTest, AStopEndsIt) {
  ProfileRunner runner;
  Pending pending = Start(runner, "seconds=300");
  runner.Stop();
  EXPECT_EQ(pending.answer.get().status, 503);
  EXPECT_EQ(Start(runner, "seconds=1").answer.get().status, 503);
}

TEST(ProfileHandlersTest, AProfileIsAFile) {
  ProfileRunner runner;
  const Response profile = Start(runner, "seconds=1").answer.get();
  EXPECT_EQ(profile.status, 200);
  ASSERT_EQ(profile.headers.size(), 1u);
  EXPECT_EQ(profile.headers[0].value, "attachment; filename=\"profile\"");
  EXPECT_TRUE(profile.body.starts_with("\x1f\x8b"));
}

TEST(ProfileHandlersTest, AProcessHasOneProfilerAtATime) {
  ProfileRunner runner, other;
  Pending first = Start(runner, "seconds=300");
  EXPECT_EQ(Start(other, "seconds=1").answer.get().status, 409);
  first.cancel->Fire();
  EXPECT_EQ(first.answer.get().status, 499);
}

TEST(ProfileHandlersTest, TheArgumentsAreThoseOfTheProcess) {
  EXPECT_THAT(HandleCommandLine().body, HasSubstr("test"));
}

TEST(ProfileHandlersTest, AHeapProfileIsGzip) {
  const Response response = HandleHeapProfile();
  EXPECT_EQ(response.content_type, "application/octet-stream");
  EXPECT_TRUE(response.body.starts_with("\x1f\x8b"));
}

}  // namespace
}  // namespace lockstep::api
