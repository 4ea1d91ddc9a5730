#include "storage/chunk/integers/residual_rounds.h"

#include <cstring>

namespace lockstep {
namespace {

#define LOCKSTEP_INLINE inline __attribute__((always_inline))

LOCKSTEP_INLINE uint64_t WordAt(const unsigned char* bytes, uint32_t position) {
  uint64_t word;
  std::memcpy(&word, bytes + position / 8, 8);
  return word >> (position % 8);
}

// Precondition: width < 64.
LOCKSTEP_INLINE uint64_t Low(uint64_t word, int width) {
  return word & ((uint64_t{1} << width) - 1);
}

LOCKSTEP_INLINE uint64_t WideOffset(const unsigned char* bytes, uint32_t position, int width) {
  const uint64_t low = WordAt(bytes, position) & 0xffffffff;
  return LowBits(low | WordAt(bytes, position + 32) << 32, width);
}

// How many residuals one word of the stream suffices for.
constexpr int ResidualsPerWord(StepForm form) {
  return form == StepForm::kBinsAlone ? 4 : form == StepForm::kNarrow ? 2 : 1;
}

template <int kLanes, StepForm kForm, int kOrder>
LOCKSTEP_INLINE void Rounds(RoundsJob& job) {
  const AnsEntry* const entries = job.entries;
  const uint64_t* const lowers = job.lowers;
  const uint64_t* const factors = job.factors;
  const unsigned char* const bytes = job.bytes;
  uint64_t* const values = job.values;
  const size_t end = job.end;
  const uint32_t* const total_bits = job.total_bits;
  const uint32_t safe_position = job.safe_position;
  uint32_t position = job.position;
  uint32_t states[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) states[lane] = job.states[lane];
  size_t next = job.next;
  uint64_t value = kOrder >= 1 ? values[next - 1] : 0;
  uint64_t difference = kOrder == 2 ? value - values[next - 2] : 0;
  uint64_t word = 0;
  for (; next + kRoundSize <= end && position <= safe_position; next += kRoundSize) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kRoundSize; ++i) {
      if (i % ResidualsPerWord(kForm) == 0) word = WordAt(bytes, position);
      uint32_t& state = states[i % kLanes];
      const AnsEntry& entry = entries[state];
      uint64_t residual = lowers[state];
      const uint32_t offset_position = position + entry.state_bits;
      const uint32_t total = total_bits[state];
      position += total;
      state = entry.next_base + static_cast<uint32_t>(Low(word, entry.state_bits));
      word >>= entry.state_bits;
      if constexpr (kForm == StepForm::kNarrow) {
        residual += Low(word, entry.offset_bits);
        word >>= entry.offset_bits;
      } else if constexpr (kForm != StepForm::kBinsAlone) {
        uint64_t offset;
        // Most offsets are narrow even where some are wide.
        if (kForm == StepForm::kWide && total > uint32_t{kWordBits}) [[unlikely]] {
          offset = WideOffset(bytes, offset_position, entry.offset_bits);
        } else {
          offset = Low(word, entry.offset_bits);
        }
        residual += factors[entry.bin] * offset;
      }
      if constexpr (kOrder == 0) {
        value = residual;
      } else if constexpr (kOrder == 1) {
        value += residual;
      } else {
        difference += residual;
        value += difference;
      }
      values[next + i] = value;
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) job.states[lane] = states[lane];
  job.position = position;
  job.next = next;
}

template <int kLanes, StepForm kForm, int kOrder>
void Portable(RoundsJob& job) {
  Rounds<kLanes, kForm, kOrder>(job);
}

template <int kLanes, StepForm kForm, int kOrder>
__attribute__((target("bmi,bmi2"))) void Bmi2(RoundsJob& job) {
  Rounds<kLanes, kForm, kOrder>(job);
}

#define LOCKSTEP_ORDERS(build, lanes, form) \
  { build<lanes, form, 0>, build<lanes, form, 1>, build<lanes, form, 2> }
#define LOCKSTEP_FORMS(build, lanes)                      \
  {                                                       \
    LOCKSTEP_ORDERS(build, lanes, StepForm::kBinsAlone),  \
        LOCKSTEP_ORDERS(build, lanes, StepForm::kNarrow), \
        LOCKSTEP_ORDERS(build, lanes, StepForm::kUsual),  \
        LOCKSTEP_ORDERS(build, lanes, StepForm::kWide)    \
  }
#define LOCKSTEP_ROUNDS(build)                                                       \
  {                                                                                  \
    { LOCKSTEP_FORMS(build, 1), LOCKSTEP_FORMS(build, 2), LOCKSTEP_FORMS(build, 4) } \
  }

constexpr RoundsTable kPortable = LOCKSTEP_ROUNDS(Portable);
constexpr RoundsTable kBmi2 = LOCKSTEP_ROUNDS(Bmi2);

}  // namespace

const RoundsTable& PortableRounds() { return kPortable; }
const RoundsTable& Avx2Rounds() { return kBmi2; }

bool HasAvx2() {
  static const bool has_it = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return has_it;
}

}  // namespace lockstep
