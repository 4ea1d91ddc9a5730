// Compression of answers: which coding a client takes, and the bytes in it. Thread-safe: no state.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace lockstep::server {

enum class ContentCoding { kIdentity, kGzip, kDeflate };

// As Content-Encoding spells it.
std::string_view Name(ContentCoding coding);

// The best coding that an Accept-Encoding header allows; gzip before deflate where the client does
// not mind. Source: RFC 9110, 12.5.3.
ContentCoding ChooseCoding(std::string_view accept_encoding);

// Bytes in a coding, part by part. Not thread-safe.
class Compressor {
 public:
  // Precondition: `coding` is not kIdentity.
  explicit Compressor(ContentCoding coding);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Appends what is known of the compressed form of `bytes` and those before; all of it when they are
  // the last. Precondition: `bytes` are less than 4 GiB, and none were the last before.
  void Add(std::string_view bytes, bool are_last, std::string& out);

 private:
  struct Stream;
  const std::unique_ptr<Stream> stream_;
};

// Preconditions as above.
std::string Compress(std::string_view bytes, ContentCoding coding);

}  // namespace lockstep::server
