#include "import/files/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
// For inflateInit2: the longest window, and a gzip header.
constexpr int kGzipWindowBits = 15 + 16;

class PlainBytes : public Decompressor {
 public:
  absl::StatusOr<size_t> Decompress(std::string_view& in, std::span<char> out) override {
    const size_t size = std::min(in.size(), out.size());
    std::memcpy(out.data(), in.data(), size);
    in.remove_prefix(size);
    return size;
  }
  bool is_whole() const override { return true; }
};

// Decodes one or more members; like gzip, ignores trailing bytes that are not a member.
class GzipBytes : public Decompressor {
 public:
  GzipBytes() { inflateInit2(&stream_, kGzipWindowBits); }
  ~GzipBytes() override { inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  absl::StatusOr<size_t> Decompress(std::string_view& in, std::span<char> out) override {
    if (is_between_ && !in.empty() && !BeginMember(in)) {
      in = {};
      return 0;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      return absl::DataLossError(absl::StrFormat(
          "damaged gzip: %s", stream_.msg != nullptr ? stream_.msg : "unknown error"));
    }
    is_between_ = result == Z_STREAM_END;
    in.remove_prefix(in.size() - stream_.avail_in);
    return out.size() - stream_.avail_out;
  }
  bool is_whole() const override { return is_between_; }

 private:
  bool BeginMember(std::string_view in) {
    if (has_ended_ || in.front() != kGzipMagic.front()) {
      has_ended_ = true;
      return false;
    }
    is_between_ = false;
    return inflateReset(&stream_) == Z_OK;
  }

  z_stream stream_{};
  bool is_between_ = true;
  bool has_ended_ = false;
};

class ZstdBytes : public Decompressor {
 public:
  absl::StatusOr<size_t> Decompress(std::string_view& in, std::span<char> out) override {
    // Between frames, the stream would ask for the next one.
    if (is_whole_ && in.empty()) return 0;
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const size_t left = ZSTD_decompressStream(stream_.get(), &output, &input);
    if (ZSTD_isError(left) != 0) {
      return absl::DataLossError(absl::StrFormat("damaged zstd: %s", ZSTD_getErrorName(left)));
    }
    in.remove_prefix(input.pos);
    is_whole_ = left == 0;
    return output.pos;
  }
  bool is_whole() const override { return is_whole_; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  bool is_whole_ = true;
};

}  // namespace

std::unique_ptr<Decompressor> Decompressor::For(std::string_view first_bytes) {
  if (first_bytes.starts_with(kGzipMagic)) return std::make_unique<GzipBytes>();
  if (first_bytes.starts_with(kZstdMagic)) return std::make_unique<ZstdBytes>();
  return std::make_unique<PlainBytes>();
}

}  // namespace lockstep::importer
