// DNS records as a source of targets, from the name servers in /etc/resolv.conf and with its search
// list.
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/discovery/meta_labels.h"
#include "scrape/discovery/sources.h"

namespace lockstep::scrape {
namespace {

// The timeout and the number of tries per name server.
constexpr int kTimeoutS = 2;
constexpr int kTries = 2;

ns_type TypeOf(DnsRecordType type) {
  switch (type) {
    case DnsRecordType::kSrv:
      return ns_t_srv;
    case DnsRecordType::kA:
      return ns_t_a;
    case DnsRecordType::kAaaa:
      return ns_t_aaaa;
    case DnsRecordType::kMx:
      return ns_t_mx;
    case DnsRecordType::kNs:
      return ns_t_ns;
  }
  return ns_t_invalid;
}

// A record's target. With an empty host, it is not a target.
struct Record {
  std::string host;
  uint16_t port = 0;
  std::string_view label;  // label for the host's name: "srv_record"; "": it is an address
};

std::string AddressOf(int family, const unsigned char* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* const written = inet_ntop(family, bytes, text.data(), text.size());
  return written == nullptr ? "" : written;
}

class AnswerReader {
 public:
  AnswerReader(const DnsDiscovery& config, std::span<const unsigned char> answer)
      : config_(config), answer_(answer) {}

  // Parsed here because the C library's functions for it are in a separate library. Source: RFC
  // 1035, 4.1.
  absl::StatusOr<FoundTargets> Read() {
    if (answer_.size() < NS_HFIXEDSZ) return Malformed();
    const unsigned questions = NumberAt(answer_, 4), answers = NumberAt(answer_, 6);
    at_ = NS_HFIXEDSZ;
    for (unsigned i = 0; i < questions; ++i) {
      if (!SkipName() || !Skip(NS_QFIXEDSZ)) return Malformed();
    }
    FoundTargets found;
    for (unsigned i = 0; i < answers; ++i) {
      if (!SkipName() || answer_.size() - at_ < NS_RRFIXEDSZ) return Malformed();
      const unsigned type = NumberAt(answer_, at_), size = NumberAt(answer_, at_ + 8);
      at_ += NS_RRFIXEDSZ;
      const size_t begin = at_;
      if (!Skip(size)) return Malformed();
      // Skips aliases.
      if (type != TypeOf(config_.type)) continue;
      LOCKSTEP_ASSIGN_OR_RETURN(const Record record, ReadRecord(answer_.subspan(begin, size)));
      if (!record.host.empty()) LOCKSTEP_RETURN_IF_ERROR(found.Add(TargetOf(record)));
    }
    // Name servers vary the order of their answers.
    std::ranges::sort(found.groups, {}, [](const TargetGroup& group) {
      return std::pair(group.addresses.front(), group.labels.bytes());
    });
    return found;
  }

 private:
  static uint16_t NumberAt(std::span<const unsigned char> bytes, size_t at) {
    return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
  }

  // False if the answer ends earlier.
  bool Skip(size_t bytes) {
    if (answer_.size() - at_ < bytes) return false;
    at_ += bytes;
    return true;
  }
  bool SkipName() {
    const unsigned char* const begin = answer_.data() + at_;
    const int size = dn_skipname(begin, answer_.data() + answer_.size());
    return size >= 0 && Skip(static_cast<size_t>(size));
  }

  absl::Status Malformed() const {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: the name server's answer is malformed", config_.names.front()));
  }

  absl::StatusOr<Record> ReadRecord(std::span<const unsigned char> data) const {
    constexpr size_t kMxNameAt = 2;
    constexpr size_t kSrvPortAt = 4;
    constexpr size_t kSrvNameAt = 6;
    Record record;
    record.port = config_.port;
    switch (config_.type) {
      case DnsRecordType::kA:
        if (data.size() != sizeof(in_addr)) return Malformed();
        record.host = AddressOf(AF_INET, data.data());
        return record;
      case DnsRecordType::kAaaa:
        if (data.size() != sizeof(in6_addr)) return Malformed();
        record.host = AddressOf(AF_INET6, data.data());
        return record;
      case DnsRecordType::kNs:
        return ReadName(data, 0, "ns_record", record);
      case DnsRecordType::kMx:
        return ReadName(data, kMxNameAt, "mx_record", record);
      case DnsRecordType::kSrv:
        if (data.size() < kSrvNameAt) return Malformed();
        record.port = NumberAt(data, kSrvPortAt);
        return ReadName(data, kSrvNameAt, "srv_record", record);
    }
    return record;
  }

  absl::StatusOr<Record> ReadName(std::span<const unsigned char> data, size_t at,
                                  std::string_view label, Record record) const {
    std::array<char, NS_MAXDNAME> name{};
    const unsigned char* const end = answer_.data() + answer_.size();
    if (at >= data.size() || dn_expand(answer_.data(), end, data.data() + at, name.data(),
                                       static_cast<int>(name.size())) < 0) {
      return Malformed();
    }
    // The root name means that there is no such service.
    record.host = name.data();
    record.label = label;
    return record;
  }

  TargetGroup TargetOf(const Record& record) const {
    MetaLabels labels("__meta_dns_");
    labels.Set("name", config_.names.front());
    if (!record.label.empty()) {
      labels.Set(absl::StrFormat("%s_target", record.label), record.host + ".");
    }
    if (config_.type == DnsRecordType::kSrv) {
      labels.Set("srv_record_port", std::to_string(record.port));
    }
    TargetGroup group;
    group.source = config_.names.front();
    group.addresses = {HostWithPort(record.host, record.port)};
    // A few short texts from an answer of at most 64 KiB, so memory suffices.
    if (auto built = labels.Build(); built.ok()) group.labels = *std::move(built);
    return group;
  }

  const DnsDiscovery& config_;
  const std::span<const unsigned char> answer_;
  size_t at_ = 0;
};

// The C library's resolver with its own state.
class Resolver {
 public:
  Resolver() { is_ready_ = res_ninit(&state_) == 0; }
  ~Resolver() {
    if (is_ready_) res_nclose(&state_);
  }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  void AskLoopback(uint16_t port) {
    state_.nscount = 1;
    state_.nsaddr_list[0] = {};
    state_.nsaddr_list[0].sin_family = AF_INET;
    state_.nsaddr_list[0].sin_port = htons(port);
    state_.nsaddr_list[0].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }

  // Fills `answer` and returns its size; 0 if there are no such records.
  absl::StatusOr<size_t> Ask(const std::string& name, ns_type type,
                             std::span<unsigned char> answer) {
    if (!is_ready_) return absl::UnavailableError("the resolver could not be set up");
    state_.retrans = kTimeoutS;
    state_.retry = kTries;
    const int size = res_nsearch(&state_, name.c_str(), ns_c_in, type, answer.data(),
                                 static_cast<int>(answer.size()));
    if (size >= 0) return std::min(static_cast<size_t>(size), answer.size());
    const int error = state_.res_h_errno;
    if (error == HOST_NOT_FOUND || error == NO_DATA) return 0;
    return absl::UnavailableError(absl::StrFormat("%s: %s", name, hstrerror(error)));
  }

 private:
  struct __res_state state_ = {};
  bool is_ready_ = false;
};

class DnsSource : public TargetSource {
 public:
  DnsSource(DnsDiscovery config, uint16_t loopback_port)
      : config_(std::move(config)), loopback_port_(loopback_port) {}

  std::string name() const override {
    return absl::StrFormat("%s records of %s", Name(config_.type), config_.names.front());
  }

  absl::StatusOr<std::optional<FoundTargets>> Look() override {
    constexpr size_t kMaxAnswerBytes = 64 << 10;
    // Created for each lookup, to notice changes of /etc/resolv.conf.
    Resolver resolver;
    if (loopback_port_ != 0) resolver.AskLoopback(loopback_port_);
    std::vector<unsigned char> answer(kMaxAnswerBytes);
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t size,
                              resolver.Ask(config_.names.front(), TypeOf(config_.type), answer));
    if (size == 0) return FoundTargets();
    LOCKSTEP_ASSIGN_OR_RETURN(FoundTargets found,
                              DnsTargets(config_, std::span(answer).first(size)));
    return found;
  }

 private:
  const DnsDiscovery config_;
  const uint16_t loopback_port_;
};

}  // namespace

absl::StatusOr<FoundTargets> DnsTargets(const DnsDiscovery& config,
                                        std::span<const unsigned char> answer) {
  return AnswerReader(config, answer).Read();
}

std::unique_ptr<TargetSource> MakeDnsSource(DnsDiscovery config, uint16_t loopback_port) {
  return std::make_unique<DnsSource>(std::move(config), loopback_port);
}

}  // namespace lockstep::scrape
