#include "server/otlp_grpc/grpc_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ingest/otlp/export_response.h"

namespace lockstep::server {
namespace {

api::Response ResponseOf(int status, std::string body = "why") {
  api::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

// The codes that OTLP's specification wants for each HTTP status.
TEST(GrpcStatusTest, EachHttpStatusHasACode) {
  const std::pair<int, GrpcCode> rows[] = {{200, GrpcCode::kOk},
                                           {400, GrpcCode::kInvalidArgument},
                                           {415, GrpcCode::kInvalidArgument},
                                           {403, GrpcCode::kPermissionDenied},
                                           {413, GrpcCode::kResourceExhausted},
                                           {429, GrpcCode::kResourceExhausted},
                                           {503, GrpcCode::kUnavailable},
                                           {500, GrpcCode::kInternal},
                                           {404, GrpcCode::kInternal}};
  for (const auto& [http_status, code] : rows) {
    const GrpcStatus status = StatusOf(ResponseOf(http_status));
    EXPECT_EQ(status.code, code) << http_status;
    EXPECT_EQ(status.message, http_status == 200 ? "" : "why") << http_status;
    EXPECT_EQ(status.details, "") << http_status;
  }
}

TEST(GrpcStatusTest, TheMessageOfAStatusIsUnpacked) {
  api::Response response =
      ResponseOf(400, otlp::StatusResponse(otlp::Encoding::kProtobuf, 3, "2 samples are too old"));
  response.content_type = "application/x-protobuf";
  EXPECT_EQ(StatusOf(response).message, "2 samples are too old");
}

TEST(GrpcStatusTest, OnlyWhatMayPassIsTriedAgain) {
  api::Response response = ResponseOf(503);
  response.headers = {{"X-Other", "9"}, {"Retry-After", "7"}};
  const GrpcStatus later = StatusOf(response);
  EXPECT_EQ(later.code, GrpcCode::kUnavailable);
  EXPECT_EQ(later.message, "why");
  EXPECT_EQ(later.details, otlp::StatusWithRetryInfo(14, "why", 7));
  response.headers = {{"X-Other", "9"}};
  EXPECT_EQ(StatusOf(response).details, "");
  const GrpcStatus busy = Busy("full");
  EXPECT_EQ(busy.code, GrpcCode::kUnavailable);
  EXPECT_EQ(busy.details, otlp::StatusWithRetryInfo(14, "full", 5));
}

std::string TrailersAsText(const GrpcStatus& status) {
  std::string text;
  for (const api::Header& trailer : TrailersOf(status)) {
    text += trailer.name + ": " + trailer.value + "\n";
  }
  return text;
}

TEST(GrpcStatusTest, TrailersHaveWhatIsThere) {
  EXPECT_EQ(TrailersAsText({}), "grpc-status: 0\n");
  EXPECT_EQ(TrailersAsText({GrpcCode::kUnauthenticated, "no"}),
            "grpc-status: 16\ngrpc-message: no\n");
  EXPECT_EQ(TrailersAsText({GrpcCode::kUnavailable, "full", "\x01\x02\x03"}),
            "grpc-status: 14\ngrpc-message: full\ngrpc-status-details-bin: AQID\n");
}

// gRPC over HTTP2, "Status-Message": percent-encoded UTF-8.
TEST(GrpcStatusTest, MessagesArePercentEncoded) {
  EXPECT_EQ(TrailersAsText({GrpcCode::kInternal, " ~5%\n\x7f\xc3\xa9"}),
            "grpc-status: 13\ngrpc-message:  ~5%25%0A%7F%C3%A9\n");
}

TEST(GrpcStatusTest, LongMessagesAreCut) {
  const std::string longest(2048, 'a');
  EXPECT_EQ(TrailersAsText({GrpcCode::kInternal, longest, "d"}),
            "grpc-status: 13\ngrpc-message: " + longest + "\ngrpc-status-details-bin: ZA==\n");
  EXPECT_EQ(TrailersAsText({GrpcCode::kInternal, longest + "b", "d"}),
            "grpc-status: 13\ngrpc-message: " + longest + "\n");
}

TEST(GrpcStatusTest, CodesHaveTheirNames) {
  EXPECT_EQ(NameOf(GrpcCode::kOk), "OK");
  EXPECT_EQ(NameOf(GrpcCode::kInvalidArgument), "INVALID_ARGUMENT");
  EXPECT_EQ(NameOf(GrpcCode::kResourceExhausted), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(NameOf(GrpcCode::kUnauthenticated), "UNAUTHENTICATED");
}

}  // namespace
}  // namespace lockstep::server
