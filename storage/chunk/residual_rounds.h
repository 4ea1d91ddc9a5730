// The inner loop of reading residuals, eight at a time, built twice: for every processor, and with the
// bit instructions (BMI2) that all have which know AVX2. Both give the same; residual_stream.h is
// what others use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/chunk/ans_table.h"

namespace lockstep {

inline constexpr int kMaxLanes = 4;
// What one load of a word gives at least.
inline constexpr int kWordBits = 57;
// Residuals of one round. A multiple of the number of lanes.
inline constexpr size_t kRoundSize = 8;

// How much of the loop the bins need: a wider form can do all that a narrower one can.
enum class StepForm {
  kBinsAlone,  // no offsets; 4 residuals take at most 57 bits
  kNarrow,     // no scaled bins; 2 residuals take at most 57 bits
  kUsual,      // a residual takes at most 57 bits
  kWide,       // offsets of up to 64 bits
};
inline constexpr size_t kStepFormCount = 4;
inline constexpr size_t kLaneFormCount = 3;  // 1, 2 and 4 lanes
inline constexpr size_t kOrderCount = 3;

// What a loop works on and where it got to.
struct RoundsJob {
  // By state. What a step adds to something has a table of its own: the processor then needs no
  // instruction to load it.
  const AnsEntry* entries = nullptr;
  const uint64_t* lowers = nullptr;      // of the state's bin; of a scaled one times the unit
  const uint32_t* total_bits = nullptr;  // of state and offset
  const uint64_t* factors = nullptr;     // by bin: the unit, or 1
  const unsigned char* bytes = nullptr;
  uint32_t position = 0;       // in bits
  uint32_t safe_position = 0;  // no round begins behind it
  uint32_t states[kMaxLanes] = {};
  // The next value to write is values[next]; those before it are there, as many as the order at least.
  // A round needs kRoundSize values before `end`.
  uint64_t* values = nullptr;
  size_t next = 0;
  size_t end = 0;
};

using RoundsFunction = void (*)(RoundsJob& job);

// Preconditions of the functions: from `safe_position` on a round's bits and 16 bytes more can be read,
// and the values that are left before the first round are a multiple of the lanes.
struct RoundsTable {
  RoundsFunction functions[kLaneFormCount][kStepFormCount][kOrderCount];
};
const RoundsTable& PortableRounds();
// Precondition: HasAvx2().
const RoundsTable& Avx2Rounds();

// Whether the processor has AVX2, FMA, BMI1 and BMI2.
bool HasAvx2();

}  // namespace lockstep
