// What network interfaces and NVLinks count, and which of them are in trouble while others are not.
//
// Pure functions: any thread, nothing kept.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "training/devices.h"
#include "training/evidence.h"
#include "training/job.h"

namespace lockstep::training {

// Totals since the link's host started, but for the rate.
enum class LinkCounter {
  kSentBytes,
  kReceivedBytes,
  kRateBytesPerS,  // what the link can carry, as it was negotiated
  kSymbolErrors,
  kLinkDowned,
  kLinkRecoveries,
  kOutOfSequence,
  kTimeouts,
  kRetransmits,
  kReceiveDrops,
  kSendDiscards,
};
inline constexpr size_t kLinkCounterCount = static_cast<size_t>(LinkCounter::kSendDiscards) + 1;

enum class LinkKind { kInfiniBand, kEthernet, kNvlink };

// Those of one kind are compared with each other; of Ethernet, those of one name.
struct NetworkLink {
  LinkKind kind = LinkKind::kInfiniBand;
  std::string host = {};    // as the job's ranks have it
  std::string device = {};  // "mlx5_0", "eth0"
  std::array<CounterSeries, kLinkCounterCount> series = {};

  CounterSeries& operator[](LinkCounter counter) { return series[static_cast<size_t>(counter)]; }
  const CounterSeries& operator[](LinkCounter counter) const {
    return series[static_cast<size_t>(counter)];
  }
};

// A link that counts errors or drops, was negotiated lower, or carries less than before, while most like it do not.
struct LinkTrouble {
  std::vector<size_t> rows;  // ranks of the job behind it
  Evidence evidence;
};

// In `time`, against the other links and against what the link did in `before` (may be empty). Nothing if more than
// half of the job's ranks are behind such links: that is the fabric, and no rank. `devices` as in StragglerInput.
std::vector<LinkTrouble> LinkTroubles(const Job& job, std::span<const NetworkLink> links,
                                      std::span<const GpuCounters> devices, const TimeRange& time,
                                      const TimeRange& before);

}  // namespace lockstep::training
