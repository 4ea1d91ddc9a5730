// The entropy coder: tabled asymmetric numeral systems. A coder's state is a number below 2^table_log;
// every state belongs to a bin, and a bin of weight w has w states. Reading a bin is looking its
// state up; the next state is the entry's base plus a few bits of the stream. A bin with a share p of
// the states so takes -log2(p) bits on average, fractions included.
//
// Writing goes backwards: from the last bin to the first, each step giving the bits that the reader
// will need to get to the state that comes after.
//
// Source: Duda, "Asymmetric numeral systems", 2013; the spreading of states is that of Yann Collet's
// FSE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/chunk/bins.h"

namespace lockstep {

// One state of a reader.
struct AnsEntry {
  uint32_t next_base = 0;
  uint8_t state_bits = 0;   // to add to next_base
  uint8_t offset_bits = 0;  // of the bin
  uint8_t bin = 0;
  uint8_t unused = 0;  // eight bytes: a table is indexed by the processor's addressing
};

// The entries of all states. Precondition: `set` has a bin at least.
std::vector<AnsEntry> MakeAnsEntries(const BinSet& set);

class AnsWriter {
 public:
  // Precondition: `set` has a bin at least, of which it keeps nothing.
  explicit AnsWriter(const BinSet& set);

  struct Step {
    uint16_t bits = 0;
    uint8_t bit_count = 0;
  };
  // A state from which a reader reads `bin` as the last of its lane.
  uint16_t Last(uint8_t bin) const { return states_[bins_[bin].first_state]; }
  // Replaces `state` by one from which a reader reads `bin` and, with the bits of the step, gets to
  // what `state` was.
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
    uint32_t first_state = 0;  // of `weight` neighbours in states_
    // Added to a state plus 2^table_log, the upper half is the number of bits to give.
    uint32_t bit_count_base = 0;
  };

  uint32_t state_count_;
  std::vector<BinStates> bins_;
  std::vector<uint16_t> states_;  // bin by bin
};

}  // namespace lockstep
