#include "import/tsdb_blocks/block_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "base/crc32c.h"
#include "import/tsdb_blocks/chunk_reader.h"

namespace lockstep::tsdb_blocks {
namespace {

constexpr uint32_t kSegmentMagic = 0x85bd40dd;
constexpr char kSegmentVersion = 1;
constexpr size_t kSegmentHeaderBytes = 8;

bool IsSegment(std::string_view file) {
  uint32_t magic = 0;
  return file.size() >= kSegmentHeaderBytes && GetFixed32(file, magic) && magic == kSegmentMagic &&
         file.front() == kSegmentVersion;
}

}  // namespace

BlockReader::BlockReader(BlockFiles files, BlockIndex index, Tombstones tombstones)
    : files_(std::move(files)), index_(std::move(index)), tombstones_(std::move(tombstones)) {}

absl::StatusOr<BlockReader> BlockReader::Open(BlockFiles files) {
  LOCKSTEP_ASSIGN_OR_RETURN(BlockIndex index, BlockIndex::Open(files.index));
  Tombstones tombstones;
  if (!files.tombstones.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(tombstones, ReadTombstones(files.tombstones));
  }
  for (size_t i = 0; i < files.segments.size(); ++i) {
    if (IsSegment(files.segments[i])) continue;
    return absl::DataLossError(
        absl::StrFormat("chunk file %d is not in Prometheus' format", i + 1));
  }
  return BlockReader(std::move(files), std::move(index), std::move(tombstones));
}

absl::Status BlockReader::ReadChunkAt(const ChunkPlace& place, SampleColumns& samples) const {
  const auto damaged = [&](std::string_view what) {
    return absl::DataLossError(
        absl::StrFormat("%s at byte %d of chunk file %d", what, place.offset, place.segment + 1));
  };
  if (place.segment >= files_.segments.size() ||
      place.offset >= files_.segments[place.segment].size()) {
    return damaged("no chunk");
  }
  std::string_view in = files_.segments[place.segment].substr(place.offset);
  uint64_t length = 0;
  constexpr uint64_t kAround = 1 + sizeof(uint32_t);  // encoding, crc
  if (!GetVarint64(in, length) || in.size() < kAround || length > in.size() - kAround) {
    return damaged("chunk that extends beyond its file");
  }
  const std::string_view checked = in.substr(0, static_cast<size_t>(length) + 1);
  std::string_view written = in.substr(checked.size());
  uint32_t crc = 0;
  if (!GetFixed32(written, crc) || crc != Crc32c(checked)) return damaged("damaged chunk");
  return ReadChunk(static_cast<uint8_t>(checked.front()), checked.substr(1), samples);
}

bool BlockReader::Takes(uint64_t series_ref, int64_t timestamp_ms, int64_t& last_ms) {
  if (timestamp_ms <= last_ms) {
    ++counts_.out_of_order_samples;
    return false;
  }
  last_ms = timestamp_ms;
  const auto deleted = tombstones_.find(series_ref);
  if (deleted != tombstones_.end() &&
      std::any_of(deleted->second.begin(), deleted->second.end(),
                  [&](const TimeRange& times) { return times.Contains(timestamp_ms); })) {
    ++counts_.deleted_samples;
    return false;
  }
  ++counts_.samples;
  return true;
}

void BlockReader::AddChunk(const SampleColumns& read, uint64_t series_ref, SampleColumns& samples) {
  for (size_t i = 0; i < read.values.size(); ++i) {
    if (Takes(series_ref, read.timestamps_ms[i], last_float_ms_)) {
      samples.Append(read.timestamps_ms[i], read.values[i]);
    }
  }
  for (const HistogramSample& sample : read.histograms) {
    if (Takes(series_ref, sample.timestamp_ms, last_histogram_ms_)) {
      samples.histograms.push_back(sample);
    }
  }
}

void BlockReader::CountDamage(uint64_t& count, const absl::Status& status) {
  ++count;
  counts_.first_damage.Update(status);
}

std::optional<BlockSeries> BlockReader::Next() {
  while (true) {
    auto indexed = index_.Next();
    if (!indexed.ok()) {
      CountDamage(counts_.bad_series, indexed.status());
      continue;
    }
    if (!indexed->has_value()) return std::nullopt;
    const IndexedSeries& series = **indexed;
    ++counts_.series;
    last_float_ms_ = last_histogram_ms_ = std::numeric_limits<int64_t>::min();
    BlockSeries out{series.labels, {}};
    for (const ChunkPlace& place : series.chunks) {
      SampleColumns read;
      const absl::Status status = ReadChunkAt(place, read);
      if (!status.ok()) {
        CountDamage(counts_.bad_chunks, status);
        continue;
      }
      ++counts_.chunks;
      AddChunk(read, series.ref, out.samples);
    }
    return out;
  }
}

}  // namespace lockstep::tsdb_blocks
