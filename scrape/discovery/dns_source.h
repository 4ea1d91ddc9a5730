// DNS records as a source of targets, from the name servers in /etc/resolv.conf, whose search list
// counts.
#pragma once

#include <memory>
#include <span>

#include "base/status.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

// `config` has one name. `loopback_port`: 0, or where a name server for tests listens at 127.0.0.1.
std::unique_ptr<TargetSource> MakeDnsSource(DnsDiscovery config, uint16_t loopback_port = 0);

// What the records of the type in a name server's answer are. kInvalidArgument if it is none.
absl::StatusOr<FoundTargets> DnsTargets(const DnsDiscovery& config,
                                        std::span<const unsigned char> answer);

}  // namespace lockstep::scrape
