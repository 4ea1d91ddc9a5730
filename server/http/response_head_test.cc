#include "server/http/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::server {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// Without the line of the date, after a check of its form (RFC 9110, 5.6.7).
std::string HeadOf(const api::Response& response, bool keep_alive, BodyFraming framing) {
  std::string head = ResponseHead(response, keep_alive, framing);
  const size_t begin = head.find("Date: ");
  const size_t end = head.find("\r\n", begin) + 2;
  EXPECT_THAT(head.substr(begin, end - begin),
              MatchesRegex("Date: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] [0-9]+ "
                           "[0-9][0-9]:[0-9][0-9]:[0-9][0-9] GMT\r\n"));
  return head.erase(begin, end - begin);
}

TEST(ResponseHeadTest, SaysHowTheBodyEnds) {
  api::Response response;
  response.content_type = "text/x";
  response.body = "12345";
  EXPECT_EQ(HeadOf(response, true, BodyFraming::kLength),
            "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Type: text/x\r\n"
            "Content-Length: 5\r\n\r\n");
  EXPECT_EQ(HeadOf(response, true, BodyFraming::kChunked),
            "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Type: text/x\r\n"
            "Transfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(HeadOf(response, false, BodyFraming::kUntilClose),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/x\r\n\r\n");
}

TEST(ResponseHeadTest, HeadersFollow) {
  api::Response response;
  response.status = 503;
  response.content_type = "";
  response.headers = {{"Retry-After", "5"}, {"Vary", "Origin"}};
  EXPECT_EQ(HeadOf(response, false, BodyFraming::kLength),
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n"
            "Retry-After: 5\r\nVary: Origin\r\n\r\n");
}

// RFC 9110, 8.6: a server must not send Content-Length with such a status.
TEST(ResponseHeadTest, SomeStatusesHaveNoBody) {
  for (const int status : {199, 204, 304}) {
    api::Response response;
    response.status = status;
    EXPECT_THAT(HeadOf(response, true, BodyFraming::kLength), Not(HasSubstr("Content-"))) << status;
  }
  for (const int status : {200, 203, 205, 303, 305}) {
    api::Response response;
    response.status = status;
    EXPECT_THAT(HeadOf(response, true, BodyFraming::kLength), HasSubstr("Content-Length: 0\r\n"))
        << status;
  }
}

TEST(ResponseHeadTest, ChunksBeginWithTheirHexadecimalSize) {
  EXPECT_EQ(ChunkHead(1), "1\r\n");
  EXPECT_EQ(ChunkHead(255), "ff\r\n");
  EXPECT_EQ(ChunkHead(4096), "1000\r\n");
}

TEST(ResponseHeadTest, StatusesHaveTheirRegisteredPhrases) {
  // The first and last of each class, and those that RFC 9110 renamed.
  const std::pair<int, std::string_view> rows[] = {{202, "Accepted"},
                                                   {301, "Moved Permanently"},
                                                   {302, "Found"},
                                                   {307, "Temporary Redirect"},
                                                   {308, "Permanent Redirect"},
                                                   {400, "Bad Request"},
                                                   {401, "Unauthorized"},
                                                   {403, "Forbidden"},
                                                   {404, "Not Found"},
                                                   {405, "Method Not Allowed"},
                                                   {406, "Not Acceptable"},
                                                   {408, "Request Timeout"},
                                                   {409, "Conflict"},
                                                   {411, "Length Required"},
                                                   {413, "Content Too Large"},
                                                   {415, "Unsupported Media Type"},
                                                   {422, "Unprocessable Content"},
                                                   {429, "Too Many Requests"},
                                                   {431, "Request Header Fields Too Large"},
                                                   {499, "Client Closed Request"},
                                                   {500, "Internal Server Error"},
                                                   {501, "Not Implemented"},
                                                   {504, "Gateway Timeout"},
                                                   {505, "HTTP Version Not Supported"},
                                                   {204, "No Content"},
                                                   {304, "Not Modified"},
                                                   {299, "Unknown"}};
  for (const auto& [status, phrase] : rows) EXPECT_EQ(ReasonPhrase(status), phrase) << status;
}

}  // namespace
}  // namespace lockstep::server
