#include "api/mcp/mcp_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class McpServerTest : public testing::Test {
 protected:
  McpReply Answer(const std::string& message) {
    const McpFetch fetch = [this](const std::string& target) {
      targets_.push_back(target);
      return fetched_;
    };
    return AnswerMcp(message, session_, {fetch, 1'700'000'000'000, "0.1.0"});
  }
  // The text of the answer to a request with id 1.
  std::string Ask(const std::string& method, const std::string& params = "{}") {
    return Answer(absl::StrFormat(R"({"jsonrpc":"2.0","id":1,"method":"%s","params":%s})", method,
                                  params))
        .text;
  }
  std::string Call(const std::string& tool, const std::string& arguments = "{}") {
    return Ask("tools/call", absl::StrFormat(R"({"name":"%s","arguments":%s})", tool, arguments));
  }

  McpSession session_;
  McpFetched fetched_{200, R"({"status":"success","data":{"verdict":"slow_rank","n":null}})"};
  std::vector<std::string> targets_;
};

std::string Error(int code) { return absl::StrFormat(R"("error":{"code":%d,)", code); }

TEST_F(McpServerTest, TheVersionIsTheClientsOrTheLatest) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18"}) {
    EXPECT_THAT(Ask("initialize", absl::StrFormat(R"({"protocolVersion":"%s"})", version)),
                StartsWith(absl::StrFormat(
                    R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"%s",)", version)));
    EXPECT_EQ(session_.version, version);
  }
  EXPECT_THAT(Ask("initialize", R"({"protocolVersion":"2099-01-01"})"),
              HasSubstr(R"("protocolVersion":"2025-06-18")"));
  EXPECT_THAT(Ask("initialize"), HasSubstr(Error(-32602)));
}

TEST_F(McpServerTest, IdsComeBackAsTheyAre) {
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})").text,
            R"({"jsonrpc":"2.0","id":"a\"b","result":{}})");
  EXPECT_EQ(Ask("ping"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(McpServerTest, NotificationsAndResponsesAreNotAnswered) {
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").text, "");
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","method":"no/such"})").text, "");
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","id":4,"result":{}})").text, "");
}

TEST_F(McpServerTest, EachMistakeHasItsCode) {
  EXPECT_THAT(Answer("{").text, HasSubstr(Error(-32700)));
  EXPECT_TRUE(Answer("{").is_refusal);
  EXPECT_THAT(Answer("\xff").text, HasSubstr(Error(-32700)));
  for (const char* message : {"1", R"({"id":1,"method":"ping"})", R"({"jsonrpc":"2.0","id":1})",
                              R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
                              R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
                              R"({"jsonrpc":"2.0","id":1,"method":7})"}) {
    EXPECT_THAT(Answer(message).text, HasSubstr(Error(-32600))) << message;
  }
  EXPECT_THAT(Ask("no/such"), HasSubstr(Error(-32601)));
  EXPECT_THAT(Ask("ping", "[]"), HasSubstr(Error(-32602)));
  EXPECT_THAT(Answer(std::string(kMaxMcpMessageBytes + 1, ' ')).text, HasSubstr(Error(-32600)));
  EXPECT_THAT(targets_, IsEmpty());
}

TEST_F(McpServerTest, BatchesBelongToEarlierVersions) {
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7])";
  const std::string answer = Answer(batch).text;
  EXPECT_THAT(answer,
              StartsWith(R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,)"));
  EXPECT_THAT(answer, HasSubstr(Error(-32600)));
  EXPECT_EQ(Answer(R"([{"jsonrpc":"2.0","method":"x"}])").text, "");
  EXPECT_THAT(Answer("[]").text, HasSubstr(Error(-32600)));
  std::string many = "[1";
  for (int i = 0; i < 20; ++i) many += ",1";
  EXPECT_THAT(Answer(many + "]").text, HasSubstr("1 to 20 messages"));
  session_.version = "2025-06-18";
  EXPECT_THAT(Answer(batch).text, HasSubstr("has no batches"));
}

TEST_F(McpServerTest, ToolsAreReadOnlyAndHaveSchemas) {
  const std::string list = Ask("tools/list");
  for (const McpTool& tool : McpTools()) {
    std::string json;
    JsonWriter writer(json);
    WriteMcpTool(writer, tool);
    EXPECT_THAT(list, HasSubstr(json));
    EXPECT_THAT(json, HasSubstr(R"("readOnlyHint":true)"));
    EXPECT_THAT(json, HasSubstr(R"("inputSchema":{"type":"object","properties":{)"));
  }
  EXPECT_THAT(list, HasSubstr(R"("name":"find_stragglers")"));
  EXPECT_THAT(list, HasSubstr(R"("required":["job"])"));
}

TEST_F(McpServerTest, AToolAsksTheApiAndAnswersInTextAndStructure) {
  EXPECT_EQ(Call("find_stragglers", R"({"job":"a b&c","start":1700000000.5,"attempt":1})"),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)"
            R"("verdict: slow_rank\n"}],"structuredContent":{"verdict":"slow_rank","n":null},)"
            R"("isError":false}})");
  EXPECT_THAT(targets_, ElementsAre("/api/v1/training/stragglers?job=a%20b%26c"
                                    "&start=1700000000.5&attempt=1"));
}

TEST_F(McpServerTest, ArgumentsThatAreWrongAreTold) {
  EXPECT_THAT(Call("no_such_tool"), HasSubstr(Error(-32602)));
  EXPECT_THAT(Call("find_stragglers"), HasSubstr("argument \\\"job\\\" is required"));
  EXPECT_THAT(Call("find_stragglers", R"({"job":7})"), HasSubstr("must be a string"));
  EXPECT_THAT(Call("find_stragglers", R"({"job":"j","rank":7})"), HasSubstr("is not one of"));
  EXPECT_THAT(Call("find_stragglers", R"({"job":"j","start":true})"), HasSubstr("Unix seconds"));
  EXPECT_THAT(Call("find_stragglers", "[]"), HasSubstr(Error(-32602)));
  EXPECT_THAT(targets_, IsEmpty());
}

TEST_F(McpServerTest, ErrorsOfTheApiAreResults) {
  fetched_ = {404, R"({"status":"error","errorType":"not_found","error":"no job \"x\""})"};
  const std::string answer = Call("get_mfu", R"({"job":"x"})");
  EXPECT_THAT(answer, HasSubstr(R"("text":"no job \"x\"")"));
  EXPECT_THAT(answer, HasSubstr(R"("isError":true)"));
  EXPECT_THAT(answer, Not(HasSubstr("structuredContent")));
  fetched_ = {0, "no answer from 127.0.0.1:1"};
  EXPECT_THAT(Call("list_jobs"), HasSubstr("no answer from"));
  fetched_ = {200, "<html>"};
  EXPECT_THAT(Call("list_jobs"), HasSubstr("is the URL that of a lockstep server"));
}

TEST_F(McpServerTest, ARangeHasLimitedPoints) {
  Call("query_range", R"({"query":"up","start":1699996400})");
  EXPECT_THAT(targets_, ElementsAre("/api/v1/query_range?limit=50&query=up&start=1699996400"
                                    "&end=1700000000.000&step=60"));
  EXPECT_THAT(Call("query_range", R"({"query":"up","start":1699996400,"step":1})"),
              HasSubstr("it must be at least 8"));
  EXPECT_THAT(Call("query_range", R"({"query":"up","start":0,"step":1e-9})"),
              HasSubstr("\\\"step\\\""));
  EXPECT_THAT(Call("query_range", R"({"query":"up","start":"x"})"), HasSubstr("RFC 3339"));
  EXPECT_THAT(Call("query_range", R"({"query":"up","start":1700000001})"), HasSubstr("is before"));
}

TEST_F(McpServerTest, LargeResultsAreCutAndSaySo) {
  std::string data = R"({"status":"success","warnings":["w"],"data":{"texts":[)";
  for (int i = 0; i < 4000; ++i)
    data += absl::StrFormat(R"(%s"text number %d is here")", i ? "," : "", i);
  fetched_ = {200, data + "]}}"};
  const std::string answer = Call("list_jobs");
  EXPECT_LT(answer.size(), 40'000u);
  EXPECT_THAT(answer, HasSubstr("[cut: these are the first 24576 of"));
  EXPECT_THAT(answer, HasSubstr(R"("structuredContent":{"cut":"the result has)"));
  EXPECT_THAT(answer, HasSubstr("warnings: "));
}

TEST_F(McpServerTest, TheCookbookIsAToolAndResources) {
  EXPECT_THAT(Call("look_up_cookbook"), HasSubstr("Training: MFU\\n"));
  EXPECT_THAT(Call("look_up_cookbook", R"({"search":"garbage collection"})"),
              HasSubstr("# Training: Garbage collection"));
  EXPECT_THAT(Ask("resources/list"), HasSubstr(R"("uri":"lockstep://cookbook/training-mfu")"));
  EXPECT_THAT(Ask("resources/read", R"({"uri":"lockstep://cookbook/training-mfu"})"),
              HasSubstr(R"("mimeType":"text/markdown","text":"### MFU)"));
  EXPECT_THAT(Ask("resources/read", R"({"uri":"file:///etc/passwd"})"), HasSubstr(Error(-32002)));
  EXPECT_THAT(Ask("resources/read"), HasSubstr(Error(-32602)));
  EXPECT_THAT(Ask("resources/templates/list"), HasSubstr("\"resourceTemplates\":[]"));
  EXPECT_THAT(targets_, IsEmpty());
}

}  // namespace
}  // namespace lockstep::api
