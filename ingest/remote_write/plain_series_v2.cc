#include "ingest/remote_write/plain_series_v2.h"

#include <limits>

#include "ingest/remote_write/wire_bytes.h"

namespace lockstep {
namespace {

constexpr uint8_t kReferencesTag = WireTag(1, WireType::kLengthDelimited);
constexpr uint8_t kSampleMessageTag = WireTag(2, WireType::kLengthDelimited);
constexpr uint8_t kMetadataTag = WireTag(5, WireType::kLengthDelimited);
constexpr uint8_t kTypeTag = WireTag(1, WireType::kVarint);
constexpr uint8_t kHelpTag = WireTag(3, WireType::kVarint);
constexpr uint8_t kUnitTag = WireTag(4, WireType::kVarint);

bool TakeReference(WireBytes& in, uint32_t& reference) {
  uint64_t value = 0;
  if (!TakeVarint(in, value) || value > std::numeric_limits<uint32_t>::max()) return false;
  reference = static_cast<uint32_t>(value);
  return true;
}

// Zero fields may be missing.
bool TakeOptional(WireBytes& in, uint8_t tag, uint32_t& value) {
  value = 0;
  if (!in.StartsWith(tag)) return true;
  ++in.at;
  return TakeReference(in, value);
}

bool TakeMetadata(WireBytes in, MetadataReferences& metadata) {
  uint32_t type = 0;
  const bool is_plain = TakeOptional(in, kTypeTag, type) &&
                        TakeOptional(in, kHelpTag, metadata.help) &&
                        TakeOptional(in, kUnitTag, metadata.unit) && in.empty();
  metadata.type = static_cast<int32_t>(type);
  return is_plain;
}

}  // namespace

std::optional<std::string_view> ReadPlainSeriesV2(std::string_view message,
                                                  std::vector<Sample>& samples,
                                                  MetadataReferences& metadata) {
  WireBytes in = WireBytes::Of(message);
  WireBytes references{}, part{};
  if (!TakeField(in, kReferencesTag, references)) return std::nullopt;
  const size_t sample_count = samples.size();
  metadata = MetadataReferences();
  bool is_plain = true;
  while (is_plain && in.StartsWith(kSampleMessageTag)) {
    is_plain = TakeField(in, kSampleMessageTag, part) && TakeSample(part, samples.emplace_back());
  }
  if (is_plain && in.StartsWith(kMetadataTag)) {
    is_plain = TakeField(in, kMetadataTag, part) && TakeMetadata(part, metadata);
  }
  if (is_plain && in.empty() && samples.size() > sample_count) return TextOf(references);
  samples.resize(sample_count);
  return std::nullopt;
}

}  // namespace lockstep
