// The inner loop of ResidualReader (residual_stream.h, which other code uses): reads residuals,
// eight at a time. Built twice: for every processor, and with the bit instructions (BMI2) that
// every processor with AVX2 has. Both give the same results. docs/formats/chunk.md explains
// residuals, bins, states and lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/chunk/integers/ans_table.h"
#include "storage/chunk/integers/bits.h"

namespace lockstep {

inline constexpr int kMaxLanes = 4;
// Residuals per round. A multiple of the number of lanes.
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

// The input of a loop and its progress.
struct RoundsJob {
  // Indexed by state. Every table that a step adds from is separate, because then the processor
  // needs no extra instruction to load from it.
  const AnsEntry* entries = nullptr;
  const uint64_t* lowers = nullptr;      // of the state's bin; of a scaled bin, times the unit
  const uint32_t* total_bits = nullptr;  // of state and offset together
  const uint64_t* factors = nullptr;     // by bin: the unit, or 1
  const unsigned char* bytes = nullptr;
  uint32_t position = 0;       // in bits
  uint32_t safe_position = 0;  // no round starts after it
  uint32_t states[kMaxLanes] = {};
  // The next value to write is values[next]; the values before it are set, at least as many as the
  // order. A round needs kRoundSize values before `end`.
  uint64_t* values = nullptr;
  size_t next = 0;
  size_t end = 0;
};

using RoundsFunction = void (*)(RoundsJob& job);

// Preconditions of the functions: a round that starts at or before `safe_position` can read its
// bits and 16 bytes more, and the number of values left before the first round is a multiple of the
// lanes.
struct RoundsTable {
  RoundsFunction functions[kLaneFormCount][kStepFormCount][kOrderCount];
};
const RoundsTable& PortableRounds();
// Precondition: HasAvx2().
const RoundsTable& Avx2Rounds();

// Whether the processor has AVX2, FMA, BMI1 and BMI2.
bool HasAvx2();

}  // namespace lockstep
