#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/devices/links.h"

namespace lockstep::training {
namespace {

constexpr TimeRange kEarlier = {0, 100'000};
constexpr TimeRange kLater = {100'000, 200'000};

// A counter with one rate per second earlier and another one later.
CounterSeries Counted(double earlier, double later) {
  CounterSeries series;
  double total = 7;
  for (int64_t at = 0; at <= kLater.max_ms; at += 10'000) {
    series.timestamp_ms.push_back(at);
    series.value.push_back(total);
    total += 10 * (at < kEarlier.max_ms ? earlier : later);
  }
  return series;
}

// Two ranks on each of the hosts a, b, c and d, each with one interface.
struct FourHosts {
  FourHosts() {
    for (const char* host : {"a", "b", "c", "d"}) {
      for (int i = 0; i < 2; ++i) {
        job.ranks.push_back({.rank = 10 + static_cast<int64_t>(job.ranks.size()), .host = host});
      }
      links.push_back({LinkKind::kInfiniBand, host, "mlx5_0", {}});
    }
  }

  void Count(Role role, double earlier, double later) {
    for (NetworkLink& link : links) link[role] = Counted(earlier, later);
  }

  std::vector<LinkTrouble> Troubles(const TimeRange& before = kEarlier) const {
    return LinkTroubles(job, links, devices, kLater, before);
  }

  // "symbol_errors 2/0 of 4 5", one a line.
  std::string Words(const TimeRange& before = kEarlier) const {
    std::string text;
    for (const LinkTrouble& trouble : Troubles(before)) {
      const Evidence& evidence = trouble.evidence;
      absl::StrAppendFormat(&text, "%s %g/%g of", evidence.signal, evidence.value,
                            evidence.reference);
      for (const size_t row : trouble.rows) absl::StrAppendFormat(&text, " %d", row);
      text += "\n";
    }
    return text;
  }

  Job job{.name = "made"};
  std::vector<NetworkLink> links;
  std::vector<GpuCounters> devices;
};

// What is found if the interface of host c counts `role` differently.
std::string WordsOf(Role role, double earlier, double later, double others_earlier = 0,
                    double others_later = 0) {
  FourHosts made;
  made.Count(role, others_earlier, others_later);
  made.links[2][role] = Counted(earlier, later);
  return made.Words();
}

TEST(LinkTroubles, SayWhichLinkCountsWhatAndWhoIsBehindIt) {
  FourHosts made;
  made.Count(Role::kNicSymbolErrorsTotal, 0, 0);
  made.links[2][Role::kNicSymbolErrorsTotal] = Counted(0, 2);
  const std::vector<LinkTrouble> troubles = made.Troubles();
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_EQ(troubles[0].rows, (std::vector<size_t>{4, 5}));
  const Evidence& evidence = troubles[0].evidence;
  EXPECT_EQ(evidence.signal, "symbol_errors");
  EXPECT_EQ(evidence.value, 2);
  EXPECT_EQ(evidence.reference, 0);
  EXPECT_EQ(evidence.unit, "1/s");
  EXPECT_EQ(evidence.words, "mlx5_0 on c: rate, against the median of similar links");
}

TEST(LinkTroubles, EachCounterHasALeastRate) {
  const struct {
    Role role;
    double rate;
    const char* found;
  } rows[] = {{Role::kNicLinkDownedTotal, 0.01, "link_downed 0.01/0 of 4 5\n"},
              {Role::kNicLinkRecoveriesTotal, 0.01, "link_recoveries 0.01/0 of 4 5\n"},
              {Role::kNicSymbolErrorsTotal, 0.0625, "symbol_errors 0.0625/0 of 4 5\n"},
              {Role::kNicSymbolErrorsTotal, 0.03125, ""},
              {Role::kNicRetransmitsTotal, 0.0625, "retransmits 0.0625/0 of 4 5\n"},
              {Role::kNicRetransmitsTotal, 0.03125, ""},
              {Role::kNicTimeoutsTotal, 0.0625, "timeouts 0.0625/0 of 4 5\n"},
              {Role::kNicTimeoutsTotal, 0.03125, ""},
              {Role::kNicOutOfSequenceTotal, 0.0625, "out_of_sequence 0.0625/0 of 4 5\n"},
              {Role::kNicOutOfSequenceTotal, 0.03125, ""},
              {Role::kNicTransmitDiscardsTotal, 1, "send_discards 1/0 of 4 5\n"},
              {Role::kNicTransmitDiscardsTotal, 0.875, ""},
              {Role::kNicReceiveDropsTotal, 1, "receive_drops 1/0 of 4 5\n"},
              {Role::kNicReceiveDropsTotal, 0.875, ""}};
  for (const auto& row : rows) EXPECT_EQ(WordsOf(row.role, 0, row.rate), row.found) << row.rate;
}

TEST(LinkTroubles, ErrorsAreFarMoreThanThoseOfOthersAndThanBefore) {
  const Role role = Role::kNicRetransmitsTotal;
  EXPECT_EQ(WordsOf(role, 0, 11, 0, 1), "retransmits 11/1 of 4 5\n");
  EXPECT_EQ(WordsOf(role, 0, 10, 0, 1), "");
  EXPECT_EQ(WordsOf(role, 1, 11), "retransmits 11/0 of 4 5\n");
  EXPECT_EQ(WordsOf(role, 1, 10), "");
}

TEST(LinkTroubles, TheStrongestEvidenceStands) {
  FourHosts made;
  for (const Role role : {Role::kNicLinkDownedTotal, Role::kNicSymbolErrorsTotal}) {
    made.Count(role, 0, 0);
    made.links[2][role] = Counted(0, 3);
  }
  for (NetworkLink& link : made.links) {
    link[Role::kNicRateBytesPerSecond] = {{150'000}, {&link == &made.links[2] ? 10.0 : 100.0}};
  }
  made.Count(Role::kNicTransmitBytesTotal, 100, 100);
  made.links[2][Role::kNicTransmitBytesTotal] = Counted(100, 10);
  EXPECT_EQ(made.Words(), "link_downed 3/0 of 4 5\n");
}

TEST(LinkTroubles, ALinkThatNegotiatedALowerRate) {
  const auto with = [](double rate) {
    FourHosts made;
    for (NetworkLink& link : made.links) link[Role::kNicRateBytesPerSecond] = {{150'000}, {100}};
    made.links[1][Role::kNicRateBytesPerSecond].value = {rate};
    return made;
  };
  EXPECT_EQ(with(94).Words(), "link_rate 94/100 of 2 3\n");
  EXPECT_EQ(with(95).Words(), "");
  const std::vector<LinkTrouble> troubles = with(94).Troubles();
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_EQ(troubles[0].evidence.unit, "bytes/s");
  EXPECT_EQ(troubles[0].evidence.words,
            "mlx5_0 on b: negotiated rate, against the median of similar links");
}

TEST(LinkTroubles, ALinkThatCarriesMuchLessThanOthersAndThanBefore) {
  const Role role = Role::kNicTransmitBytesTotal;
  EXPECT_EQ(WordsOf(role, 100, 49, 100, 100), "link_sent_bytes 49/100 of 4 5\n");
  EXPECT_EQ(WordsOf(role, 80, 49, 100, 100), "link_sent_bytes 49/100 of 4 5\n");
  EXPECT_EQ(WordsOf(role, 100, 50, 100, 100), "");
  EXPECT_EQ(WordsOf(role, 79, 49, 100, 100), "");
  FourHosts made;
  made.Count(role, 100, 100);
  made.links[0][role] = Counted(100, 10);
  const std::vector<LinkTrouble> troubles = made.Troubles();
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_EQ(troubles[0].evidence.unit, "bytes/s");
  EXPECT_EQ(troubles[0].evidence.words,
            "mlx5_0 on a: bytes sent (normal before), against the median of similar links");
}

TEST(LinkTroubles, WithoutAnEarlierTimeErrorsCountAndTrafficDoesNot) {
  FourHosts made;
  made.Count(Role::kNicSymbolErrorsTotal, 2, 0);
  made.links[3][Role::kNicSymbolErrorsTotal] = Counted(2, 2);
  EXPECT_EQ(made.Words(), "");
  EXPECT_EQ(made.Words({0, 0}), "symbol_errors 2/0 of 6 7\n");
  FourHosts quiet;
  quiet.Count(Role::kNicTransmitBytesTotal, 100, 100);
  quiet.links[3][Role::kNicTransmitBytesTotal] = Counted(100, 0);
  EXPECT_EQ(quiet.Words({0, 0}), "");
}

TEST(LinkTroubles, ThreeLinksCanBeCompared) {
  FourHosts made;
  made.Count(Role::kNicSymbolErrorsTotal, 0, 0);
  made.links[0][Role::kNicSymbolErrorsTotal] = Counted(0, 2);
  made.links.erase(made.links.begin() + 3);
  EXPECT_EQ(made.Words(), "symbol_errors 2/0 of 0 1\n");
  // The third one counts nothing.
  made.links[2][Role::kNicSymbolErrorsTotal] = {};
  EXPECT_EQ(made.Words(), "");
}

TEST(LinkTroubles, EthernetIsComparedByName) {
  for (const LinkKind kind : {LinkKind::kInfiniBand, LinkKind::kEthernet}) {
    FourHosts made;
    made.Count(Role::kNicTransmitBytesTotal, 100, 100);
    made.links.push_back({kind, "d", "other", {}});
    made.links.back()[Role::kNicTransmitBytesTotal] = Counted(100, 10);
    for (NetworkLink& link : made.links) link.kind = kind;
    EXPECT_EQ(made.Words(), kind == LinkKind::kEthernet ? "" : "link_sent_bytes 10/100 of 6 7\n");
  }
}

TEST(LinkTroubles, InfiniBandIsNotComparedWithEthernet) {
  FourHosts made;
  made.Count(Role::kNicTransmitBytesTotal, 100, 100);
  for (size_t i = 0; i < 3; ++i) {
    made.links.push_back({LinkKind::kEthernet, made.links[i].host, "eth0", {}});
    made.links.back()[Role::kNicTransmitBytesTotal] = Counted(100, 10);
  }
  EXPECT_EQ(made.Words(), "");
}

TEST(LinkTroubles, OnlyLinksOfTheJobsHostsCount) {
  FourHosts made;
  made.Count(Role::kNicSymbolErrorsTotal, 0, 0);
  made.links[2][Role::kNicSymbolErrorsTotal] = Counted(0, 2);
  made.links[2].host = "elsewhere";
  EXPECT_EQ(made.Words(), "");
  // A rank at an unknown place is behind no link whose host is unknown.
  made.links[2].host = "";
  made.job.ranks[0].host = "";
  EXPECT_EQ(made.Words(), "");
}

TEST(LinkTroubles, NvlinksAreThoseOfARanksGpu) {
  const struct {
    Role role;
    const char* found;
  } rows[] = {
      {Role::kGpuNvlinkCrcFlitErrorsTotal, "symbol_errors 5/0 of 3\n"},
      {Role::kGpuNvlinkReplayErrorsTotal, "retransmits 5/0 of 3\n"},
      {Role::kGpuNvlinkRecoveryErrorsTotal, "link_recoveries 5/0 of 3\n"},
  };
  for (const auto& row : rows) {
    FourHosts made;
    made.devices.resize(8);
    for (GpuCounters& device : made.devices) device[row.role] = Counted(0, 0);
    made.devices[3][row.role] = Counted(0, 5);
    EXPECT_EQ(made.Words(), row.found);
    EXPECT_EQ(made.Troubles().at(0).evidence.words,
              "NVLink of rank 13: rate, against the median of similar links");
  }
}

// Whoever is behind more than half of the links, the fabric is at fault.
TEST(LinkTroubles, NobodyIsToBlameWhereMostRanksAreBehindThem) {
  FourHosts made;
  made.Count(Role::kNicLinkDownedTotal, 0, 0);
  made.links[0][Role::kNicLinkDownedTotal] = Counted(0, 1);
  made.devices.resize(8);
  for (GpuCounters& device : made.devices) {
    device[Role::kGpuNvlinkReplayErrorsTotal] = Counted(0, 0);
  }
  for (const size_t row : {1, 2, 3}) {
    made.devices[row][Role::kGpuNvlinkReplayErrorsTotal] = Counted(0, 5);
  }
  // Rows 0 and 1 by the interface, and 1, 2 and 3 by their NVLinks: half of them.
  EXPECT_EQ(made.Words(),
            "link_downed 1/0 of 0 1\nretransmits 5/0 of 1\nretransmits 5/0 of 2\n"
            "retransmits 5/0 of 3\n");
  made.devices[0][Role::kGpuNvlinkReplayErrorsTotal] = Counted(0, 0);
  made.links[0][Role::kNicLinkDownedTotal] = Counted(0, 0);
  made.links[3][Role::kNicLinkDownedTotal] = Counted(0, 1);
  EXPECT_EQ(made.Words(), "");
}

}  // namespace
}  // namespace lockstep::training
