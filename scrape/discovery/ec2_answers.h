// Reads responses of Amazon EC2's API, version 2016-11-15, and makes targets of them. Pure, except
// that it charges the memory budget.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

// Every text is "" if the answer lacks it.
struct Ec2Instance {
  struct Ipv6Address {
    std::string address;
    bool is_primary = false;
  };
  struct Interface {
    std::string subnet;
    std::string device_index;
    std::vector<Ipv6Address> ipv6;
  };

  std::string id, owner, image, state, type, lifecycle, platform, architecture;
  std::string private_ip, private_dns, public_ip, public_dns;
  std::string zone, zone_id, vpc, subnet;
  std::vector<Interface> interfaces;
  std::vector<std::pair<std::string, std::string>> tags;
};

// A page of DescribeInstances.
struct Ec2Page {
  std::vector<Ec2Instance> instances;
  std::string next_token;  // of the page behind it, "" if it is the last
  MemoryCharge memory{MemoryAccount::kScrapes};
};

// kInvalidArgument if `xml` is not a page.
absl::StatusOr<Ec2Page> ReadEc2Page(std::string_view xml);

// An answer to DescribeAvailabilityZones: the ids by name, "us-east-1a" -> "use1-az4".
using Ec2Zones = std::map<std::string, std::string>;
absl::StatusOr<Ec2Zones> ReadEc2Zones(std::string_view xml);

// The message of an error response: "AuthFailure: AWS was not able to validate the provided access
// credentials". "" if `xml` is not one.
std::string Ec2Refusal(std::string_view xml);

// A target for each instance that has an address.
absl::Status AddEc2Targets(const Ec2Page& page, std::string_view region, const Ec2Zones& zones,
                           uint16_t port, FoundTargets& found);

}  // namespace lockstep::scrape
