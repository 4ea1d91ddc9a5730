#include "identity/resolver.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::identity {
namespace {

using Kind = SeenSeries::Kind;

constexpr TimeRange kRange{0, 10000};

SeenSeries Seen(Kind kind, std::initializer_list<LabelView> labels, std::vector<TimeRange> seen) {
  return {.kind = kind, .who = SightingOf(LabelSet::Of(labels)), .seen = std::move(seen)};
}

// "attempt.rank host/gpu/uuid from-to source" per line, followed by matchers, then warnings.
std::string Describe(const JobIdentity& identity) {
  std::string text;
  for (const Placement& p : identity.placements) {
    text += absl::StrFormat("%d.%d %s/%s/%s %d-%d %s", p.attempt, p.rank, p.seat.host, p.seat.gpu,
                            p.seat.uuid, p.time.min_ms, p.time.max_ms, Name(p.source));
    for (const auto& set : p.device_matchers) {
      text += " {";
      for (const Matcher& matcher : set) text += matcher.ToString() + ";";
      text += "}";
    }
    text += "\n";
  }
  for (const std::string& warning : identity.warnings) text += warning + "\n";
  return text;
}

std::string Resolve(std::vector<SeenSeries> seen) {
  return Describe(ResolveJob("j", seen, kRange));
}

TEST(Resolver, LabelledSeriesSayItAll) {
  EXPECT_EQ(Resolve({Seen(Kind::kSteps, {{"job", "j"}, {"rank", "0"}}, {{1000, 2000}}),
                     Seen(Kind::kDevice,
                          {{"job", "j"}, {"rank", "0"}, {"UUID", "A"}, {"gpu", "3"}, {"host", "n"}},
                          {{900, 2050}}),
                     Seen(Kind::kDevice, {{"UUID", "A"}, {"gpu", "3"}, {"host", "n"}},
                          {{0, 800}, {2100, 10000}})}),
            "0.0 n/3/A 900-2050 labels {UUID=\"A\";job=~\"|j\";}\n");
}

TEST(Resolver, RegistrationsAreJoinedByUuidOrByPlace) {
  SeenSeries open =
      Seen(Kind::kRegistration, {{"job", "j"}, {"attempt", "0"}, {"rank", "0"}, {"UUID", "A"}},
           {{1000, 1000}});
  open.is_open = true;
  const SeenSeries device =
      Seen(Kind::kDevice, {{"UUID", "A"}, {"gpu", "3"}, {"Hostname", "n"}}, {{0, 10000}});
  // Nothing else is known: it is still running.
  EXPECT_EQ(Resolve({open, device}), "0.0 n/3/A 1000-10000 registered {UUID=\"A\";}\n");
  // Its last step is its end.
  const SeenSeries steps =
      Seen(Kind::kSteps, {{"job", "j"}, {"attempt", "0"}, {"rank", "0"}}, {{1500, 4000}});
  EXPECT_EQ(Resolve({open, steps, device}), "0.0 n/3/A 1000-4000 registered {UUID=\"A\";}\n");
  // Another job appeared.
  SeenSeries other =
      Seen(Kind::kRegistration, {{"job", "k"}, {"rank", "0"}, {"host", "n"}, {"gpu", "3"}},
           {{3000, 3000}});
  other.is_open = true;
  EXPECT_EQ(Resolve({open, device, other}), "0.0 n/3/A 1000-2999 registered {UUID=\"A\";}\n");

  SeenSeries by_place =
      Seen(Kind::kRegistration, {{"job", "j"}, {"rank", "0"}, {"host", "n"}, {"gpu", "3"}},
           {{1000, 2000}});
  EXPECT_EQ(Resolve({by_place, device}), "0.0 n/3/A 1000-2000 registered {UUID=\"A\";}\n");
}

TEST(Resolver, StepsThatGoBackDivideAttempts) {
  SeenSeries steps =
      Seen(Kind::kSteps, {{"job", "j"}, {"rank", "0"}}, {{1000, 2000}, {3000, 4000}});
  steps.begins_attempt = {false, true};
  // The GPU was the rank's the whole time; the pause in between belongs to the attempt that ended.
  EXPECT_EQ(Resolve({steps, Seen(Kind::kDevice, {{"job", "j"}, {"rank", "0"}, {"UUID", "A"}},
                                 {{900, 4100}})}),
            "0.0 //A 900-2999 labels {UUID=\"A\";job=~\"|j\";}\n"
            "1.0 //A 3000-4100 labels {UUID=\"A\";job=~\"|j\";}\n");
  // A pause alone does not start an attempt.
  steps.begins_attempt = {false, false};
  EXPECT_EQ(Resolve({steps}), "0.0 // 1000-4000 labels\n");
}

TEST(Resolver, ARestartOnOtherGpusIsAnAttemptOfItsOwn) {
  SeenSeries first =
      Seen(Kind::kRegistration, {{"job", "j"}, {"attempt", "0"}, {"rank", "0"}, {"UUID", "A"}},
           {{1000, 1000}});
  first.is_open = true;
  SeenSeries second =
      Seen(Kind::kRegistration, {{"job", "j"}, {"attempt", "1"}, {"rank", "0"}, {"UUID", "B"}},
           {{5000, 5000}});
  second.is_open = true;
  EXPECT_EQ(Resolve({first, second}),
            "0.0 //A 1000-4999 registered\n1.0 //B 5000-10000 registered\n");
}

TEST(Resolver, SchedulersGpusAreGivenToRanksInOrder) {
  const auto gpu = [](std::string_view host, std::string_view index, std::string_view uuid) {
    return Seen(Kind::kDevice,
                {{"hpc_job", "j"}, {"Hostname", host}, {"gpu", index}, {"UUID", uuid}},
                {{1000, 2000}});
  };
  const std::vector<SeenSeries> gpus = {gpu("n10", "0", "D"), gpu("n9", "1", "B"),
                                        gpu("n9", "0", "A"), gpu("n10", "1", "E")};
  const auto lines = [](std::string_view from, std::string_view to) {
    std::string text;
    const char* seats[] = {"n9/0/A", "n9/1/B", "n10/0/D", "n10/1/E"};
    for (int rank = 0; rank < 4; ++rank) {
      text +=
          absl::StrFormat("0.%d %s %s-%s presumed {UUID=\"%c\";hpc_job=~\"|j\";}\n", rank,
                          seats[rank], from, to, seats[rank][std::string(seats[rank]).size() - 1]);
    }
    return text;
  };
  EXPECT_EQ(Resolve(gpus), lines("1000", "2000"));
  // Ranks that name their host are placed there, even if that changes the order.
  std::vector<SeenSeries> seen = gpus;
  for (const char* rank : {"0", "1"}) {
    seen.push_back(
        Seen(Kind::kSteps, {{"hpc_job", "j"}, {"rank", rank}, {"node", "n10"}}, {{1500, 1900}}));
  }
  for (const char* rank : {"2", "3"}) {
    seen.push_back(
        Seen(Kind::kSteps, {{"hpc_job", "j"}, {"rank", rank}, {"node", "n9"}}, {{1500, 1900}}));
  }
  const JobIdentity identity = ResolveJob("j", seen, kRange);
  ASSERT_EQ(identity.placements.size(), 4u);
  EXPECT_EQ(identity.placements[0].seat.uuid, "D");
  EXPECT_EQ(identity.placements[2].seat.uuid, "A");
  // With three GPUs and four ranks, the assignment is unknown.
  seen.erase(seen.begin());
  const JobIdentity torn = ResolveJob("j", seen, kRange);
  EXPECT_EQ(torn.placements[0].seat.uuid, "");
  EXPECT_EQ(torn.warnings.size(), 1u);
}

TEST(Resolver, PodsTellNodes) {
  const auto gpu = [](std::string_view pod, std::string_view uuid) {
    return Seen(Kind::kDevice, {{"pod", pod}, {"gpu", "0"}, {"UUID", uuid}}, {{1000, 2000}});
  };
  EXPECT_EQ(Resolve({gpu("j-worker-0", "B"), gpu("j-master-0", "A"), gpu("other-worker-0", "C")}),
            "0.0 /0/A 1000-2000 kubernetes {UUID=\"A\";pod=~\"|j\\\\-master\\\\-0\";}\n"
            "0.1 /0/B 1000-2000 kubernetes {UUID=\"B\";pod=~\"|j\\\\-worker\\\\-0\";}\n");
}

TEST(Resolver, OnlyTheRequestedTimeIsKnown) {
  const auto steps = [](std::string_view rank, TimeRange time) {
    return Seen(Kind::kSteps, {{"job", "j"}, {"rank", rank}, {"attempt", "0"}}, {time});
  };
  EXPECT_EQ(Resolve({steps("0", {-500, 500}), steps("1", {9000, 11000}), steps("2", {10000, 12000}),
                     steps("3", {10001, 12000}), steps("4", {-20, -1}), steps("5", {-20, 0})}),
            "0.0 // 0-500 labels\n0.1 // 9000-10000 labels\n0.2 // 10000-10000 labels\n"
            "0.5 // 0-0 labels\n");
}

TEST(Resolver, GpusOfRanksThatAreKnownAreNotGivenAway) {
  const auto gpu = [](std::string_view index, std::string_view uuid, TimeRange time) {
    return Seen(Kind::kDevice,
                {{"hpc_job", "j"}, {"Hostname", "n"}, {"gpu", index}, {"UUID", uuid}}, {time});
  };
  const auto registered =
      Seen(Kind::kRegistration, {{"job", "j"}, {"rank", "1"}, {"attempt", "0"}, {"UUID", "A"}},
           {{1000, 2000}});
  const auto steps =
      Seen(Kind::kSteps, {{"job", "j"}, {"rank", "0"}, {"attempt", "0"}}, {{1000, 2000}});
  // Two series of one GPU are one GPU, for the time of both.
  EXPECT_EQ(Resolve({registered, steps, gpu("0", "A", {1000, 2000}), gpu("1", "B", {1200, 1500}),
                     gpu("1", "B", {1100, 1400})}),
            "0.0 n/1/B 1000-2000 labels {UUID=\"B\";hpc_job=~\"|j\";}\n"
            "0.1 n/0/A 1000-2000 registered {UUID=\"A\";hpc_job=~\"|j\";}\n");
}

TEST(Resolver, AGpuIsTheJobsForTheTimeOfAllItsSeries) {
  const auto gpu = [](std::initializer_list<LabelView> labels, TimeRange time) {
    std::vector<LabelView> all(labels);
    all.push_back({"hpc_job", "j"});
    return SeenSeries{.kind = Kind::kDevice, .who = SightingOf(LabelSet::Of(all)), .seen = {time}};
  };
  EXPECT_EQ(
      Resolve({gpu({{"UUID", "A"}}, {1200, 1500}), gpu({{"UUID", "A"}, {"gpu", "3"}}, {1100, 1400}),
               gpu({{"UUID", "A"}, {"host", "n"}}, {1300, 1900})}),
      "0.0 n/3/A 1100-1900 presumed {UUID=\"A\";hpc_job=~\"|j\";}\n");
}

TEST(Resolver, ADeviceWithoutAGpuIsNotGivenToARank) {
  EXPECT_EQ(Resolve({Seen(Kind::kDevice, {{"hpc_job", "j"}, {"Hostname", "n"}}, {{1000, 2000}}),
                     Seen(Kind::kDevice, {{"hpc_job", "j"}, {"UUID", "A"}}, {})}),
            "");
}

TEST(Resolver, AGpuWithoutAUuidIsFoundByItsPlace) {
  EXPECT_EQ(Resolve({Seen(Kind::kDevice, {{"job", "j"}, {"rank", "0"}, {"host", "n"}, {"gpu", "3"}},
                          {{1000, 2000}}),
                     Seen(Kind::kDevice, {{"host", "n"}}, {{1000, 2000}})}),
            "0.0 n/3/ 1000-2000 labels {host=\"n\";gpu=\"3\";job=~\"|j\";}\n");
}

TEST(Resolver, SeriesOfOtherJobsOnTheGpuAreNotTheJobs) {
  EXPECT_EQ(
      Resolve({Seen(Kind::kRegistration,
                    {{"job", "j"}, {"rank", "0"}, {"attempt", "0"}, {"UUID", "A"}}, {{1000, 2000}}),
               Seen(Kind::kDevice, {{"hpc_job", "k"}, {"UUID", "A"}}, {{3000, 4000}}),
               Seen(Kind::kDevice, {{"gpu_uuid", "A"}}, {{1000, 2000}}),
               Seen(Kind::kDevice, {{"UUID", "B"}}, {{1000, 2000}})}),
      "0.0 //A 1000-2000 registered {gpu_uuid=\"A\";}\n");
}

TEST(Resolver, EachAttemptLastsUntilTheNext) {
  const auto registered = [](std::string_view attempt, std::string_view uuid, int64_t from_ms) {
    SeenSeries series = Seen(Kind::kRegistration,
                             {{"job", "j"}, {"attempt", attempt}, {"rank", "0"}, {"UUID", uuid}},
                             {{from_ms, from_ms}});
    series.is_open = true;
    return series;
  };
  // A series that names no attempt is cut where they begin; what comes before is of the first.
  EXPECT_EQ(
      Resolve({registered("1", "A", 1000), registered("2", "A", 3000), registered("4", "A", 5000),
               Seen(Kind::kDevice, {{"job", "j"}, {"rank", "0"}, {"UUID", "A"}}, {{500, 9000}})}),
      "1.0 //A 500-2999 registered {UUID=\"A\";job=~\"|j\";}\n"
      "2.0 //A 3000-4999 registered {UUID=\"A\";job=~\"|j\";}\n"
      "4.0 //A 5000-9000 registered {UUID=\"A\";job=~\"|j\";}\n");
}

TEST(Resolver, AnotherJobEndsOnlyWhatIsOpenOnItsGpu) {
  const auto registered = [](std::string_view job, std::string_view rank, std::string_view uuid,
                             int64_t from_ms) {
    SeenSeries series =
        Seen(Kind::kRegistration, {{"job", job}, {"attempt", "0"}, {"rank", rank}, {"UUID", uuid}},
             {{from_ms, from_ms}});
    series.is_open = true;
    return series;
  };
  EXPECT_EQ(Resolve({registered("j", "0", "A", 1000), registered("j", "1", "B", 1000),
                     registered("k", "0", "A", 3000), registered("l", "0", "A", 2000),
                     registered("m", "0", "B", 1000), registered("n", "0", "C", 1500)}),
            "0.0 //A 1000-1999 registered\n0.1 //B 1000-10000 registered\n");
}

TEST(Resolver, APlacementHasTheBestOfWhatIsSaid) {
  const auto who = [](Kind kind, std::initializer_list<LabelView> labels, TimeRange time) {
    SeenSeries series = Seen(kind, labels, {time});
    series.who.job = "j";
    series.who.rank = 0;
    series.who.attempt = 0;
    return series;
  };
  const JobIdentity identity = ResolveJob(
      "j",
      std::vector{who(Kind::kSteps, {{"tp", "1"}, {"dp", "2"}}, {2000, 3000}),
                  who(Kind::kRegistration, {{"tp", "7"}, {"pp", "3"}, {"host", "n"}}, {1000, 1500}),
                  who(Kind::kDevice, {{"gpu", "3"}}, {2500, 4000})},
      kRange);
  ASSERT_EQ(identity.placements.size(), 1u);
  const Placement& placement = identity.placements[0];
  EXPECT_EQ(placement.source, Source::kRegistered);
  EXPECT_EQ(placement.seat, (Seat{"n", "3", "", ""}));
  EXPECT_EQ(placement.time.min_ms, 1000);
  EXPECT_EQ(placement.time.max_ms, 4000);
  EXPECT_EQ(placement.coordinates[1], 7);  // as registered
  EXPECT_EQ(placement.coordinates[2], 2);
  EXPECT_EQ(placement.coordinates[4], 3);
  EXPECT_FALSE(placement.coordinates[0].has_value());
}

TEST(Resolver, NothingIsWarnedOfWhereAllIsKnown) {
  SeenSeries info = Seen(Kind::kRegistration, {{"world_size", "2"}}, {{1000, 1000}});
  info.who.job = "j";
  const auto rank = [](std::string_view attempt, std::string_view number, std::string_view uuid) {
    return Seen(Kind::kRegistration,
                {{"job", "j"}, {"attempt", attempt}, {"rank", number}, {"UUID", uuid}},
                {{1000, 2000}});
  };
  const JobIdentity identity =
      ResolveJob("j",
                 std::vector{info, rank("0", "0", "A"), rank("0", "1", "B"), rank("1", "0", "B"),
                             rank("1", "1", "A"), rank("2", "0", ""), rank("2", "1", "")},
                 kRange);
  EXPECT_EQ(identity.world_size, 2);
  EXPECT_TRUE(identity.warnings.empty());
  EXPECT_FALSE(ResolveJob("k", std::vector{info}, kRange).world_size.has_value());
}

TEST(Resolver, Warnings) {
  SeenSeries info = Seen(Kind::kRegistration, {{"world_size", "4"}}, {{1000, 1000}});
  info.who.job = "j";
  const auto rank = [](std::string_view number, std::string_view uuid) {
    return Seen(Kind::kRegistration, {{"job", "j"}, {"rank", number}, {"UUID", uuid}},
                {{1000, 2000}});
  };
  EXPECT_EQ(ResolveJob("j", std::vector{info, rank("0", "A"), rank("1", "A")}, kRange).warnings,
            (std::vector<std::string>{"attempt 0: 2 ranks are known, but the world size is 4",
                                      "attempt 0: ranks 0 and 1 are both on GPU A"}));
}

}  // namespace
}  // namespace lockstep::identity
