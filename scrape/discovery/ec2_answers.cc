#include "scrape/discovery/ec2_answers.h"

#include <algorithm>
#include <array>
#include <set>

#include "absl/strings/str_format.h"
#include "scrape/discovery/meta_labels.h"
#include "scrape/discovery/xml_reader.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kReservation = "DescribeInstancesResponse/reservationSet/item";
constexpr std::string_view kInstancePath =
    "DescribeInstancesResponse/reservationSet/item/instancesSet/item/";

struct InstanceText {
  std::string_view path;  // below kInstancePath
  std::string Ec2Instance::*text;
};

constexpr std::array kInstanceTexts = {
    InstanceText{"instanceId", &Ec2Instance::id},
    InstanceText{"imageId", &Ec2Instance::image},
    InstanceText{"instanceState/name", &Ec2Instance::state},
    InstanceText{"instanceType", &Ec2Instance::type},
    InstanceText{"instanceLifecycle", &Ec2Instance::lifecycle},
    InstanceText{"platform", &Ec2Instance::platform},
    InstanceText{"architecture", &Ec2Instance::architecture},
    InstanceText{"privateIpAddress", &Ec2Instance::private_ip},
    InstanceText{"privateDnsName", &Ec2Instance::private_dns},
    InstanceText{"ipAddress", &Ec2Instance::public_ip},
    InstanceText{"dnsName", &Ec2Instance::public_dns},
    InstanceText{"placement/availabilityZone", &Ec2Instance::zone},
    InstanceText{"placement/availabilityZoneId", &Ec2Instance::zone_id},
    InstanceText{"vpcId", &Ec2Instance::vpc},
    InstanceText{"subnetId", &Ec2Instance::subnet},
};

// Whether `path` starts with `parent`, which is then removed from it.
bool Descend(std::string_view parent, std::string_view& path) {
  if (!path.starts_with(parent)) return false;
  path.remove_prefix(parent.size());
  return true;
}

absl::Status CheckRoot(std::string_view path, std::string_view root) {
  if (path.find('/') != std::string_view::npos || path == root) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("the answer is \"%s\", not %s", path.substr(0, 100), root));
}

class InstancesReader : public XmlVisitor {
 public:
  Ec2Page TakePage() { return std::move(page_); }

  absl::Status Begin(std::string_view path) override {
    LOCKSTEP_RETURN_IF_ERROR(CheckRoot(path, "DescribeInstancesResponse"));
    if (path == kReservation) first_of_reservation_ = page_.instances.size();
    if (path == kInstancePath.substr(0, kInstancePath.size() - 1)) {
      return AddTo(page_.instances);
    }
    if (!Descend(kInstancePath, path)) return absl::OkStatus();
    if (path == "tagSet/item") return AddTo(instance().tags);
    if (path == "networkInterfaceSet/item") return AddTo(instance().interfaces);
    if (path == "networkInterfaceSet/item/ipv6AddressesSet/item") return AddTo(interface().ipv6);
    return absl::OkStatus();
  }

  absl::Status End(std::string_view path, std::string_view text) override {
    LOCKSTEP_RETURN_IF_ERROR(page_.memory.Add(text.size()));
    if (path == "DescribeInstancesResponse/nextToken") {
      page_.next_token = text;
    } else if (path == "DescribeInstancesResponse/reservationSet/item/ownerId") {
      owner_ = text;
    } else if (path == kReservation) {
      return EndReservation();
    } else if (Descend(kInstancePath, path)) {
      TakeText(path, text);
    }
    return absl::OkStatus();
  }

 private:
  // A growing vector has up to twice the capacity that it needs.
  template <typename Item>
  absl::Status AddTo(std::vector<Item>& list) {
    LOCKSTEP_RETURN_IF_ERROR(page_.memory.Add(2 * sizeof(Item)));
    list.emplace_back();
    return absl::OkStatus();
  }

  Ec2Instance& instance() { return page_.instances.back(); }
  Ec2Instance::Interface& interface() { return instance().interfaces.back(); }

  // The owner may come before or after its instances.
  absl::Status EndReservation() {
    const size_t count = page_.instances.size() - first_of_reservation_;
    LOCKSTEP_RETURN_IF_ERROR(page_.memory.Add(count * owner_.size()));
    for (size_t i = first_of_reservation_; i < page_.instances.size(); ++i) {
      page_.instances[i].owner = owner_;
    }
    owner_.clear();
    return absl::OkStatus();
  }

  void TakeText(std::string_view path, std::string_view text) {
    const auto known = std::ranges::find(kInstanceTexts, path, &InstanceText::path);
    if (known != kInstanceTexts.end()) {
      instance().*known->text = text;
    } else if (Descend("tagSet/item/", path)) {
      if (path == "key") instance().tags.back().first = text;
      if (path == "value") instance().tags.back().second = text;
    } else if (Descend("networkInterfaceSet/item/", path)) {
      if (path == "subnetId") interface().subnet = text;
      if (path == "attachment/deviceIndex") interface().device_index = text;
      if (!Descend("ipv6AddressesSet/item/", path)) return;
      if (path == "ipv6Address") interface().ipv6.back().address = text;
      if (path == "isPrimaryIpv6") interface().ipv6.back().is_primary = text == "true";
    }
  }

  Ec2Page page_;
  size_t first_of_reservation_ = 0;
  std::string owner_;
};

class ZonesReader : public XmlVisitor {
 public:
  Ec2Zones TakeZones() { return std::move(zones_); }

  absl::Status Begin(std::string_view path) override {
    return CheckRoot(path, "DescribeAvailabilityZonesResponse");
  }

  absl::Status End(std::string_view path, std::string_view text) override {
    if (!Descend("DescribeAvailabilityZonesResponse/availabilityZoneInfo/item", path)) {
      return absl::OkStatus();
    }
    if (path == "/zoneName") name_ = text;
    if (path == "/zoneId") id_ = text;
    if (!path.empty()) return absl::OkStatus();
    if (!name_.empty() && !id_.empty()) zones_[name_] = id_;
    name_.clear();
    id_.clear();
    return absl::OkStatus();
  }

 private:
  Ec2Zones zones_;
  std::string name_, id_;
};

// The first error of an answer.
class RefusalReader : public XmlVisitor {
 public:
  std::string refusal() const {
    return code_.empty() ? "" : absl::StrFormat("%s: %s", code_, message_);
  }

  absl::Status Begin(std::string_view path) override { return CheckRoot(path, "Response"); }

  absl::Status End(std::string_view path, std::string_view text) override {
    if (!Descend("Response/Errors/Error/", path)) return absl::OkStatus();
    if (path == "Code" && code_.empty()) code_ = text;
    if (path == "Message" && message_.empty()) message_ = text;
    return absl::OkStatus();
  }

 private:
  std::string code_, message_;
};

// ",a,b,", so that a regex can match the whole item ",a,"; "" for an empty list.
std::string ListOf(const std::vector<std::string_view>& items) {
  std::string list = items.empty() ? "" : ",";
  for (const std::string_view item : items) absl::StrAppendFormat(&list, "%s,", item);
  return list;
}

struct Ipv6Addresses {
  std::vector<std::string_view> all;
  std::vector<std::string_view> primary;  // by device index of the interface

  std::string_view first() const {
    for (const auto* const list : {&primary, &all}) {
      for (const std::string_view address : *list) {
        if (!address.empty()) return address;
      }
    }
    return "";
  }
};

void AddPrimary(std::string_view device_index, std::string_view address,
                std::vector<std::string_view>& primary) {
  // More than enough for the interfaces of any instance.
  constexpr size_t kMaxIndexDigits = 2;
  if (device_index.empty() || device_index.size() > kMaxIndexDigits) return;
  size_t index = 0;
  for (const char digit : device_index) {
    if (digit < '0' || digit > '9') return;
    index = 10 * index + static_cast<size_t>(digit - '0');
  }
  if (primary.size() <= index) primary.resize(index + 1);
  primary[index] = address;
}

Ipv6Addresses Ipv6AddressesOf(const Ec2Instance& instance) {
  Ipv6Addresses addresses;
  if (instance.vpc.empty()) return addresses;
  for (const Ec2Instance::Interface& interface : instance.interfaces) {
    if (interface.subnet.empty()) continue;
    for (const Ec2Instance::Ipv6Address& ipv6 : interface.ipv6) {
      if (ipv6.address.empty()) continue;
      addresses.all.push_back(ipv6.address);
      if (ipv6.is_primary) AddPrimary(interface.device_index, ipv6.address, addresses.primary);
    }
  }
  return addresses;
}

std::vector<std::string_view> SubnetsOf(const Ec2Instance& instance) {
  std::vector<std::string_view> subnets;
  std::set<std::string_view> known = {""};
  for (const Ec2Instance::Interface& interface : instance.interfaces) {
    if (known.insert(interface.subnet).second) subnets.push_back(interface.subnet);
  }
  return subnets;
}

void SetNetwork(const Ec2Instance& instance, const Ipv6Addresses& ipv6, MetaLabels& labels) {
  labels.Set("private_ip", instance.private_ip);
  labels.Set("private_dns_name", instance.private_dns);
  labels.Set("public_ip", instance.public_ip);
  if (!instance.public_ip.empty()) labels.Set("public_dns_name", instance.public_dns);
  labels.Set("default_ipv6_address", ipv6.first());
  labels.Set("primary_ipv6_addresses", ListOf(ipv6.primary));
  labels.Set("ipv6_addresses", ListOf(ipv6.all));
  if (instance.vpc.empty()) return;
  labels.Set("vpc_id", instance.vpc);
  labels.Set("primary_subnet_id", instance.subnet);
  labels.Set("subnet_id", ListOf(SubnetsOf(instance)));
}

void SetZone(const Ec2Instance& instance, const Ec2Zones& zones, MetaLabels& labels) {
  labels.Set("availability_zone", instance.zone);
  const auto known = zones.find(instance.zone);
  labels.Set("availability_zone_id", known == zones.end() ? instance.zone_id : known->second);
}

}  // namespace

absl::StatusOr<Ec2Page> ReadEc2Page(std::string_view xml) {
  InstancesReader reader;
  LOCKSTEP_RETURN_IF_ERROR(ReadXml(xml, reader));
  return reader.TakePage();
}

absl::StatusOr<Ec2Zones> ReadEc2Zones(std::string_view xml) {
  ZonesReader reader;
  LOCKSTEP_RETURN_IF_ERROR(ReadXml(xml, reader));
  return reader.TakeZones();
}

std::string Ec2Refusal(std::string_view xml) {
  RefusalReader reader;
  return ReadXml(xml, reader).ok() ? reader.refusal() : "";
}

absl::Status AddEc2Targets(const Ec2Page& page, std::string_view region, const Ec2Zones& zones,
                           uint16_t port, FoundTargets& found) {
  for (const Ec2Instance& instance : page.instances) {
    const Ipv6Addresses ipv6 = Ipv6AddressesOf(instance);
    const std::string_view address =
        instance.private_ip.empty() ? ipv6.first() : std::string_view(instance.private_ip);
    if (address.empty()) continue;
    MetaLabels labels("__meta_ec2_");
    labels.Set("region", region);
    labels.Set("instance_id", instance.id);
    labels.Set("owner_id", instance.owner);
    labels.Set("ami", instance.image);
    labels.Set("instance_state", instance.state);
    labels.Set("instance_type", instance.type);
    labels.Set("instance_lifecycle", instance.lifecycle);
    labels.Set("platform", instance.platform);
    labels.Set("architecture", instance.architecture);
    SetNetwork(instance, ipv6, labels);
    SetZone(instance, zones, labels);
    for (const auto& [key, value] : instance.tags) {
      labels.Set(absl::StrFormat("tag_%s", LabelNameOf(key)), value);
    }
    TargetGroup group;
    group.source = absl::StrFormat("ec2/%s", instance.id);
    group.addresses = {HostWithPort(address, port)};
    LOCKSTEP_ASSIGN_OR_RETURN(group.labels, labels.Build());
    LOCKSTEP_RETURN_IF_ERROR(found.Add(std::move(group)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
