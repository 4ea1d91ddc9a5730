#include "import/tsdb_blocks/tombstones.h"

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "base/crc32c.h"

namespace lockstep::tsdb_blocks {
namespace {

constexpr uint32_t kTombstonesMagic = 0x0130ba30;
constexpr unsigned char kTombstonesVersion = 1;
constexpr size_t kFrameBytes = 9;  // magic, version, crc

}  // namespace

absl::StatusOr<Tombstones> ReadTombstones(std::string_view file) {
  uint32_t magic = 0;
  std::string_view in = file;
  if (file.size() < kFrameBytes || !GetFixed32(in, magic) || magic != kTombstonesMagic) {
    return absl::DataLossError(
        absl::StrFormat("the file of %d bytes is not a tombstones file", file.size()));
  }
  if (static_cast<unsigned char>(in.front()) != kTombstonesVersion) {
    return absl::UnimplementedError("unsupported version of the tombstones file");
  }
  in = in.substr(1, in.size() - 1 - sizeof(uint32_t));
  std::string_view written = file.substr(file.size() - sizeof(uint32_t));
  uint32_t crc = 0;
  if (!GetFixed32(written, crc) || crc != Crc32c(in))
    return absl::DataLossError("checksum mismatch in the tombstones file");
  Tombstones tombstones;
  while (!in.empty()) {
    uint64_t ref = 0;
    TimeRange times;
    if (!GetVarint64(in, ref) || !GetVarintSigned64(in, times.min_ms) ||
        !GetVarintSigned64(in, times.max_ms)) {
      return absl::DataLossError("malformed tombstone");
    }
    tombstones[ref].push_back(times);
  }
  return tombstones;
}

}  // namespace lockstep::tsdb_blocks
