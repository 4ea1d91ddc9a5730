#include "import/tsdb_blocks/block_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "base/crc32c.h"
#include "import/tsdb_blocks/block_limits.h"

namespace lockstep::tsdb_blocks {
namespace {

constexpr uint32_t kMagic = 0xbaaad700;
constexpr size_t kHeaderBytes = 5;
constexpr size_t kCrcBytes = 4;
constexpr size_t kContentsNumbers = 6;
constexpr size_t kContentsBytes = kContentsNumbers * 8 + kCrcBytes;
constexpr uint64_t kSeriesAlignment = 16;

// Removes the last four bytes, and returns whether they are the checksum of the rest.
bool TakeCrc(std::string_view& bytes) {
  if (bytes.size() < kCrcBytes) return false;
  std::string_view written = bytes.substr(bytes.size() - kCrcBytes);
  bytes.remove_suffix(kCrcBytes);
  uint32_t crc = 0;
  return GetFixed32(written, crc) && crc == Crc32c(bytes);
}

}  // namespace

absl::StatusOr<BlockIndex> BlockIndex::Open(std::string_view file) {
  std::string_view header = file;
  uint32_t magic = 0;
  if (file.size() < kHeaderBytes + kContentsBytes || !GetFixed32(header, magic) ||
      magic != kMagic) {
    return absl::DataLossError(
        absl::StrFormat("a file of %d bytes is not a block index", file.size()));
  }
  BlockIndex index;
  index.file_ = file;
  index.version_ = static_cast<unsigned char>(header.front());
  if (index.version_ != 1 && index.version_ != 2) {
    return absl::UnimplementedError(
        absl::StrFormat("unsupported index version %d", index.version_));
  }
  std::string_view contents = file.substr(file.size() - kContentsBytes);
  if (!TakeCrc(contents))
    return absl::DataLossError("checksum mismatch in the table of contents of the index");
  uint64_t places[kContentsNumbers] = {};
  for (uint64_t& place : places) (void)GetFixed64(contents, place);
  const uint64_t series = places[1];
  const uint64_t end = file.size() - kContentsBytes;
  if (places[0] > end || series > end) {
    return absl::DataLossError("the table of contents of the index points beyond the file");
  }
  LOCKSTEP_RETURN_IF_ERROR(index.ReadSymbols(places[0]));
  index.at_ = series;
  // The series end where the next section begins.
  index.end_ = end;
  for (const uint64_t place : places) {
    if (place > series) index.end_ = std::min(index.end_, place);
  }
  return index;
}

absl::Status BlockIndex::ReadSymbols(uint64_t offset) {
  std::string_view in = file_.substr(offset);
  uint32_t length = 0;
  if (!GetFixed32(in, length) || in.size() < uint64_t{length} + kCrcBytes) {
    return absl::DataLossError("the symbols of the index extend beyond the file");
  }
  in = in.substr(0, length + kCrcBytes);
  uint32_t count = 0;
  if (!TakeCrc(in) || !GetFixed32(in, count))
    return absl::DataLossError("checksum mismatch in the symbols of the index");
  std::string_view symbol;
  while (symbols_.size() < count) {
    // In version 1, a symbol is referenced by its offset, here mapped to its text.
    if (!GetLengthPrefixed(in, symbol)) {
      return absl::DataLossError(
          absl::StrFormat("the index has %d symbols instead of %d", symbols_.size(), count));
    }
    symbols_.push_back(symbol);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> BlockIndex::Symbol(uint64_t ref) const {
  if (version_ == 2) {
    if (ref < symbols_.size()) return symbols_[static_cast<size_t>(ref)];
    return absl::DataLossError(absl::StrFormat(
        "a series refers to symbol %d, but the index has only %d symbols", ref, symbols_.size()));
  }
  const auto place_of = [&](std::string_view symbol) {
    return static_cast<uint64_t>(symbol.data() - file_.data()) - VarintLength(symbol.size());
  };
  const auto found = std::lower_bound(
      symbols_.begin(), symbols_.end(), ref,
      [&](std::string_view symbol, uint64_t asked) { return place_of(symbol) < asked; });
  if (found != symbols_.end() && place_of(*found) == ref) return *found;
  return absl::DataLossError(
      absl::StrFormat("a series refers to a symbol at byte %d, where none begins", ref));
}

absl::StatusOr<LabelSet> BlockIndex::ReadLabels(std::string_view& in) const {
  uint64_t count = 0;
  if (!GetVarint64(in, count) || count > kMaxSeriesLabels) {
    return absl::DataLossError("malformed labels of a series");
  }
  std::vector<LabelView> labels;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t name_ref = 0;
    uint64_t value_ref = 0;
    if (!GetVarint64(in, name_ref) || !GetVarint64(in, value_ref)) {
      return absl::DataLossError("malformed labels of a series");
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view name, Symbol(name_ref));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view value, Symbol(value_ref));
    labels.push_back({name, value});
  }
  return LabelSet::Of(std::move(labels));
}

namespace {

absl::StatusOr<std::vector<ChunkPlace>> ReadChunkPlaces(std::string_view in) {
  uint64_t count = 0;
  bool is_good = GetVarint64(in, count);
  std::vector<ChunkPlace> chunks;
  int64_t last_ms = 0;
  uint64_t ref = 0;
  for (uint64_t i = 0; i < count && is_good; ++i) {
    int64_t first_ms = 0;
    uint64_t gap_ms = 0;
    uint64_t length_ms = 0;
    int64_t ref_delta = 0;
    if (i == 0) {
      is_good =
          GetVarintSigned64(in, first_ms) && GetVarint64(in, length_ms) && GetVarint64(in, ref);
    } else {
      is_good =
          GetVarint64(in, gap_ms) && GetVarint64(in, length_ms) && GetVarintSigned64(in, ref_delta);
      first_ms = static_cast<int64_t>(static_cast<uint64_t>(last_ms) + gap_ms);
      ref += static_cast<uint64_t>(ref_delta);
    }
    last_ms = static_cast<int64_t>(static_cast<uint64_t>(first_ms) + length_ms);
    chunks.push_back(
        {first_ms, last_ms, static_cast<uint32_t>(ref >> 32), static_cast<uint32_t>(ref)});
  }
  if (!is_good) return absl::DataLossError("malformed chunks of a series");
  return chunks;
}

}  // namespace

absl::StatusOr<std::optional<IndexedSeries>> BlockIndex::Next() {
  if (version_ == 2) at_ = (at_ + kSeriesAlignment - 1) / kSeriesAlignment * kSeriesAlignment;
  if (at_ >= end_) return std::optional<IndexedSeries>();
  const uint64_t offset = at_;
  std::string_view in = file_.substr(at_, end_ - at_);
  uint64_t length = 0;
  if (!GetVarint64(in, length) || in.size() < kCrcBytes || length > in.size() - kCrcBytes) {
    at_ = end_;
    return absl::DataLossError(absl::StrFormat(
        "the series at byte %d of the index extends beyond the section of series", offset));
  }
  in = in.substr(0, static_cast<size_t>(length) + kCrcBytes);
  at_ = static_cast<uint64_t>(in.data() + in.size() - file_.data());
  if (!TakeCrc(in)) {
    return absl::DataLossError(
        absl::StrFormat("checksum mismatch in the series at byte %d of the index", offset));
  }
  IndexedSeries series;
  series.ref = version_ == 2 ? offset / kSeriesAlignment : offset;
  LOCKSTEP_ASSIGN_OR_RETURN(series.labels, ReadLabels(in));
  LOCKSTEP_ASSIGN_OR_RETURN(series.chunks, ReadChunkPlaces(in));
  return std::optional<IndexedSeries>(std::move(series));
}

}  // namespace lockstep::tsdb_blocks
