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

}  // namespace
}  // namespace lockstep
