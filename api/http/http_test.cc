#include "api/http/http.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

TEST(RequestTest, HeadersInAnyCase) {
  Request request;
  request.headers = {{"content-ENCODING", "snappy"}, {"Content-Encoding", "gzip"}};
  EXPECT_EQ(request.header("Content-Encoding"), "snappy");
  EXPECT_EQ(request.header("Content-Encodin"), "");
}

TEST(RequestTest, PathEndsAtTheQuestionMark) {
  Request request;
  request.target = "/api/v1/query?query=a?b";
  EXPECT_EQ(request.path(), "/api/v1/query");
  request.target = "/plain";
  EXPECT_EQ(request.path(), "/plain");
}

TEST(CancelSignalTest, RunsItsCallbackOnce) {
  CancelSignal signal;
  int calls = 0;
  signal.Subscribe([&] { ++calls; });
  EXPECT_FALSE(signal.fired());
  signal.Fire();
  signal.Fire();
  EXPECT_TRUE(signal.fired());
  EXPECT_EQ(calls, 1);
}

TEST(CancelSignalTest, SubscribingLateRunsAtOnce) {
  CancelSignal signal;
  signal.Fire();
  int calls = 0;
  signal.Subscribe([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(CancelSignalTest, UnsubscribedCallbacksStayQuiet) {
  CancelSignal signal;
  int calls = 0;
  signal.Subscribe([&] { ++calls; });
  signal.Unsubscribe();
  signal.Fire();
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace lockstep::api
