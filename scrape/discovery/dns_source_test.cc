#include "scrape/discovery/sources.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;

// A name as length-prefixed labels: "\3www\7example\0".
std::string WireName(std::string_view name) {
  std::string wire;
  while (!name.empty()) {
    const size_t end = std::min(name.find('.'), name.size());
    wire += static_cast<char>(end);
    wire += name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return wire + '\0';
}

std::string Number16(unsigned number) {
  return {static_cast<char>(number >> 8), static_cast<char>(number & 0xff)};
}

constexpr unsigned kA = 1, kNs = 2, kAlias = 5, kMx = 15, kAaaa = 28, kSrv = 33;

struct WireRecord {
  unsigned type;
  std::string data;
};

// A name server on its own port that gives the same records to every query.
class NameServer {
 public:
  NameServer(unsigned code, std::vector<WireRecord> records)
      : code_(code), records_(std::move(records)) {
    socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, plain, size), 0);
    EXPECT_EQ(getsockname(socket_, plain, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~NameServer() {
    // Wakes the thread.
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    EXPECT_EQ(sendto(socket_, "", 0, 0, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    thread_.join();
    close(socket_);
  }

  uint16_t port() const { return port_; }

 private:
  void Serve() {
    std::array<char, 4096> bytes;
    while (true) {
      sockaddr_in client{};
      socklen_t size = sizeof(client);
      auto* const address = reinterpret_cast<sockaddr*>(&client);
      const ssize_t got = recvfrom(socket_, bytes.data(), bytes.size(), 0, address, &size);
      if (got <= 0) return;
      const std::string answer = AnswerTo({bytes.data(), static_cast<size_t>(got)});
      sendto(socket_, answer.data(), answer.size(), 0, address, size);
    }
  }

  std::string AnswerTo(std::string_view question) const {
    constexpr size_t kHeaderBytes = 12;
    const size_t name_end = question.find('\0', kHeaderBytes);
    const std::string asked(question.substr(kHeaderBytes, name_end + 5 - kHeaderBytes));
    std::string answer(question.substr(0, 2));
    answer += Number16(0x8180 | code_) + Number16(1) +
              Number16(static_cast<unsigned>(records_.size())) + Number16(0) + Number16(0) + asked;
    for (const WireRecord& record : records_) {
      // The name refers to the question.
      answer += Number16(0xc00c) + Number16(record.type) + Number16(1) + Number16(0) +
                Number16(60) + Number16(static_cast<unsigned>(record.data.size())) + record.data;
    }
    return answer;
  }

  const unsigned code_;
  const std::vector<WireRecord> records_;
  int socket_ = -1;
  uint16_t port_ = 0;
  std::thread thread_;
};

absl::StatusOr<std::vector<std::string>> Look(DnsRecordType type, unsigned code,
                                              std::vector<WireRecord> records) {
  const NameServer server(code, std::move(records));
  DnsDiscovery config;
  config.names = {"nodes.example."};
  config.type = type;
  config.port = 9100;
  const auto found = MakeDnsSource(config, server.port())->Look();
  if (!found.ok()) return found.status();
  std::vector<std::string> targets;
  for (const TargetGroup& group : (*found)->groups) {
    targets.push_back(group.addresses.at(0) + " " + group.labels.ToString());
  }
  return targets;
}

constexpr unsigned kNoError = 0, kServerFailure = 2, kNoSuchName = 3;

TEST(DnsSourceTest, RecordsBecomeTargets) {
  const std::string name = R"({__meta_dns_name="nodes.example.")";
  EXPECT_THAT(*Look(DnsRecordType::kA, kNoError,
                    {{kAlias, WireName("alias.example")},
                     {kA, "\x0a\x01\x01\x02"},
                     {kA, "\x0a\x01\x01\x01"}}),
              ElementsAre("10.1.1.1:9100 " + name + "}", "10.1.1.2:9100 " + name + "}"));
  EXPECT_THAT(
      *Look(DnsRecordType::kAaaa, kNoError, {{kAaaa, "\xfd" + std::string(14, '\0') + "\x07"}}),
      ElementsAre("[fd00::7]:9100 " + name + "}"));
  EXPECT_THAT(*Look(DnsRecordType::kMx, kNoError, {{kMx, Number16(5) + WireName("m.example")}}),
              ElementsAre("m.example:9100 {__meta_dns_mx_record_target=\"m.example.\", "
                          "__meta_dns_name=\"nodes.example.\"}"));
  EXPECT_THAT(*Look(DnsRecordType::kNs, kNoError, {{kNs, WireName("n.example")}}),
              ElementsAre("n.example:9100 {__meta_dns_name=\"nodes.example.\", "
                          "__meta_dns_ns_record_target=\"n.example.\"}"));
  EXPECT_THAT(*Look(DnsRecordType::kSrv, kNoError,
                    {{kSrv, Number16(1) + Number16(2) + Number16(9400) + WireName("s.example")},
                     // No such service.
                     {kSrv, Number16(1) + Number16(2) + Number16(1) + WireName("")}}),
              ElementsAre("s.example:9400 {__meta_dns_name=\"nodes.example.\", "
                          "__meta_dns_srv_record_port=\"9400\", "
                          "__meta_dns_srv_record_target=\"s.example.\"}"));
}

TEST(DnsSourceTest, ANameWithoutRecordsHasNoTargets) {
  EXPECT_THAT(*Look(DnsRecordType::kA, kNoSuchName, {}), ElementsAre());
  EXPECT_THAT(*Look(DnsRecordType::kA, kNoError, {}), ElementsAre());
}

TEST(DnsSourceTest, IsNamedByWhatItAsks) {
  DnsDiscovery config;
  config.names = {"nodes.example"};
  EXPECT_EQ(MakeDnsSource(config)->name(), "SRV records of nodes.example");
  config.type = DnsRecordType::kAaaa;
  EXPECT_EQ(MakeDnsSource(config)->name(), "AAAA records of nodes.example");
}

TEST(DnsSourceTest, ARootNameIsNoTarget) {
  EXPECT_THAT(*Look(DnsRecordType::kMx, kNoError, {{kMx, Number16(0) + WireName("")}}),
              ElementsAre());
  EXPECT_THAT(*Look(DnsRecordType::kNs, kNoError, {{kNs, WireName("")}}), ElementsAre());
}

TEST(DnsSourceTest, TargetsAreInOrder) {
  const auto srv = [](unsigned port, const char* name) {
    return WireRecord{kSrv, Number16(1) + Number16(2) + Number16(port) + WireName(name)};
  };
  const auto targets =
      *Look(DnsRecordType::kSrv, kNoError, {srv(2, "b.x"), srv(65535, "a.x"), srv(1, "b.x")});
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_TRUE(targets[0].starts_with("a.x:65535 ")) << targets[0];
  EXPECT_TRUE(targets[1].starts_with("b.x:1 ")) << targets[1];
  EXPECT_TRUE(targets[2].starts_with("b.x:2 ")) << targets[2];
}

TEST(DnsSourceTest, SaysWhoseAnswerIsMalformed) {
  for (const auto& [type, record] : std::vector<std::pair<DnsRecordType, WireRecord>>{
           {DnsRecordType::kA, {kA, "abc"}},
           {DnsRecordType::kA, {kA, "abcde"}},
           {DnsRecordType::kAaaa, {kAaaa, std::string(15, 'a')}},
           {DnsRecordType::kMx, {kMx, "ab"}},
           {DnsRecordType::kNs, {kNs, ""}},
           {DnsRecordType::kSrv, {kSrv, "abcde"}},
           {DnsRecordType::kSrv, {kSrv, "abcdef"}}}) {
    EXPECT_EQ(Message(Look(type, kNoError, {record}).status()),
              "nodes.example.: the name server's answer is malformed");
  }
}

TEST(DnsSourceTest, AServerThatFailsIsAnError) {
  const auto targets = Look(DnsRecordType::kA, kServerFailure, {});
  EXPECT_EQ(targets.status().code(), absl::StatusCode::kUnavailable);
}

TEST(DnsSourceTest, AMalformedAnswerIsAnError) {
  EXPECT_FALSE(Look(DnsRecordType::kA, kNoError, {{kA, "abc"}}).ok());
  EXPECT_FALSE(Look(DnsRecordType::kMx, kNoError, {{kMx, "a"}}).ok());
  EXPECT_FALSE(Look(DnsRecordType::kSrv, kNoError, {{kSrv, "abcdef"}}).ok());
  EXPECT_FALSE(Look(DnsRecordType::kNs, kNoError,
                    {{kNs,
                      "\x3f"
                      "abc"}})
                   .ok());
}

// Every truncation cuts off a record.
TEST(DnsTargetsTest, EveryCutOfAnAnswerIsAnError) {
  DnsDiscovery config;
  config.names = {"n.example"};
  const std::string answer = Number16(7) + Number16(0x8180) + Number16(1) + Number16(1) +
                             Number16(0) + Number16(0) + WireName("n.example") + Number16(kSrv) +
                             Number16(1) + Number16(0xc00c) + Number16(kSrv) + Number16(1) +
                             Number16(0) + Number16(60) + Number16(17) + Number16(0) + Number16(0) +
                             Number16(80) + WireName("h.example");
  for (size_t size = 0; size <= answer.size(); ++size) {
    // A copy, so that sanitizers notice reads past its end.
    const std::vector<unsigned char> cut(answer.begin(), answer.begin() + size);
    EXPECT_EQ(DnsTargets(config, cut).ok(), size == answer.size()) << size;
  }
}

}  // namespace
}  // namespace lockstep::scrape
