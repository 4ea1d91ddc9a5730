#include "api/query/query_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/test_folder.h"

namespace lockstep::api {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

class QueryLogTest : public ::testing::Test {
 protected:
  static Request ClientRequest() {
    Request request;
    request.method = "GET";
    request.target = "/api/v1/query_range?query=up";
    request.remote_address = "[::1]:4242";
    return request;
  }
  static LoggedQuery Query(std::string_view text) {
    LoggedQuery query;
    query.text = text;
    query.start_ms = 1'709'251'457'000;
    query.end_ms = 1'709'251'657'500;
    query.step_ms = 15'500;
    query.now_ms = 1'709'251'700'001;
    query.stats.total_samples = 3;
    return query;
  }
  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const TestFolder folder_;
  const std::string path_ = folder_.path() + "/query.log";
};

// The fields match Prometheus 3.5 with `query_log_file`, without "source" and "spanID", plus "ts"
// from Prometheus 2.
TEST_F(QueryLogTest, ALineAQuery) {
  const auto log = QueryLog::Open(path_);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->Add(Query("up < 1"), ClientRequest());
  const std::string line = Content(path_);
  EXPECT_THAT(
      line,
      StartsWith(
          R"({"time":"2024-03-01T00:08:20.001Z","ts":"2024-03-01T00:08:20.001Z","level":"INFO",)"
          R"("msg":"promql query logged","params":{"end":"2024-03-01T00:07:37.500Z",)"
          R"("query":"up \u003c 1","start":"2024-03-01T00:04:17.000Z","step":15},)"
          R"("stats":{"timings":{"evalTotalTime":0,)"));
  EXPECT_THAT(line, EndsWith("\"samples\":{\"totalQueryableSamples\":3,\"peakSamples\":0}},"
                             "\"httpRequest\":{\"clientIP\":\"::1\",\"method\":\"GET\","
                             "\"path\":\"/api/v1/query_range\"}}\n"));
}

TEST_F(QueryLogTest, NamesTheTenantsThatAreNotTheDefaultOne) {
  const auto tenant_of = [this](std::string header, std::optional<std::vector<std::string>> of) {
    const auto log = QueryLog::Open(path_);
    Request request = ClientRequest();
    if (!header.empty()) request.headers.push_back({"x-scope-orgid", std::move(header)});
    request.grant.tenants = std::move(of);
    (*log)->Add(Query("a"), request);
    const std::string line = Content(path_);
    unlink(path_.c_str());
    const size_t begin = line.find("\"tenant\":");
    return begin == line.npos ? "" : line.substr(begin, line.find(",\"httpRequest\"") - begin);
  };
  EXPECT_EQ(tenant_of("", std::nullopt), "");
  EXPECT_EQ(tenant_of("default", std::nullopt), "");
  EXPECT_EQ(tenant_of("a/b", std::nullopt), "");
  EXPECT_EQ(tenant_of("team-a", std::nullopt), R"("tenant":"team-a")");
  EXPECT_EQ(tenant_of("b|default|b", std::nullopt), R"("tenant":"b|default")");
  EXPECT_EQ(tenant_of("", std::vector<std::string>{"own"}), R"("tenant":"own")");
  EXPECT_EQ(tenant_of("default", std::vector<std::string>{"own"}), "");
}

TEST_F(QueryLogTest, AFailureHasItsErrorAndNoStatistics) {
  const auto log = QueryLog::Open(path_);
  LoggedQuery query = Query("a");
  query.status = absl::CancelledError("gone");
  (*log)->Add(query, ClientRequest());
  EXPECT_THAT(Content(path_), ::testing::HasSubstr(R"(,"error":"gone","httpRequest":{)"));
}

TEST_F(QueryLogTest, GoesOnUnderItsNameWhenTheFileIsMovedAway) {
  const auto log = QueryLog::Open(path_);
  (*log)->Add(Query("first"), ClientRequest());
  ASSERT_EQ(std::rename(path_.c_str(), (path_ + ".1").c_str()), 0);
  (*log)->Add(Query("second"), ClientRequest());
  (*log)->Add(Query("third"), ClientRequest());
  EXPECT_THAT(Content(path_ + ".1"), ::testing::HasSubstr(R"("query":"first")"));
  const std::string rest = Content(path_);
  EXPECT_THAT(rest, ::testing::HasSubstr(R"("query":"second")"));
  EXPECT_THAT(rest, ::testing::HasSubstr(R"("query":"third")"));
  EXPECT_EQ(rest.find("first"), std::string::npos);
}

TEST_F(QueryLogTest, APathThatCannotBeOpenedIsAnError) {
  const auto log = QueryLog::Open(folder_.path() + "/none/query.log");
  EXPECT_THAT(std::string(Message(log.status())),
              StartsWith("cannot open the query log " + folder_.path() + "/none/query.log: "));
}

}  // namespace
}  // namespace lockstep::api
