#include "server/http/request_parser.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::server {
namespace {

// Feeds `bytes` to the parser in pieces of `piece` bytes, and returns "METHOD TARGET
// header=value... [body] rest" for the first request, or "need more", or the status.
std::string Parse(std::string_view bytes, size_t piece = SIZE_MAX) {
  BodyBudget budget(1000);
  RequestParser parser(200, 100, budget);
  size_t available = 0;
  std::string_view unread = bytes.substr(0, 0);
  while (true) {
    switch (parser.Parse(unread)) {
      case RequestParser::Step::kNeedMore: {
        if (available == bytes.size()) return "need more";
        const size_t more = std::min(piece, bytes.size() - available);
        unread = bytes.substr(available - unread.size(), unread.size() + more);
        available += more;
        break;
      }
      case RequestParser::Step::kHead:
        break;
      case RequestParser::Step::kFailed:
        return std::to_string(parser.refusal().status);
      case RequestParser::Step::kDone: {
        const api::Request request = parser.TakeRequest();
        std::string text = absl::StrFormat("%s %s", request.method, request.target);
        for (const api::Header& header : request.headers) {
          absl::StrAppendFormat(&text, " %s=%s", header.name, header.value);
        }
        const size_t rest = unread.size() + bytes.size() - available;
        return absl::StrFormat("%s [%s] %d left", text, request.body, rest);
      }
    }
  }
}

struct Row {
  std::string_view bytes;
  std::string_view expected;
};

constexpr Row kRows[] = {
    {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / Host=x [] 0 left"},
    {"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", "GET / Host=x [] 3 left"},
    {"POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nabc",
     "POST /a?b Host=x Content-Length=2 [ab] 1 left"},
    {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
     "chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\nG",
     "POST / Host=x Transfer-Encoding=chunked [abc] 1 left"},
    {"GET / HTTP/1.0\r\n\r\n", "GET / [] 0 left"},
    {"GET http://x:1/a?b HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a?b Host=x [] 0 left"},
    {"GET https://x HTTP/1.1\r\nHost: x\r\n\r\n", "GET / Host=x [] 0 left"},
    {"WHATEVER / HTTP/1.1\r\nHost: x\r\n\r\n", "WHATEVER / Host=x [] 0 left"},
    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n", "413"},
    {"GET / HTTP/1.1\r\nHost: x\r\nLong: "
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "a"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n\r\n",
     "431"},
    {"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "400"},
    {"\r\n\r\n", "400"},
};

TEST(RequestParserTest, ReadsRequestsInPiecesOfAnySize) {
  for (const Row& row : kRows) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{64}, SIZE_MAX}) {
      EXPECT_EQ(Parse(row.bytes, piece), row.expected) << row.bytes;
    }
  }
}

// The header of a POST with these header lines, followed by a chunked body.
std::string WithCodings(std::string_view lines, std::string_view version = "1.1") {
  return absl::StrFormat("POST / HTTP/%s\r\nHost: x\r\n%s\r\n1\r\na\r\n0\r\n\r\n", version, lines);
}

TEST(RequestParserTest, KnowsNoTransferCodingButChunked) {
  const struct {
    std::string_view lines;
    std::string_view expected;
  } rows[] = {
      {"Transfer-Encoding: chunked\r\n", "POST / Host=x Transfer-Encoding=chunked [a] 0 left"},
      {"TRANSFER-ENCODING:\t Chunked \t\r\n", "POST / Host=x TRANSFER-ENCODING=Chunked [a] 0 left"},
      {"Transfer-Encoding: , chunked ,\r\n",
       "POST / Host=x Transfer-Encoding=, chunked , [a] 0 left"},
      {"Transfer-Encoding:\r\n chunked\r\n", "POST / Host=x Transfer-Encoding=chunked [a] 0 left"},

      // The end of the body is known, but it cannot be decoded.
      {"Transfer-Encoding: gzip, chunked\r\n", "501"},
      {"Transfer-Encoding: gzip;q=1,CHUNKED\r\n", "501"},
      {"Transfer-Encoding: identity, chunked\r\n", "501"},
      {"Transfer-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n", "501"},
      {"Transfer-Encoding: xchunked, chunked\r\n", "501"},

      // The end of the body is unknown.
      {"Transfer-Encoding: gzip\r\n", "400"},
      {"Transfer-Encoding: identity\r\n", "400"},
      {"Transfer-Encoding: chunked, gzip\r\n", "400"},
      {"Transfer-Encoding: chunked, identity\r\n", "400"},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n", "400"},
      {"Transfer-Encoding: chunked, chunked\r\n", "400"},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "400"},
      {"Transfer-Encoding: gzip, chunked, chunked\r\n", "400"},
      {"Transfer-Encoding: chunked;q=1\r\n", "400"},
      {"Transfer-Encoding: \"chunked\"\r\n", "400"},
      {"Transfer-Encoding: chun ked\r\n", "400"},
      {"Transfer-Encoding: gzip chunked\r\n", "400"},
      {"Transfer-Encoding: \x0b"
       "chunked\r\n",
       "400"},
      {"Transfer-Encoding: xchunked\r\n", "400"},
      {"Transfer-Encoding:\r\n", "400"},
      {"Transfer-Encoding: ,\r\n", "400"},
      {"Transfer-Encoding : chunked\r\n", "400"},

      // Conflicting lengths.
      {"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "400"},
      {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "400"},
      {"Content-Length: 3\r\nTransfer-Encoding: gzip\r\n", "400"},
      {"Content-Length: 3\r\nTransfer-Encoding: gzip, chunked\r\n", "400"},
      {"Transfer-Encoding: gzip\r\nContent-Length: 3\r\n", "400"},
      {"Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "400"},
      {"Content-Length: 1\r\nContent-Length: 2\r\n", "400"},
  };
  for (const auto& row : rows) {
    for (const size_t piece : {size_t{1}, size_t{7}, SIZE_MAX}) {
      EXPECT_EQ(Parse(WithCodings(row.lines), piece), row.expected) << row.lines;
    }
  }
}

TEST(RequestParserTest, TakesNoTransferCodingOfHttp10) {
  for (const std::string_view codings : {"chunked", "gzip, chunked", "gzip", "identity", ""}) {
    const std::string line = absl::StrFormat("Transfer-Encoding: %s\r\n", codings);
    EXPECT_EQ(Parse(WithCodings(line, "1.0")), "400") << codings;
  }
}

TEST(RequestParserTest, WaitsForTheRestOfEveryBeginning) {
  const std::string_view whole = kRows[3].bytes;
  for (size_t size = 0; size < whole.size() - 1; ++size) {
    EXPECT_EQ(Parse(whole.substr(0, size)), "need more") << size;
  }
}

TEST(RequestParserTest, GivesBackTheBudget) {
  BodyBudget budget(10);
  {
    RequestParser parser(200, 100, budget);
    std::string_view bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n12345678";
    EXPECT_EQ(parser.Parse(bytes), RequestParser::Step::kHead);
    EXPECT_EQ(budget.held_bytes(), 0u);
    EXPECT_EQ(parser.Parse(bytes), RequestParser::Step::kDone);
    EXPECT_EQ(budget.held_bytes(), 8u);

    RequestParser second(200, 100, budget);
    bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n123";
    EXPECT_EQ(second.Parse(bytes), RequestParser::Step::kHead);
    EXPECT_EQ(second.Parse(bytes), RequestParser::Step::kFailed);
    EXPECT_EQ(second.refusal().status, 503);

    const BodyBudget::Lease lease = parser.TakeLease();
    EXPECT_EQ(budget.held_bytes(), 8u);
  }
  EXPECT_EQ(budget.held_bytes(), 0u);
}

// The limit of the head, 200 bytes, holds for every line between chunks.
TEST(RequestParserTest, LimitsTheLinesBetweenChunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto line = [&](std::string_view begin, size_t size) {
    return head + std::string(begin) + std::string(size - begin.size(), 'e');
  };
  for (const size_t piece : {size_t{1}, size_t{64}, SIZE_MAX}) {
    EXPECT_EQ(Parse(line("1;", 200), piece), "need more") << piece;
    EXPECT_EQ(Parse(line("1;", 201), piece), "400") << piece;
    EXPECT_EQ(Parse(line("1\r\na\r\n2;", 150), piece), "need more") << piece;
    EXPECT_EQ(Parse(line("1\r\na\r\n2;", 250), piece), "400") << piece;
    EXPECT_EQ(Parse(line("1\r\na\r\n0\r\nTrailer: ", 150), piece), "need more") << piece;
    EXPECT_EQ(Parse(line("1\r\na\r\n0\r\nTrailer: ", 250), piece), "400") << piece;
  }
}

}  // namespace
}  // namespace lockstep::server
