#include "ingest/plain_series.h"

#include <bit>
#include <cstring>

namespace lockstep {
namespace {

constexpr uint8_t kLabelTag = 1 << 3 | 2;
constexpr uint8_t kNameTag = 1 << 3 | 2;
constexpr uint8_t kTextTag = 2 << 3 | 2;
constexpr uint8_t kSampleTag = 2 << 3 | 2;
constexpr uint8_t kValueTag = 1 << 3 | 1;
constexpr uint8_t kTimestampTag = 2 << 3 | 0;

struct Bytes {
  const uint8_t* at;
  const uint8_t* end;

  bool empty() const { return at == end; }
  size_t size() const { return static_cast<size_t>(end - at); }
  bool StartsWith(uint8_t byte) const { return at != end && *at == byte; }
};

bool TakeLongVarint(Bytes& in, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const uint8_t byte = *in.at++;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Lengths are of one byte as a rule.
inline bool TakeVarint(Bytes& in, uint64_t& value) {
  if (in.empty() || *in.at >= 0x80) return TakeLongVarint(in, value);
  value = *in.at++;
  return true;
}

// After a tag: the length, then that many bytes.
inline bool TakeMessage(Bytes& in, Bytes& message) {
  uint64_t size = 0;
  if (!TakeVarint(in, size) || size > in.size()) return false;
  message = {in.at, in.at + size};
  in.at += size;
  return true;
}

inline bool TakeField(Bytes& in, uint8_t tag, Bytes& field) {
  if (!in.StartsWith(tag)) return false;
  ++in.at;
  return TakeMessage(in, field);
}

std::string_view TextOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.at), bytes.size()};
}

// Fields that are zero may be missing.
inline bool TakeSample(Bytes message, Sample& sample) {
  sample = Sample();
  if (message.StartsWith(kValueTag)) {
    if (message.size() < 1 + sizeof(sample.value)) return false;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&sample.value, message.at + 1, sizeof(sample.value));
    message.at += 1 + sizeof(sample.value);
  }
  if (message.StartsWith(kTimestampTag)) {
    ++message.at;
    uint64_t timestamp_ms = 0;
    if (!TakeVarint(message, timestamp_ms)) return false;
    sample.timestamp_ms = static_cast<int64_t>(timestamp_ms);
  }
  return message.empty();
}

}  // namespace

std::optional<std::string_view> ReadPlainSeries(std::string_view message,
                                                std::vector<Sample>& samples) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(message.data());
  Bytes in{begin, begin + message.size()};
  Bytes part{};
  // Two bytes ahead of the end, a tag and a length of one byte can be read without a look at the end.
  while (in.size() >= 2 && in.at[0] == kLabelTag && in.at[1] < 0x80 && in.size() - 2 >= in.at[1]) {
    in.at += 2 + in.at[1];
  }
  while (in.StartsWith(kLabelTag)) {
    ++in.at;
    if (!TakeMessage(in, part)) return std::nullopt;
  }
  const std::string_view labels = message.substr(0, static_cast<size_t>(in.at - begin));
  const size_t sample_count = samples.size();
  while (!in.empty()) {
    const bool is_sample = *in.at++ == kSampleTag && TakeMessage(in, part);
    if (!is_sample || !TakeSample(part, samples.emplace_back())) {
      samples.resize(sample_count);
      return std::nullopt;
    }
  }
  return labels;
}

bool ReadPlainLabels(std::string_view message, std::vector<LabelView>& labels) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(message.data());
  Bytes in{begin, begin + message.size()};
  while (in.StartsWith(kLabelTag)) {
    ++in.at;
    Bytes label{}, name{}, value{};
    const bool is_plain = TakeMessage(in, label) && TakeField(label, kNameTag, name) &&
                          TakeField(label, kTextTag, value) && label.empty();
    if (!is_plain) return false;
    labels.push_back({TextOf(name), TextOf(value)});
  }
  return true;
}

}  // namespace lockstep
