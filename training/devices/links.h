// Counters of network interfaces and NVLinks, and which links have problems that others do not.
//
// Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/evidence.h"
#include "training/job/job.h"

namespace lockstep::training {

// The roles of an interface's series that training answers use.
inline constexpr std::array kLinkRoles = {
    Role::kNicTransmitBytesTotal, Role::kNicReceiveBytesTotal,     Role::kNicRateBytesPerSecond,
    Role::kNicSymbolErrorsTotal,  Role::kNicLinkDownedTotal,       Role::kNicLinkRecoveriesTotal,
    Role::kNicOutOfSequenceTotal, Role::kNicTimeoutsTotal,         Role::kNicRetransmitsTotal,
    Role::kNicReceiveDropsTotal,  Role::kNicTransmitDiscardsTotal,
};

enum class LinkKind { kInfiniBand, kEthernet, kNvlink };

// Links of one kind are compared with each other; Ethernet links only with those of the same name.
struct NetworkLink {
  LinkKind kind = LinkKind::kInfiniBand;
  std::string host = {};    // spelled as in the job's ranks
  std::string device = {};  // "mlx5_0", "eth0"
  SeriesByRole<kLinkRoles> series = {};

  CounterSeries& operator[](Role role) { return series[role]; }
  const CounterSeries& operator[](Role role) const { return series[role]; }
};

// A link that counts errors or drops, negotiated a lower rate, or carries less than before, while
// most similar links do not.
struct LinkTrouble {
  std::vector<size_t> rows;  // the job's ranks behind it
  Evidence evidence;
};

// Compares links in `time` with the other links and with their own values in `before` (may be
// empty). Returns nothing if more than half of the job's ranks are behind such links: then the
// fabric is at fault, not a rank. `devices` as in StragglerInput.
std::vector<LinkTrouble> LinkTroubles(const Job& job, std::span<const NetworkLink> links,
                                      std::span<const GpuCounters> devices, const TimeRange& time,
                                      const TimeRange& before);

}  // namespace lockstep::training
