// SampleFates: what a server did with the samples it accepted. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::importer {

struct SampleFates {
  uint64_t stored = 0;       // new samples
  uint64_t duplicate = 0;    // already stored
  uint64_t overwritten = 0;  // replaced a different value of the same series and time

  SampleFates& operator+=(const SampleFates& other) {
    stored += other.stored;
    duplicate += other.duplicate;
    overwritten += other.overwritten;
    return *this;
  }
  friend bool operator==(const SampleFates&, const SampleFates&) = default;
};

// Parses the header X-Lockstep-Samples: "new=3, duplicate=2, overwritten=1". Nothing if malformed.
std::optional<SampleFates> ReadSampleFates(std::string_view header);

}  // namespace lockstep::importer
