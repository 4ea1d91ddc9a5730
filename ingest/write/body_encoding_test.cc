#include "ingest/write/body_encoding.h"
#include "base/budget/memory_budget.h"
#include "base/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace lockstep {
namespace {

std::string Snappy(std::string_view text) {
  std::string out;
  snappy::Compress(text.data(), text.size(), &out);
  return out;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

// With the zlib header for `window_bits`.
std::string Deflated(int window_bits, std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Gzip(std::string_view text) { return Deflated(16 + MAX_WBITS, text); }

std::string Compress(BodyEncoding encoding, std::string_view text) {
  switch (encoding) {
    case BodyEncoding::kIdentity:
      return std::string(text);
    case BodyEncoding::kSnappy:
      return Snappy(text);
    case BodyEncoding::kGzip:
      return Gzip(text);
    case BodyEncoding::kDeflate:
      return Deflated(MAX_WBITS, text);
    case BodyEncoding::kZstd:
      return Zstd(text);
  }
  return {};
}

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

class EveryEncoding : public testing::TestWithParam<BodyEncoding> {};

TEST_P(EveryEncoding, RoundTrips) {
  for (const std::string& text :
       {std::string(), std::string("x"), Repeated("labels and values ", 20'000)}) {
    std::string scratch = "old content";
    const std::string body = Compress(GetParam(), text);
    const auto decoded = DecodeBody(GetParam(), body, text.size() + 1, scratch);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, text);
  }
}

TEST_P(EveryEncoding, StopsAtTheLimit) {
  const std::string text = Repeated("a", 300'000);
  const std::string body = Compress(GetParam(), text);
  std::string scratch;
  EXPECT_TRUE(DecodeBody(GetParam(), body, text.size(), scratch).ok());
  const auto decoded = DecodeBody(GetParam(), body, text.size() - 1, scratch);
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kOutOfRange) << decoded.status();
  EXPECT_LE(scratch.size(), text.size());
}

TEST_P(EveryEncoding, RefusesEveryTruncation) {
  if (GetParam() == BodyEncoding::kIdentity) return;
  const std::string body = Compress(GetParam(), Repeated("some text to cut", 10));
  for (size_t length = 0; length < body.size(); ++length) {
    std::string scratch;
    const auto decoded = DecodeBody(GetParam(), body.substr(0, length), 1 << 20, scratch);
    EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument) << length;
  }
}

TEST_P(EveryEncoding, SurvivesFlippedBits) {
  const std::string body = Compress(GetParam(), Repeated("some text to damage", 10));
  for (size_t bit = 0; bit < body.size() * 8; ++bit) {
    std::string damaged = body;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    std::string scratch;
    const auto decoded = DecodeBody(GetParam(), damaged, 1 << 16, scratch);
    EXPECT_LE(decoded.ok() ? decoded->size() : 0, size_t{1} << 16);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryEncoding,
                         testing::Values(BodyEncoding::kIdentity, BodyEncoding::kSnappy,
                                         BodyEncoding::kGzip, BodyEncoding::kDeflate,
                                         BodyEncoding::kZstd));

TEST(DecodeBodyTest, BelievesNoSnappyLengthThatTheBodyCannotHave) {
  // Declares 16 MiB; the body has two bytes.
  const std::string body("\x80\x80\x80\x08\x00\x61", 6);
  std::string scratch;
  const auto decoded = DecodeBody(BodyEncoding::kSnappy, body, 32 << 20, scratch);
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(scratch.capacity(), size_t{1} << 20);
}

TEST(DecodeBodyTest, ReadsGzipMembersOneAfterTheOther) {
  std::string scratch;
  const auto decoded =
      DecodeBody(BodyEncoding::kGzip, Gzip("one ") + Gzip("two"), 1 << 20, scratch);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, "one two");
}

// A gzip body ends with its length, which is ignored if implausible. The last member's length says
// nothing about earlier ones.
TEST(DecodeBodyTest, FindsRoomWhateverTheLengthAtTheEnd) {
  const std::string long_text = Repeated("labels and values ", 50'000);
  std::string scratch;
  const auto decoded =
      DecodeBody(BodyEncoding::kGzip, Gzip(long_text) + Gzip("two"), 1 << 20, scratch);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, long_text + "two");
  std::string lying = Gzip("one");
  lying.replace(lying.size() - 4, 4, "\xff\xff\xff\x7f");
  std::string other;
  EXPECT_FALSE(DecodeBody(BodyEncoding::kGzip, lying, 1 << 30, other).ok());
  EXPECT_LT(other.capacity(), size_t{1} << 17);
}

TEST(DecodeBodyTest, RefusesWhatFollowsTheLastMember) {
  for (const std::string& rubbish : {std::string(1, '\0'), std::string("x"),
                                     std::string("\x1f\x8b"), Gzip("two").substr(0, 15)}) {
    std::string scratch;
    EXPECT_EQ(
        DecodeBody(BodyEncoding::kGzip, Gzip("one") + rubbish, 1 << 20, scratch).status().code(),
        absl::StatusCode::kInvalidArgument)
        << testing::PrintToString(rubbish);
  }
}

TEST(DecodeBodyTest, DeflateIsNotGzip) {
  std::string scratch;
  EXPECT_FALSE(DecodeBody(BodyEncoding::kDeflate, Gzip("one"), 1 << 20, scratch).ok());
  EXPECT_EQ(Message(DecodeBody(BodyEncoding::kDeflate, "plain", 1 << 20, scratch).status()),
            "the body is not valid deflate (zlib)");
}

TEST(ParseBodyEncodingTest, KnowsTheEncodingsInAnyCase) {
  EXPECT_EQ(ParseBodyEncoding("snappy"), BodyEncoding::kSnappy);
  EXPECT_EQ(ParseBodyEncoding("Snappy"), BodyEncoding::kSnappy);
  EXPECT_EQ(ParseBodyEncoding("GZIP"), BodyEncoding::kGzip);
  EXPECT_EQ(ParseBodyEncoding("deflate"), BodyEncoding::kDeflate);
  EXPECT_EQ(ParseBodyEncoding("zstd"), BodyEncoding::kZstd);
  EXPECT_EQ(ParseBodyEncoding("identity"), BodyEncoding::kIdentity);
  EXPECT_EQ(ParseBodyEncoding("br"), std::nullopt);
  EXPECT_EQ(ParseBodyEncoding("snappy, gzip"), std::nullopt);
}

TEST(GuessBodyEncodingTest, TellsSnappyFromPlainProtobuf) {
  // A WriteRequest starts with the tag 0x0a, which as a snappy length means ten bytes.
  const std::string plain("\x0a\x08\x0a\x06\x0a\x01\x61\x12\x01\x62", 10);
  EXPECT_EQ(GuessBodyEncoding(plain), BodyEncoding::kIdentity);
  EXPECT_EQ(GuessBodyEncoding(Snappy(plain)), BodyEncoding::kSnappy);
  EXPECT_EQ(GuessBodyEncoding(""), BodyEncoding::kIdentity);
}

TEST(DecodeBodyTest, ErrorsNameTheEncodingAndTheLimit) {
  std::string scratch;
  const auto error = [&scratch](BodyEncoding encoding, const std::string& body, size_t limit) {
    return std::string(Message(DecodeBody(encoding, body, limit, scratch).status()));
  };
  EXPECT_EQ(error(BodyEncoding::kSnappy, "\xff", 10), "the body is not valid snappy");
  EXPECT_EQ(error(BodyEncoding::kGzip, "x", 10), "the body is not valid gzip");
  EXPECT_EQ(error(BodyEncoding::kZstd, "x", 10), "the body is not valid zstd");
  for (const BodyEncoding encoding :
       {BodyEncoding::kIdentity, BodyEncoding::kSnappy, BodyEncoding::kGzip, BodyEncoding::kDeflate,
        BodyEncoding::kZstd}) {
    EXPECT_EQ(error(encoding, Compress(encoding, "12345678901"), 10),
              "the decompressed body is larger than the limit of 10 bytes");
  }
}

std::string ZstdWithWindow(int window_log, const std::string& text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // Without the size told first, the frame states its window.
  ZSTD_inBuffer from{text.data(), text.size(), 0};
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_continue);
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

TEST(DecodeBodyTest, TakesWindowsUpToThirtyTwoMebibytes) {
  std::string scratch;
  EXPECT_TRUE(DecodeBody(BodyEncoding::kZstd, ZstdWithWindow(25, "text"), 100, scratch).ok());
  EXPECT_EQ(scratch, "text");
  EXPECT_FALSE(DecodeBody(BodyEncoding::kZstd, ZstdWithWindow(26, "text"), 100, scratch).ok());
}

TEST(DecodeBodyTest, ReadsZstdFramesOneAfterTheOther) {
  std::string scratch;
  EXPECT_TRUE(DecodeBody(BodyEncoding::kZstd, Zstd("one ") + Zstd("two"), 100, scratch).ok());
  EXPECT_EQ(scratch, "one two");
  EXPECT_FALSE(DecodeBody(BodyEncoding::kZstd, Zstd("one ") + "x", 100, scratch).ok());
}

TEST(DecodeBodyTest, TheBufferIsCharged) {
  const std::string text = Repeated("labels and values ", 50'000);
  for (const BodyEncoding encoding :
       {BodyEncoding::kSnappy, BodyEncoding::kGzip, BodyEncoding::kDeflate, BodyEncoding::kZstd}) {
    std::string scratch;
    MemoryCharge memory(MemoryAccount::kDecoding);
    ASSERT_TRUE(DecodeBody(encoding, Compress(encoding, text), 1 << 20, scratch, &memory).ok());
    EXPECT_GE(memory.bytes(), text.size());
    MemoryBudget little(64 << 10);
    MemoryCharge too_little(MemoryAccount::kDecoding, little);
    const auto refused =
        DecodeBody(encoding, Compress(encoding, text), 1 << 20, scratch, &too_little);
    EXPECT_FALSE(refused.ok());
    EXPECT_FALSE(absl::IsInvalidArgument(refused.status())) << refused.status();
  }
}

TEST(ParseBodyEncodingTest, OnlyWholeNames) {
  EXPECT_EQ(ParseBodyEncoding("x-gzip"), BodyEncoding::kGzip);
  EXPECT_EQ(ParseBodyEncoding("ZSTD"), BodyEncoding::kZstd);
  for (const std::string_view name : {"", "gzi", "gzipp", "sn@ppy", "zst[", "gzip "}) {
    EXPECT_EQ(ParseBodyEncoding(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace lockstep
