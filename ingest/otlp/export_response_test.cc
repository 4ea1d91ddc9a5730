#include "ingest/otlp/export_response.h"

#include <gtest/gtest.h>

namespace lockstep::otlp {
namespace {

using std::string_literals::operator""s;

TEST(ExportResponse, IsEmptyWhenAllWasTaken) {
  EXPECT_EQ(ExportResponse(Encoding::kProtobuf, 0, ""), "");
  EXPECT_EQ(ExportResponse(Encoding::kJson, 0, ""), "{}");
}

// Written by hand from the message definitions.
TEST(ExportResponse, TellsWhatWasRejected) {
  EXPECT_EQ(ExportResponse(Encoding::kProtobuf, 300, "no"), "\x0a\x07\x08\xac\x02\x12\x02no"s);
  EXPECT_EQ(ExportResponse(Encoding::kJson, 300, "say \"no\"\n"),
            R"({"partialSuccess":{"rejectedDataPoints":"300","errorMessage":"say \"no\"\u000a"}})");
}

TEST(ExportResponse, ErrorsAreAStatus) {
  EXPECT_EQ(StatusResponse(Encoding::kProtobuf, 3, "bad"), "\x08\x03\x12\x03"s + "bad");
  EXPECT_EQ(StatusResponse(Encoding::kJson, 14, "full"), R"({"code":14,"message":"full"})");
}

TEST(ExportResponse, AStatusSaysWhenToComeAgain) {
  const std::string status = StatusWithRetryInfo(14, "full", 5);
  // Any { type_url, RetryInfo { Duration { 5 } } }
  EXPECT_EQ(status, "\x08\x0e\x12\x04"s + "full" + "\x1a\x30\x0a\x28" +
                        "type.googleapis.com/google.rpc.RetryInfo" + "\x12\x04\x0a\x02\x08\x05"s);
  EXPECT_EQ(MessageOfStatus(status), "full");
  EXPECT_EQ(MessageOfStatus("junk"), "");
}

}  // namespace
}  // namespace lockstep::otlp
