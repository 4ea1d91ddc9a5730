// The entropy coder: tabled asymmetric numeral systems. A coder's state is a number below
// 2^table_log; every state belongs to a bin, and a bin of weight w has w states. To read a bin,
// look up its state; the next state is the entry's base plus a few bits of the stream. So a bin
// with a share p of the states takes -log2(p) bits on average, fractions included.
//
// The writer works backwards, from the last bin to the first. Each step emits the bits that the
// reader needs to reach the next state.
//
// Source: Duda, "Asymmetric numeral systems", 2013; the spread of states follows Yann Collet's FSE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/chunk/integers/bins.h"

namespace lockstep {

// One state of a reader.
struct AnsEntry {
  uint32_t next_base = 0;
  uint8_t state_bits = 0;   // added to next_base
  uint8_t offset_bits = 0;  // the bin's
  uint8_t bin = 0;
  uint8_t unused = 0;  // eight bytes, so that the processor's addressing modes can index a table
};

// Replaces `entries` with those of all states. Precondition: `set` has at least one bin.
void FillAnsEntries(const BinSet& set, std::vector<AnsEntry>& entries);

class AnsWriter {
 public:
  // Precondition: `set` has at least one bin. The writer keeps no reference to it.
  explicit AnsWriter(const BinSet& set);

  struct Step {
    uint16_t bits = 0;
    uint8_t bit_count = 0;
  };
  // A state from which a reader reads `bin` as the last bin of its lane.
  uint16_t Last(uint8_t bin) const { return states_[bins_[bin].first_state]; }
  // Replaces `state` with one from which a reader reads `bin` and then, using the bits of the step,
  // returns to the old `state`.
  Step Put(uint8_t bin, uint16_t& state) const {
    const BinStates& states = bins_[bin];
    const uint32_t full = state_count_ + state;
    const auto bit_count = static_cast<uint8_t>((full + states.bit_count_base) >> 16);
    const Step step{static_cast<uint16_t>(full & ((1u << bit_count) - 1)), bit_count};
    state = states_[states.first_state + (full >> bit_count) - states.weight];
    return step;
  }

 private:
  struct BinStates {
    uint32_t weight = 0;
    uint32_t first_state = 0;  // the first of `weight` neighbours in states_
    // Added to a state plus 2^table_log; the upper half of the sum is the number of bits to emit.
    uint32_t bit_count_base = 0;
  };

  uint32_t state_count_;
  std::vector<BinStates> bins_;
  std::vector<uint16_t> states_;  // by bin
};

}  // namespace lockstep
