#include "model/series_key.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <random>
#include <string>

#include "base/coding.h"

namespace lockstep {
namespace {

using Secrets = std::array<uint64_t, 4>;

const Secrets& ProcessSecrets() {
  static const Secrets secrets = [] {
    std::random_device device;
    Secrets drawn;
    for (uint64_t& secret : drawn) secret = uint64_t{device()} << 32 | device();
    return drawn;
  }();
  return secrets;
}

// The high half of the product folded onto the low one.
uint64_t Fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

class Mixer {
 public:
  Mixer(const Secrets& secrets, uint64_t seed)
      : secrets_(secrets), high_(secrets_[0] ^ seed), low_(secrets_[1] ^ seed) {}

  void Add(uint64_t a, uint64_t b) {
    high_ = Fold(a ^ secrets_[0], b ^ high_ ^ secrets_[2]);
    low_ = Fold(b ^ secrets_[1], a ^ low_ ^ secrets_[3]);
  }
  // Takes in what another mixer has.
  void Add(const Mixer& other) { Add(other.high_, other.low_); }
  SeriesKey Done() const {
    return {Fold(high_ ^ secrets_[3], low_ ^ secrets_[0]),
            Fold(low_ ^ secrets_[2], high_ ^ secrets_[1])};
  }

 private:
  const Secrets& secrets_;
  uint64_t high_;
  uint64_t low_;
};

// Both return what is behind it.
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

}  // namespace

SeriesKey SeriesKeyOfWire(std::string_view bytes) {
  const Secrets& secrets = ProcessSecrets();
  // Two at a time, since each waits for its own multiplications.
  Mixer mixer(secrets, bytes.size());
  Mixer other(secrets, ~uint64_t{bytes.size()});
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t words[4];
  for (; left >= sizeof(words); left -= sizeof(words), at += sizeof(words)) {
    std::memcpy(words, at, sizeof(words));
    mixer.Add(words[0], words[1]);
    other.Add(words[2], words[3]);
  }
  std::fill(std::begin(words), std::end(words), 0);
  std::memcpy(words, at, left);
  mixer.Add(words[0], words[1]);
  other.Add(words[2], words[3]);
  mixer.Add(other);
  return mixer.Done();
}

// Of a label of n bytes in a set, the wire has at most 3 n: a label has two bytes at least, and gets three and
// one length more.
SeriesKey SeriesKeyOf(const LabelSet& labels) {
  thread_local std::string wire;
  if (wire.size() < 3 * labels.bytes().size()) wire.resize(3 * labels.bytes().size());
  char* at = wire.data();
  for (const LabelView label : labels) {
    *at++ = '\x0a';
    at = PutLength(at, 2 + LengthOfText(label.name) + LengthOfText(label.value));
    *at++ = '\x0a';
    at = PutText(at, label.name);
    *at++ = '\x12';
    at = PutText(at, label.value);
  }
  return SeriesKeyOfWire({wire.data(), static_cast<size_t>(at - wire.data())});
}

}  // namespace lockstep
