#include "api/training/hang_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/matcher.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

constexpr int64_t kNowMs = 1'795'850'000'000;
constexpr std::string_view kDump = R"({"version": "2.10", "entries": [{"record_id": 0,
    "process_group": ["0", "default_pg"], "collective_seq_id": 1,
    "profiling_name": "nccl:all_reduce", "state": "scheduled"}]})";

class HangHandlersTest : public testing::Test {
 protected:
  Response Push(std::string parameters, std::string_view body, std::vector<Header> headers = {}) {
    Request request;
    request.method = "POST";
    request.target = "/api/v1/push/dump?" + std::move(parameters);
    request.headers = std::move(headers);
    request.body = body;
    request.grant.jobs = jobs_;
    return HandleDumpPush(request, {dumps_, limits_, kNowMs});
  }

  std::vector<hang::RankRecord> Kept() {
    MemoryCharge memory;
    return dumps_.Read("a", kNowMs, memory).value();
  }

  hang::KeptDumps dumps_{nullptr};
  const IngestLimits limits_{.max_decoded_bytes = 10'000};
  std::optional<Matcher> jobs_;
};

TEST_F(HangHandlersTest, ADumpIsKept) {
  const Response response = Push("job=a&rank=3&host=n1&time=1795849000.5", kDump);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"status":"success","data":{"format":"flight-recorder","rank":3,"operations":1,)"
            R"("is_older":false}})");
  ASSERT_EQ(Kept().size(), 1u);
  EXPECT_EQ(Kept()[0].rank, 3);
  EXPECT_EQ(Kept()[0].host, "n1");
  EXPECT_EQ(Kept()[0].dump_ms, 1'795'849'000'500);
}

TEST_F(HangHandlersTest, TheRankOfAFilesName) {
  EXPECT_EQ(Push("job=a&path=/tmp/nccl_trace_rank_12", kDump).status, 200);
  EXPECT_EQ(Kept()[0].rank, 12);
}

// Else it would keep all later dumps out.
TEST_F(HangHandlersTest, ATimeInTheFutureIsNow) {
  EXPECT_EQ(Push("job=a&rank=0&time=9795849000", kDump).status, 200);
  EXPECT_EQ(Kept()[0].dump_ms, kNowMs);
}

TEST_F(HangHandlersTest, WrongRequestsCostNothing) {
  struct Wrong {
    const char* parameters;
    std::string body;
    int status;
    const char* error;
    std::vector<Header> headers{};
  };
  const std::vector<Wrong> all = {
      {"rank=0", std::string(kDump), 400, "no job parameter provided"},
      {"job=a", std::string(kDump), 400, "no rank parameter provided"},
      {"job=a&rank=-1", std::string(kDump), 400, "not a number from 0 to"},
      {"job=a&rank=x", std::string(kDump), 400, "not a number from 0 to"},
      {"job=a&rank=0&time=x", std::string(kDump), 400, "invalid parameter \\\"time\\\""},
      {"job=a&rank=0", "iter 1\n", 400, "neither a flight recorder's dump"},
      {"job=a&rank=0",
       std::string("\x80\x02"
                   "cos\nsystem\n."),
       400, "GLOBAL: the pickle wants to run code"},
      {"job=a&rank=0", std::string(kDump), 415, "Content-Encoding", {{"Content-Encoding", "br"}}},
      {"job=a&rank=0", std::string(20'000, ' '), 413, ""},
  };
  for (const Wrong& wrong : all) {
    const Response response = Push(wrong.parameters, wrong.body, wrong.headers);
    EXPECT_EQ(response.status, wrong.status) << wrong.parameters << response.body;
    EXPECT_THAT(response.body, HasSubstr(wrong.error));
  }
  EXPECT_EQ(Push("job=" + std::string(300, 'a') + "&rank=0", kDump).status, 400);
  EXPECT_TRUE(Kept().empty());
}

TEST_F(HangHandlersTest, ACredentialWritesItsJobsOnly) {
  jobs_ = Matcher::Equal("job", "b");
  EXPECT_EQ(Push("job=a&rank=0", kDump).status, 403);
  EXPECT_EQ(Push("job=b&rank=0", kDump).status, 200);
  EXPECT_TRUE(Kept().empty());
}

}  // namespace
}  // namespace lockstep::api
