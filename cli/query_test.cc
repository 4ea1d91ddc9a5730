#include "cli/query.h"

#include <gtest/gtest.h>

#include "cli/table.h"

namespace lockstep::cli {
namespace {

TEST(QueryTest, ShowsAnswersAsTables) {
  struct Row {
    std::string_view json;
    std::string_view text;
  };
  for (const Row& row : {
           Row{R"({"status":"success","data":{"resultType":"vector","result":[
                 {"metric":{"__name__":"up","job":"a"},"value":[1,"1"]},
                 {"metric":{"__name__":"up","gpu":"10"},"value":[1,"0.25"]}]}})",
               "__name__  gpu  job  value\n"
               "up             a        1\n"
               "up        10         0.25\n"},
           Row{R"({"status":"success","data":{"resultType":"matrix","result":[
                 {"metric":{"job":"a"},"values":[[1,"1"],[2.5,"2"]]}]}})",
               "job  time  value\n"
               "a    1         1\n"
               "a    2.5       2\n"},
           Row{R"({"status":"success","data":{"resultType":"vector","result":[]}})",
               "(no result)\n"},
           Row{R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})", "2\n"},
           Row{R"({"status":"success","data":{"resultType":"string","result":[1,"x \"y"]}})",
               "x \"y\n"},
       }) {
    const absl::StatusOr<std::string> text = AnswerText(row.json);
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ(*text, row.text);
  }
}

TEST(QueryTest, ShowsErrorsInTheServersWords) {
  const absl::Status status =
      AnswerText(R"({"status":"error","errorType":"bad_data","error":"1:2: parse error"})")
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(status), "bad_data: 1:2: parse error");
}

TEST(QueryTest, SurvivesAnswersOfSomethingElse) {
  for (
      const std::string_view json :
      {"", "<html>", "{}", "[]", R"({"status":"success"})",
       R"({"status":"success","data":{"resultType":"vector","result":[1]}})",
       R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[]}]}})",
       R"({"status":"success","data":{"resultType":"scalar","result":3}})"}) {
    EXPECT_EQ(AnswerText(json).status().code(), absl::StatusCode::kDataLoss) << json;
  }
}

TEST(TableTest, CountsCharactersNotBytes) {
  EXPECT_EQ(ToText({{"unit", "n"}, {{"µs", "1"}, {"°C", "22"}}}),
            "unit   n\n"
            "µs     1\n"
            "°C    22\n");
}

}  // namespace
}  // namespace lockstep::cli
