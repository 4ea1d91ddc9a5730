#include "model/series_key.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <random>
#include <string>

#include "base/coding.h"
#include "model/tenant.h"

namespace lockstep {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr size_t kMaxVarintBytes = 10;
// How many words are hashed at a time; a run of labels is rarely longer.
constexpr size_t kPieceWords = 64;
constexpr size_t kPieceBytes = kPieceWords * sizeof(uint64_t);
// The second sum uses the keys of the first, shifted by two words.
using Secrets = std::array<uint64_t, kPieceWords + 2>;

const Secrets& ProcessSecrets() {
  static const Secrets secrets = [] {
    std::random_device device;
    Secrets drawn;
    for (uint64_t& secret : drawn) secret = uint64_t{device()} << 32 | device();
    return drawn;
  }();
  return secrets;
}

uint64_t WordAt(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// Folds the high half of the product onto the low half.
uint64_t Fold(uint64_t a, uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Sums of products of pairs of words. Each sum has its own keys, so no product waits for another.
struct Sums {
  Wide first = 0;
  Wide second = 0;

  void Add(uint64_t a, uint64_t b, const uint64_t* keys) {
    first += Wide{a + keys[0]} * (b + keys[1]);
    second += Wide{a + keys[2]} * (b + keys[3]);
  }
  LabelsHash Folded(uint64_t seed, const Secrets& secrets) const {
    return {Fold(static_cast<uint64_t>(first >> 64) ^ secrets[0] ^ seed,
                 static_cast<uint64_t>(first) ^ secrets[1]),
            Fold(static_cast<uint64_t>(second >> 64) ^ secrets[2] ^ seed,
                 static_cast<uint64_t>(second) ^ secrets[3])};
  }
};

// Precondition: size <= kPieceBytes.
Sums SumsOf(const char* at, size_t size, const Secrets& secrets) {
  constexpr size_t kPairBytes = 2 * sizeof(uint64_t);
  Sums sums;
  const uint64_t* keys = secrets.data();
  if (size < kPairBytes) {
    char padded[kPairBytes] = {};
    if (size > 0) std::memcpy(padded, at, size);
    sums.Add(WordAt(padded), WordAt(padded + sizeof(uint64_t)), keys);
    return sums;
  }
  const char* const last = at + size - kPairBytes;
  for (; at < last; at += kPairBytes, keys += 2) {
    sums.Add(WordAt(at), WordAt(at + sizeof(uint64_t)), keys);
  }
  // The last pair overlaps the one before: that is faster than copying the remaining bytes.
  sums.Add(WordAt(last), WordAt(last + sizeof(uint64_t)), keys);
  return sums;
}

// Both return the position after it.
char* PutLength(char* at, size_t length) {
  for (; length >= 0x80; length >>= 7) *at++ = static_cast<char>(length | 0x80);
  *at++ = static_cast<char>(length);
  return at;
}
char* PutText(char* at, std::string_view text) {
  at = PutLength(at, text.size());
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

size_t LengthOfText(std::string_view text) {
  return (text.size() < 0x80 ? 1 : VarintLength(text.size())) + text.size();
}

// Returns the position after the label.
char* PutLabel(char* at, std::string_view name, std::string_view value) {
  *at++ = '\x0a';
  at = PutLength(at, 2 + LengthOfText(name) + LengthOfText(value));
  *at++ = '\x0a';
  at = PutText(at, name);
  *at++ = '\x12';
  return PutText(at, value);
}

// A label of n bytes in a set has at most 3 n bytes on the wire: a label has at least two bytes,
// and the wire adds three bytes and one more length.
constexpr size_t kMostWireBytesPerByte = 3;

}  // namespace

LabelsHash HashOfLabels(std::string_view wire) {
  const Secrets& secrets = ProcessSecrets();
  LabelsHash hash;
  do {
    const std::string_view piece = wire.substr(0, kPieceBytes);
    Sums sums = SumsOf(piece.data(), piece.size(), secrets);
    sums.first += hash.high;
    sums.second += hash.low;
    hash = sums.Folded(wire.size(), secrets);
    wire.remove_prefix(piece.size());
  } while (!wire.empty());
  return hash;
}

SeriesKey SeriesKeyOfHashes(const LabelsHash& before_name, const LabelsHash& name,
                            const LabelsHash& after_name) {
  const Secrets& secrets = ProcessSecrets();
  const uint64_t* keys = secrets.data();
  Sums sums;
  for (const LabelsHash* hash : {&before_name, &name, &after_name}) {
    sums.Add(hash->high, hash->low, keys);
    keys += 2;
  }
  const LabelsHash key = sums.Folded(0, secrets);
  return {key.high, key.low};
}

SeriesKey SeriesKeyOfWire(const WireLabels& labels) {
  return SeriesKeyOfHashes(HashOfLabels(labels.before_name), HashOfLabels(labels.name),
                           HashOfLabels(labels.after_name));
}

TenantKey::TenantKey(std::string_view tenant)
    : hash_(HashOfLabels(tenant)), is_default_(tenant.empty()) {}

SeriesKey TenantKey::Of(const SeriesKey& key) const {
  if (is_default_) return key;
  return SeriesKeyOfHashes(hash_, {key.high, key.low}, {});
}

SeriesKey SeriesKeyOf(const LabelSet& labels) {
  thread_local std::string wire;
  const size_t most = kMostWireBytesPerByte * labels.bytes().size();
  if (wire.size() < most) wire.resize(most);
  char* at = wire.data();
  const char *name_begin = nullptr, *name_end = nullptr;
  std::string_view tenant;
  for (const LabelView label : labels) {
    if (label.name == kTenantLabel) {
      tenant = label.value;
      continue;
    }
    const char* const begin = at;
    at = PutLabel(at, label.name, label.value);
    if (label.name == kMetricName) {
      name_begin = begin;
      name_end = at;
    }
  }
  if (name_begin == nullptr) name_begin = name_end = at;
  const SeriesKey key =
      SeriesKeyOfWire({{wire.data(), name_begin}, {name_begin, name_end}, {name_end, at}});
  return tenant.empty() ? key : TenantKey(tenant).Of(key);
}

void AppendWireLabel(std::string_view name, std::string_view value, std::string& wire) {
  const size_t size = wire.size();
  wire.resize(size + 3 + 3 * kMaxVarintBytes + name.size() + value.size());
  wire.resize(static_cast<size_t>(PutLabel(wire.data() + size, name, value) - wire.data()));
}

}  // namespace lockstep
