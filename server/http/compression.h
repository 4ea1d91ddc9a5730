// Compression of responses: chooses a coding that the client accepts, and encodes the bytes.
// Thread-safe: no state.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace lockstep::server {

enum class ContentCoding { kIdentity, kGzip, kDeflate };

// The name used in Content-Encoding.
std::string_view Name(ContentCoding coding);

// The best coding that an Accept-Encoding header allows; prefers gzip to deflate if the client
// accepts both equally. Source: RFC 9110, 12.5.3.
ContentCoding ChooseCoding(std::string_view accept_encoding);

// Compresses data part by part. Not thread-safe.
class Compressor {
 public:
  // Precondition: `coding` is not kIdentity.
  explicit Compressor(ContentCoding coding);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Appends the compressed data available so far; all of it if these bytes are the last.
  // Precondition: `bytes` are less than 4 GiB, and no earlier bytes were the last.
  void Add(std::string_view bytes, bool are_last, std::string& out);

 private:
  struct Stream;
  const std::unique_ptr<Stream> stream_;
};

// Same preconditions as above.
std::string Compress(std::string_view bytes, ContentCoding coding);

}  // namespace lockstep::server
