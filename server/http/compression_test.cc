#include "server/http/compression.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace lockstep::server {
namespace {

TEST(CompressionTest, ChoosesWhatTheClientTakes) {
  struct Row {
    std::string_view accepts;
    ContentCoding coding;
  };
  for (const Row& row : {
           Row{"", ContentCoding::kIdentity},
           Row{"gzip", ContentCoding::kGzip},
           Row{"GZip", ContentCoding::kGzip},
           Row{"x-gzip", ContentCoding::kGzip},
           Row{"deflate", ContentCoding::kDeflate},
           Row{"gzip, deflate, br, zstd", ContentCoding::kGzip},
           Row{"deflate, gzip;q=0.5", ContentCoding::kDeflate},
           Row{"gzip;q=0", ContentCoding::kIdentity},
           Row{"gzip; q=0.0, deflate", ContentCoding::kDeflate},
           Row{"*", ContentCoding::kGzip},
           Row{"*;q=0", ContentCoding::kIdentity},
           Row{"gzip;q=0, *", ContentCoding::kDeflate},
           Row{"br", ContentCoding::kIdentity},
           Row{"identity", ContentCoding::kIdentity},
           Row{" , ,gzip", ContentCoding::kGzip},
           Row{"gzip;q=nonsense", ContentCoding::kIdentity},
       }) {
    EXPECT_EQ(ChooseCoding(row.accepts), row.coding) << row.accepts;
  }
}

std::string Inflate(const std::string& bytes, int window_bits, size_t size) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, window_bits), Z_OK);
  std::string out(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(CompressionTest, ComesBackWhole) {
  std::string noise;
  for (uint32_t i = 0, x = 1; i < 100'000; ++i)
    noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(1 << 20, 'x'), noise}) {
    EXPECT_EQ(Inflate(Compress(text, ContentCoding::kGzip), 15 + 16, text.size()), text);
    EXPECT_EQ(Inflate(Compress(text, ContentCoding::kDeflate), 15, text.size()), text);
  }
}

TEST(CompressionTest, PartsAreOneStream) {
  std::string text;
  std::string compressed;
  Compressor compressor(ContentCoding::kGzip);
  for (uint32_t i = 0; i < 1000; ++i) {
    const std::string part(i * 37 % 5000, static_cast<char>('a' + i % 26));
    compressor.Add(part, false, compressed);
    text += part;
  }
  compressor.Add("", true, compressed);
  EXPECT_EQ(Inflate(compressed, 15 + 16, text.size()), text);
}

}  // namespace
}  // namespace lockstep::server
