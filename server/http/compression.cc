#include "server/http/compression.h"

#include <zlib.h>

#include <charconv>

#include "base/check.h"
#include "server/http/header_list.h"

namespace lockstep::server {
namespace {

// The fastest level: responses are mostly digits and repeated label names. Higher levels save only
// a few percent more in twice the time.
constexpr int kLevel = 1;
constexpr int kWindowBits = 15;
constexpr int kGzipFraming = 16;
constexpr int kMemoryLevel = 8;

// 0.5 for `item;q=0.5`; 1 without a q; 0 if it is not a number.
double Quality(std::string_view parameters) {
  const size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return 1;
  double quality = 0;
  std::from_chars(parameters.data() + at + 2, parameters.data() + parameters.size(), quality);
  return quality;
}

}  // namespace

std::string_view Name(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kIdentity:
      return "identity";
    case ContentCoding::kGzip:
      return "gzip";
    case ContentCoding::kDeflate:
      return "deflate";
  }
  LOCKSTEP_CHECK(false);
}

ContentCoding ChooseCoding(std::string_view accept_encoding) {
  double gzip = -1;
  double deflate = -1;
  double any = -1;
  ForEachListItem(accept_encoding, [&](std::string_view item) {
    const size_t semicolon = item.find(';');
    const std::string_view name = TrimSpace(item.substr(0, semicolon));
    const double quality =
        semicolon == std::string_view::npos ? 1 : Quality(item.substr(semicolon + 1));
    if (EqualsIgnoreCase(name, "gzip") || EqualsIgnoreCase(name, "x-gzip")) gzip = quality;
    if (EqualsIgnoreCase(name, "deflate")) deflate = quality;
    if (name == "*") any = quality;
  });
  if (gzip < 0) gzip = any;
  if (deflate < 0) deflate = any;
  if (gzip > 0 && gzip >= deflate) return ContentCoding::kGzip;
  return deflate > 0 ? ContentCoding::kDeflate : ContentCoding::kIdentity;
}

struct Compressor::Stream {
  z_stream zlib = {};
};

Compressor::Compressor(ContentCoding coding) : stream_(std::make_unique<Stream>()) {
  LOCKSTEP_CHECK(coding != ContentCoding::kIdentity);
  const int framing = coding == ContentCoding::kGzip ? kGzipFraming : 0;
  LOCKSTEP_CHECK(deflateInit2(&stream_->zlib, kLevel, Z_DEFLATED, kWindowBits + framing,
                              kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK);
}

Compressor::~Compressor() { deflateEnd(&stream_->zlib); }

void Compressor::Add(std::string_view bytes, bool are_last, std::string& out) {
  z_stream& zlib = stream_->zlib;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  do {
    const size_t size = out.size();
    const size_t room = deflateBound(&zlib, zlib.avail_in);
    out.resize(size + room);
    zlib.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    zlib.avail_out = static_cast<uInt>(room);
    result = deflate(&zlib, are_last ? Z_FINISH : Z_NO_FLUSH);
    // Z_BUF_ERROR means that there was nothing to do.
    LOCKSTEP_CHECK(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR);
    out.resize(size + room - zlib.avail_out);
  } while (zlib.avail_in > 0 || (are_last && result != Z_STREAM_END));
}

std::string Compress(std::string_view bytes, ContentCoding coding) {
  std::string out;
  Compressor(coding).Add(bytes, true, out);
  return out;
}

}  // namespace lockstep::server
