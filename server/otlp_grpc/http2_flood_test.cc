// Clients that send HTTP/2 frames that no client has reason to send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <future>
#include <string>

#include "server/otlp_grpc/grpc_test_client.h"
#include "server/otlp_grpc/otlp_grpc_server.h"
#include "server/socket/raw_client.h"

namespace lockstep::server {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

class EmptyHandler : public api::Handler {
 public:
  void Handle(api::Request, api::Respond respond) override { respond({}); }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kWrite; }
};

// Source: RFC 9113, 4.1.
std::string Frame(uint8_t type, uint8_t flags, int32_t stream, std::string_view payload) {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift & 0xff);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift & 0xff);
  return frame.append(payload);
}

// A non-indexed field without Huffman coding. Source: RFC 7541, 6.2.2.
std::string Field(std::string_view name, std::string_view value) {
  const auto text = [](std::string_view letters) {
    LOCKSTEP_CHECK(letters.size() < 127);
    return static_cast<char>(letters.size()) + std::string(letters);
  };
  return '\0' + text(name) + text(value);
}

std::string Head() {
  return Field(":method", "POST") + Field(":scheme", "http") +
         Field(":path", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export") +
         Field(":authority", "x") + Field("content-type", "application/grpc");
}

std::string Begin(int32_t stream) {
  return Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, stream, Head());
}

std::string Reset(int32_t stream) {
  return Frame(NGHTTP2_RST_STREAM, 0, stream, std::string("\0\0\0\x8", 4));
}

class Http2FloodTest : public testing::Test {
 protected:
  Http2FloodTest() {
    OtlpGrpcOptions options;
    options.port = 0;
    // The bucket does not refill during a test.
    options.limits.http2.resets_per_second = 0;
    options.limits.http2.idle_frames_per_second = 0;
    server_ = *OtlpGrpcServer::Start(options, handler_);
    client_ = std::make_unique<RawClient>("http://" + server_->address());
    client_->Send(std::string(kPreface) + Frame(NGHTTP2_SETTINGS, 0, 0, ""));
  }

  // The error code of the GOAWAY that ends the connection, after everything the server sends; -1 if
  // there is none.
  int64_t ErrorAtEnd() {
    const std::string bytes = client_->ReceiveAll();
    size_t at = 0;
    while (at + 9 <= bytes.size()) {
      const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[at + i]); };
      const size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
      if (byte(3) == NGHTTP2_GOAWAY)
        return byte(9 + 4) << 24 | byte(9 + 5) << 16 | byte(9 + 6) << 8 | byte(9 + 7);
      at += 9 + size;
    }
    return -1;
  }

  // Checks that others are still served, and that the server recorded why it closed the connection.
  void ExpectBroken() {
    GrpcTestClient polite(server_->address());
    GrpcRequest request;
    request.data = GrpcData("");
    EXPECT_EQ(polite.Call(request).status(), 0);
    EXPECT_EQ(server_->stats().broken_connections, 1u);
  }

  // Sends the frames of one step after another until the server closes the connection; returns the
  // number of steps.
  template <typename Step>
  int Flood(int max_steps, Step step) {
    for (int i = 0; i < max_steps; ++i) {
      if (!client_->Send(step(i))) return i;
    }
    return max_steps;
  }

  EmptyHandler handler_;
  std::unique_ptr<OtlpGrpcServer> server_;
  std::unique_ptr<RawClient> client_;
};

TEST_F(Http2FloodTest, StreamsThatAreResetAtOnce) {
  std::string frames;
  for (int32_t stream = 1; stream < 2 * 201 + 1; stream += 2)
    frames += Begin(stream) + Reset(stream);
  client_->Send(frames);
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, AFewResetsAreNoFlood) {
  std::string frames;
  for (int32_t stream = 1; stream < 2 * 200 + 1; stream += 2)
    frames += Begin(stream) + Reset(stream);
  client_->Send(frames + Frame(NGHTTP2_GOAWAY, 0, 0, std::string(8, '\0')));
  EXPECT_EQ(ErrorAtEnd(), -1);
  EXPECT_EQ(server_->stats().broken_connections, 0u);
}

TEST_F(Http2FloodTest, StreamsThatTheServerIsMadeToReset) {
  std::string frames;
  // A window beyond its maximum size is a stream error.
  for (int32_t stream = 1; stream < 2 * 201 + 1; stream += 2) {
    frames += Begin(stream) + Frame(NGHTTP2_WINDOW_UPDATE, 0, stream, "\x7f\xff\xff\xff");
  }
  client_->Send(frames + Frame(NGHTTP2_PING, 0, 0, std::string(8, '\0')));
  client_->Send(Frame(NGHTTP2_PING, 0, 0, std::string(8, '\0')));
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, PingsWithoutEnd) {
  Flood(100'000, [](int) { return Frame(NGHTTP2_PING, 0, 0, std::string(8, '\0')); });
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, SettingsWithoutEnd) {
  std::string frames;
  for (int i = 0; i < 1001; ++i) frames += Frame(NGHTTP2_SETTINGS, 0, 0, "");
  client_->Send(frames);
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, EmptyData) {
  std::string frames = Begin(1);
  for (int i = 0; i < 1001; ++i) frames += Frame(NGHTTP2_DATA, 0, 1, "");
  client_->Send(frames);
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, AHeadThatDoesNotEnd) {
  std::string block;
  for (int i = 0; i < 100; ++i) block += Field("a" + std::to_string(i), std::string(100, 'x'));
  client_->Send(Frame(NGHTTP2_HEADERS, 0, 1, Head()));
  const int sent = Flood(100'000, [&](int) { return Frame(NGHTTP2_CONTINUATION, 0, 1, block); });
  EXPECT_LT(sent, 1000);
  EXPECT_NE(ErrorAtEnd(), 0);
  ExpectBroken();
}

TEST_F(Http2FloodTest, AHeadOfManyContinuations) {
  std::string frames = Frame(NGHTTP2_HEADERS, 0, 1, Head());
  for (int i = 0; i < 5; ++i) frames += Frame(NGHTTP2_CONTINUATION, 0, 1, Field("a", "b"));
  client_->Send(frames);
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, AFieldThatGrowsWhenItIsUnpacked) {
  // One field of 4000 bytes in the table, and one byte for each repetition.
  std::string frames = Begin(1);
  std::string block = Head();
  block +=
      "\x40\x01"
      "b"
      "\x7f\xa1\x1e" +
      std::string(4000, 'x') + std::string(10'000, '\xbe');
  client_->Send(frames + Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 3, block));
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_ENHANCE_YOUR_CALM);
  ExpectBroken();
}

TEST_F(Http2FloodTest, ANumberThatDoesNotEnd) {
  client_->Send(Frame(NGHTTP2_HEADERS, 0, 1, Head() + "\x10\x7f" + std::string(1000, '\x80')));
  EXPECT_EQ(ErrorAtEnd(), NGHTTP2_COMPRESSION_ERROR);
  ExpectBroken();
}

TEST_F(Http2FloodTest, SomethingElseThanHttp2) {
  RawClient other("http://" + server_->address());
  other.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  other.ReceiveAll();
  ExpectBroken();
}

}  // namespace
}  // namespace lockstep::server
