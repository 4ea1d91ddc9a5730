#include "ingest/write/body_encoding.h"

#include <libdeflate.h>
#include <snappy.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/str_format.h"
#include "ingest/write/request_memory.h"

namespace lockstep {
namespace {

// The best ratio: a 3-byte element that copies 64 bytes.
constexpr size_t kSnappyMaxRatio = 22;
constexpr size_t kFirstChunkBytes = 64 << 10;
// A 32 MiB window: a decoded body may not need more memory than that anyway.
constexpr int kZstdMaxWindowLog = 25;

absl::Status TooLarge(size_t max_decoded_bytes) {
  return absl::OutOfRangeError(absl::StrFormat(
      "the decompressed body is larger than the limit of %d bytes", max_decoded_bytes));
}

absl::Status Malformed(std::string_view encoding) {
  return absl::InvalidArgumentError(absl::StrFormat("the body is not valid %s", encoding));
}

// The decompressed bytes, and the most there may be.
struct Room {
  size_t max_bytes;
  std::string& out;
  MemoryCharge* memory;

  absl::Status Resize(size_t size) {
    if (memory != nullptr && size > memory->bytes()) {
      LOCKSTEP_RETURN_IF_ERROR(AsWriteError(memory->Resize(size)));
    }
    out.resize(size);
    return absl::OkStatus();
  }
};

absl::Status DecodeSnappy(std::string_view body, Room room) {
  size_t length = 0;
  if (!snappy::GetUncompressedLength(body.data(), body.size(), &length)) {
    return Malformed("snappy");
  }
  if (length > room.max_bytes) return TooLarge(room.max_bytes);
  // A body of this size cannot decode to that length: refuse before allocating it.
  if (length / kSnappyMaxRatio > body.size()) return Malformed("snappy");
  LOCKSTEP_RETURN_IF_ERROR(room.Resize(length));
  if (!snappy::RawUncompress(body.data(), body.size(), room.out.data())) return Malformed("snappy");
  return absl::OkStatus();
}

// Grows the buffer past the first `used` bytes. Allows one byte over the limit, to detect excess.
absl::Status Grow(Room& room, size_t used) {
  if (used > room.max_bytes) return TooLarge(room.max_bytes);
  const size_t doubled = std::max(kFirstChunkBytes, room.out.size() * 2);
  return room.Resize(std::min(doubled, room.max_bytes + 1));
}

struct FreeInflater {
  void operator()(libdeflate_decompressor* inflater) const {
    libdeflate_free_decompressor(inflater);
  }
};

// One per thread: it holds tables, no data.
libdeflate_decompressor* Inflater() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeInflater> inflater(
      libdeflate_alloc_decompressor());
  return inflater.get();
}

using InflateMember = libdeflate_result (*)(libdeflate_decompressor*, const void*, size_t, void*,
                                            size_t, size_t*, size_t*);

// The best ratio: 258 bytes from two bits.
constexpr size_t kDeflateMaxRatio = 1032;

// The size of the first attempt's buffer: the length in a gzip trailer if plausible, otherwise a
// typical ratio.
size_t FirstInflatedSize(InflateMember inflate, std::string_view body, size_t max_decoded_bytes) {
  constexpr size_t kUsualRatio = 8;
  size_t size = body.size() * kUsualRatio;
  if (inflate == libdeflate_gzip_decompress_ex && body.size() >= sizeof(uint32_t)) {
    uint32_t told = 0;
    std::memcpy(&told, body.data() + body.size() - sizeof(told), sizeof(told));
    size = std::min<size_t>(told, body.size() * kDeflateMaxRatio);
  }
  return std::min(std::max(size, kFirstChunkBytes), max_decoded_bytes + 1);
}

// Inflates each member whole, one after the other, and retries with a larger buffer when one does
// not fit. zlib's streaming takes two to three times as long.
absl::Status Inflate(InflateMember inflate, std::string_view encoding, std::string_view body,
                     Room room) {
  std::string& out = room.out;
  if (Inflater() == nullptr) return absl::InternalError("libdeflate could not be started");
  LOCKSTEP_RETURN_IF_ERROR(room.Resize(FirstInflatedSize(inflate, body, room.max_bytes)));
  size_t used = 0;
  do {
    size_t taken = 0, made = 0;
    const libdeflate_result result = inflate(Inflater(), body.data(), body.size(),
                                             out.data() + used, out.size() - used, &taken, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      if (out.size() > room.max_bytes) return TooLarge(room.max_bytes);
      LOCKSTEP_RETURN_IF_ERROR(Grow(room, used));
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS) return Malformed(encoding);
    body.remove_prefix(taken);
    used += made;
  } while (!body.empty());
  if (used > room.max_bytes) return TooLarge(room.max_bytes);
  out.resize(used);
  return absl::OkStatus();
}

struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

absl::Status DecodeZstd(std::string_view body, Room room) {
  std::string& out = room.out;
  const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  if (context == nullptr) return absl::InternalError("zstd could not be started");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kZstdMaxWindowLog);
  ZSTD_inBuffer in{body.data(), body.size(), 0};
  out.clear();
  size_t used = 0;
  size_t hint = 1;  // 0 at the end of a frame
  while (in.pos < in.size || hint != 0) {
    if (used == out.size()) LOCKSTEP_RETURN_IF_ERROR(Grow(room, used));
    ZSTD_outBuffer behind{out.data(), out.size(), used};
    const size_t in_before = in.pos;
    hint = ZSTD_decompressStream(context.get(), &behind, &in);
    if (ZSTD_isError(hint)) return Malformed("zstd");
    const bool stuck = in.pos == in_before && behind.pos == used;
    used = behind.pos;
    if (stuck && used < out.size()) return Malformed("zstd");
  }
  if (used > room.max_bytes) return TooLarge(room.max_bytes);
  out.resize(used);
  return absl::OkStatus();
}

absl::Status Decode(BodyEncoding encoding, std::string_view body, Room room) {
  switch (encoding) {
    case BodyEncoding::kSnappy:
      return DecodeSnappy(body, room);
    case BodyEncoding::kGzip:
      return Inflate(libdeflate_gzip_decompress_ex, "gzip", body, room);
    case BodyEncoding::kDeflate:
      return Inflate(libdeflate_zlib_decompress_ex, "deflate (zlib)", body, room);
    case BodyEncoding::kZstd:
      return DecodeZstd(body, room);
    case BodyEncoding::kIdentity:
      break;
  }
  return absl::InternalError("unknown body encoding");
}

}  // namespace

std::optional<BodyEncoding> ParseBodyEncoding(std::string_view content_encoding) {
  struct Name {
    std::string_view name;
    BodyEncoding encoding;
  };
  static constexpr Name kNames[] = {
      {"identity", BodyEncoding::kIdentity}, {"snappy", BodyEncoding::kSnappy},
      {"gzip", BodyEncoding::kGzip},         {"x-gzip", BodyEncoding::kGzip},
      {"deflate", BodyEncoding::kDeflate},   {"zstd", BodyEncoding::kZstd},
  };
  for (const Name& known : kNames) {
    const bool same = std::equal(
        known.name.begin(), known.name.end(), content_encoding.begin(), content_encoding.end(),
        [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
    if (same) return known.encoding;
  }
  return std::nullopt;
}

BodyEncoding GuessBodyEncoding(std::string_view body) {
  return snappy::IsValidCompressedBuffer(body.data(), body.size()) ? BodyEncoding::kSnappy
                                                                   : BodyEncoding::kIdentity;
}

absl::StatusOr<std::string_view> DecodeBody(BodyEncoding encoding, std::string_view body,
                                            size_t max_decoded_bytes, std::string& scratch,
                                            MemoryCharge* memory) {
  if (encoding == BodyEncoding::kIdentity) {
    if (body.size() > max_decoded_bytes) return TooLarge(max_decoded_bytes);
    return body;
  }
  LOCKSTEP_RETURN_IF_ERROR(Decode(encoding, body, {max_decoded_bytes, scratch, memory}));
  return std::string_view(scratch);
}

}  // namespace lockstep
