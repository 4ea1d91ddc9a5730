#include "model/series_key.h"

#include <array>
#include <cstring>
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
  explicit Mixer(size_t size)
      : secrets_(ProcessSecrets()), high_(secrets_[0] ^ size), low_(secrets_[1] ^ size) {}

  void Add(uint64_t a, uint64_t b) {
    high_ = Fold(a ^ secrets_[0], b ^ high_ ^ secrets_[2]);
    low_ = Fold(b ^ secrets_[1], a ^ low_ ^ secrets_[3]);
  }
  SeriesKey Done() const {
    return {Fold(high_ ^ secrets_[3], low_ ^ secrets_[0]),
            Fold(low_ ^ secrets_[2], high_ ^ secrets_[1])};
  }

 private:
  const Secrets& secrets_;
  uint64_t high_;
  uint64_t low_;
};

}  // namespace

SeriesKey SeriesKeyOfWire(std::string_view bytes) {
  constexpr size_t kStep = 2 * sizeof(uint64_t);
  Mixer mixer(bytes.size());
  uint64_t words[2];
  for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
    std::memcpy(words, bytes.data(), kStep);
    mixer.Add(words[0], words[1]);
  }
  words[0] = words[1] = 0;
  std::memcpy(words, bytes.data(), bytes.size());
  mixer.Add(words[0], words[1]);
  return mixer.Done();
}

SeriesKey SeriesKeyOf(const LabelSet& labels) {
  thread_local std::string wire;
  wire.clear();
  for (const LabelView label : labels) {
    wire.push_back('\x0a');
    PutVarint64(wire, 2 + VarintLength(label.name.size()) + label.name.size() +
                          VarintLength(label.value.size()) + label.value.size());
    wire.push_back('\x0a');
    PutLengthPrefixed(wire, label.name);
    wire.push_back('\x12');
    PutLengthPrefixed(wire, label.value);
  }
  return SeriesKeyOfWire(wire);
}

}  // namespace lockstep
