#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

std::string LogLine(LogFormat format) {
  ConfigureLog(LogLevel::kInfo, format);
  testing::internal::CaptureStderr();
  Log(LogLevel::kDebug, "not shown");
  Log(LogLevel::kWarn, "bad \"series\"", {{"count", 3}, {"reason", "two words"}, {"job", "a=b"}});
  return testing::internal::GetCapturedStderr();
}

TEST(Log, LogfmtQuotesWhatNeedsIt) {
  EXPECT_THAT(LogLine(LogFormat::kLogfmt),
              testing::MatchesRegex("ts=[-0-9T:.]+Z level=warn msg=\"bad ..series..\" count=3 "
                                    "reason=\"two words\" job=\"a=b\"\n"));
}

TEST(Log, JsonIsOneObjectPerLine) {
  EXPECT_THAT(LogLine(LogFormat::kJson),
              testing::HasSubstr(R"("msg":"bad \"series\"","count":"3","reason":"two words")"));
}

TEST(Log, EachLevelHasItsNameAndALowestOne) {
  const std::pair<LogLevel, std::string> levels[] = {{LogLevel::kDebug, "debug"},
                                                     {LogLevel::kInfo, "info"},
                                                     {LogLevel::kWarn, "warn"},
                                                     {LogLevel::kError, "error"}};
  std::string shown = "debug info warn error ";
  for (const auto& [lowest, lowest_name] : levels) {
    ConfigureLog(lowest, LogFormat::kLogfmt);
    testing::internal::CaptureStderr();
    for (const auto& [level, name] : levels) Log(level, "x");
    const std::string lines = testing::internal::GetCapturedStderr();
    std::string names;
    for (size_t at = lines.find("level="); at != lines.npos; at = lines.find("level=", at + 1)) {
      names += lines.substr(at + 6, lines.find(' ', at) - at - 6) + " ";
    }
    EXPECT_EQ(names, shown);
    shown.erase(0, lowest_name.size() + 1);
  }
  ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt);
}

std::string FieldAs(LogFormat format, std::string_view value) {
  ConfigureLog(LogLevel::kInfo, format);
  testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "M", {{"k", value}});
  const std::string line = testing::internal::GetCapturedStderr();
  ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt);
  return line.substr(line.find('M') + 1);
}

TEST(Log, AValueNeverBreaksTheLine) {
  using namespace std::string_view_literals;
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, "a!b"), " k=a!b\n");
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, ""), " k=\"\"\n");
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, "a b"), " k=\"a b\"\n");
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, "a\\b"), " k=\"a\\\\b\"\n");
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, "a\"b"), " k=\"a\\\"b\"\n");
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, "a\nb"), " k=\"a\\nb\"\n");
  EXPECT_EQ(FieldAs(LogFormat::kLogfmt, "a\x1f\0b"sv), " k=\"a\\u001f\\u0000b\"\n");
  EXPECT_EQ(FieldAs(LogFormat::kJson, "a\nb\t"), "\",\"k\":\"a\\nb\\u0009\"}\n");
  EXPECT_EQ(FieldAs(LogFormat::kJson, ""), "\",\"k\":\"\"}\n");
}

TEST(Log, JsonBeginsAndEndsWithABrace) {
  EXPECT_THAT(
      LogLine(LogFormat::kJson),
      testing::MatchesRegex(R"(\{"ts":"[-0-9T:.]+Z","level":"warn","msg":.*"job":"a=b"\}.)"));
  ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt);
}

}  // namespace
}  // namespace lockstep
