// The time by which targets are scraped and samples stamped.
#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::scrape {

// Unix milliseconds.
inline int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace lockstep::scrape
