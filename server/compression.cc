#include "server/compression.h"

#include <zlib.h>

#include <charconv>

#include "base/check.h"
#include "server/header_list.h"

namespace lockstep::server {
namespace {

// The fastest level: answers are mostly digits and repeated label names, of which the next levels
// save a few percent more at twice the time.
constexpr int kLevel = 1;
constexpr int kWindowBits = 15;
constexpr int kGzipFraming = 16;
constexpr int kMemoryLevel = 8;

// Of `item;q=0.5`: 0.5; 1 without a q; 0 for one that is no number.
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

std::string Compress(std::string_view bytes, ContentCoding coding) {
  LOCKSTEP_CHECK(coding != ContentCoding::kIdentity);
  z_stream stream = {};
  const int framing = coding == ContentCoding::kGzip ? kGzipFraming : 0;
  LOCKSTEP_CHECK(deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBits + framing, kMemoryLevel,
                              Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out;
  out.resize(deflateBound(&stream, bytes.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  LOCKSTEP_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace lockstep::server
