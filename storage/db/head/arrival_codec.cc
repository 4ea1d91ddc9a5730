#include "storage/db/head/arrival_codec.h"

#include <array>
#include <bit>
#include <cstring>

namespace lockstep {
namespace {

enum TimeForm : uint8_t { kSameStep = 0, kByteStep = 1, kVarintStep = 2, kAbsolute = 3 };

// The low six bits of the control byte: how many value bytes are kept, and how many zero bytes
// after them were dropped.
struct ValueForm {
  uint64_t mask = 0;  // of the bytes that are kept
  uint8_t byte_count = 0;
  uint8_t dropped_bits = 0;
};

constexpr size_t kMaxValueBytes = 8;

struct ValueForms {
  std::array<ValueForm, 64> forms{};
  uint8_t codes[kMaxValueBytes + 1][kMaxValueBytes + 1] = {};  // [byte count][dropped bytes]
};

constexpr ValueForms MakeValueForms() {
  ValueForms made;
  uint8_t next = 1;  // 0: no bytes kept
  for (uint8_t count = 1; count <= kMaxValueBytes; ++count) {
    for (uint8_t dropped = 0; dropped + count <= kMaxValueBytes; ++dropped) {
      made.forms[next] = {~uint64_t{0} >> (64 - 8 * count), count,
                          static_cast<uint8_t>(8 * dropped)};
      made.codes[count][dropped] = next++;
    }
  }
  return made;
}

constexpr ValueForms kForms = MakeValueForms();

uint64_t ZigZag(int64_t n) {
  return static_cast<uint64_t>(n) << 1 ^ static_cast<uint64_t>(n >> 63);
}
int64_t UnZigZag(uint64_t n) { return static_cast<int64_t>(n >> 1 ^ (~(n & 1) + 1)); }

// Times of the far past and the far future differ by more than an int64_t holds: sums wrap, and
// wrap back.
int64_t Add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t Subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

uint8_t* PutTime(int64_t timestamp_ms, ArrivalState& state, uint8_t* at, TimeForm& form) {
  const int64_t step_ms = Subtract(timestamp_ms, state.timestamp_ms);
  const int64_t change = Subtract(step_ms, state.step_ms);
  state.timestamp_ms = timestamp_ms;
  if (change == 0) {
    form = kSameStep;
    return at;
  }
  state.step_ms = step_ms;
  if (change == static_cast<int8_t>(change)) {
    form = kByteStep;
    *at++ = static_cast<uint8_t>(change);
    return at;
  }
  uint64_t left = ZigZag(change);
  if (left >> 49 != 0) {
    form = kAbsolute;
    std::memcpy(at, &timestamp_ms, sizeof(timestamp_ms));
    return at + sizeof(timestamp_ms);
  }
  form = kVarintStep;
  for (; left >= 0x80; left >>= 7) *at++ = static_cast<uint8_t>(left | 0x80);
  *at++ = static_cast<uint8_t>(left);
  return at;
}

const uint8_t* TakeTime(const uint8_t* at, TimeForm form, ArrivalState& state) {
  switch (form) {
    case kSameStep:
      break;
    case kByteStep:
      state.step_ms = Add(state.step_ms, static_cast<int8_t>(*at++));
      break;
    case kVarintStep: {
      uint64_t change = 0;
      int shift = 0;
      for (; *at >= 0x80; shift += 7) change |= uint64_t{*at++ & 0x7fu} << shift;
      change |= uint64_t{*at++} << shift;
      state.step_ms = Add(state.step_ms, UnZigZag(change));
      break;
    }
    case kAbsolute: {
      int64_t timestamp_ms = 0;
      std::memcpy(&timestamp_ms, at, sizeof(timestamp_ms));
      state.step_ms = Subtract(timestamp_ms, state.timestamp_ms);
      at += sizeof(timestamp_ms);
      break;
    }
  }
  state.timestamp_ms = Add(state.timestamp_ms, state.step_ms);
  return at;
}

inline const uint8_t* Take(const uint8_t* in, ArrivalState& state) {
  const uint8_t control = *in++;
  in = TakeTime(in, static_cast<TimeForm>(control >> 6), state);
  const ValueForm form = kForms.forms[control & 63];
  uint64_t left = 0;
  std::memcpy(&left, in, sizeof(left));
  left &= form.mask;
  state.value_bits ^= left << form.dropped_bits;
  return in + form.byte_count;
}

}  // namespace

size_t EncodeArrival(Sample sample, ArrivalState& state, uint8_t* out) {
  TimeForm time = kSameStep;
  uint8_t* at = PutTime(sample.timestamp_ms, state, out + 1, time);
  const auto bits = std::bit_cast<uint64_t>(sample.value);
  const uint64_t changed = bits ^ state.value_bits;
  state.value_bits = bits;
  uint8_t value = 0;
  if (changed != 0) {
    const int dropped = std::countr_zero(changed) / 8;
    const int count = 8 - std::countl_zero(changed) / 8 - dropped;
    value = kForms.codes[count][dropped];
    const uint64_t left = changed >> (8 * dropped);
    std::memcpy(at, &left, sizeof(left));  // `count` bytes of it are kept
    at += count;
  }
  *out = static_cast<uint8_t>(time << 6 | value);
  return static_cast<size_t>(at - out);
}

const uint8_t* DecodeArrival(const uint8_t* in, ArrivalState& state) { return Take(in, state); }

// The state is a copy, which the compiler can keep in registers.
size_t DecodeAscending(const uint8_t* in, ArrivalState state, size_t count, TimeRange range,
                       SampleColumns& columns) {
  const size_t begin = columns.values.size();
  columns.timestamps_ms.resize(begin + count);
  columns.values.resize(begin + count);
  int64_t* const timestamps_ms = columns.timestamps_ms.data() + begin;
  double* const values = columns.values.data() + begin;
  size_t before = 0, kept = 0;
  for (size_t i = 0; i < count; ++i) {
    in = Take(in, state);
    if (state.timestamp_ms > range.max_ms) break;
    timestamps_ms[kept] = state.timestamp_ms;
    values[kept] = std::bit_cast<double>(state.value_bits);
    const bool is_kept = state.timestamp_ms >= range.min_ms;
    kept += is_kept ? 1 : 0;
    before += is_kept ? 0 : 1;
  }
  columns.timestamps_ms.resize(begin + kept);
  columns.values.resize(begin + kept);
  return before;
}

}  // namespace lockstep
