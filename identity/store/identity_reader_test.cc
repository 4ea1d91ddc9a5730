#include "identity/store/identity_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "identity/registration.h"
#include "identity/store/series_seer.h"
#include "tests/memory_storage.h"

namespace lockstep::identity {
namespace {

using testing::ElementsAre;

constexpr TimeRange kHour{0, 3600000};

void Append(MemoryStorage& storage, std::initializer_list<LabelView> labels, int64_t from_s,
            int64_t to_s) {
  for (int64_t at_s = from_s; at_s <= to_s; at_s += 10) {
    storage.Append(LabelSet::Of(labels), at_s * 1000, 1);
  }
}

void Register(MemoryStorage& storage, const Registration& registration) {
  const auto info = SeriesOf(registration, 0);
  for (const InfoSeries& series : *info) {
    for (const Sample& sample : series.samples) {
      storage.Append(series.labels, sample.timestamp_ms, sample.value);
    }
  }
}

void AppendDevice(MemoryStorage& storage, std::string_view uuid, std::string_view gpu) {
  Append(storage,
         {{"__name__", "DCGM_FI_DEV_POWER_USAGE"}, {"UUID", uuid}, {"gpu", gpu}, {"Hostname", "n"}},
         0, 3600);
}

std::string Describe(const Placement& p) {
  return absl::StrFormat("%d.%d %s/%s/%s %d-%d s", p.attempt, p.rank, p.seat.host, p.seat.gpu,
                         p.seat.uuid, p.time.min_ms / 1000, p.time.max_ms / 1000);
}

std::vector<std::string> PlacementsOf(const MemoryStorage& storage, std::string_view job,
                                      TimeRange range = kHour) {
  const auto querier = storage.NewQuerier();
  const auto identity = ReadJobIdentity({**querier, range}, job);
  EXPECT_TRUE(identity.ok()) << identity.status();
  std::vector<std::string> lines;
  for (const Placement& placement : identity->placements) lines.push_back(Describe(placement));
  return lines;
}

TEST(IdentityReader, RegistrationsStepsAndBareDeviceSeriesComeTogether) {
  MemoryStorage storage;
  AppendDevice(storage, "A", "0");
  AppendDevice(storage, "B", "1");
  Registration rank{.job = "j", .rank = 0, .from_ms = 60000};
  rank.seat = {"n", "0", "", ""};
  Register(storage, rank);
  rank.rank = 1;
  rank.seat.gpu = "1";
  Register(storage, rank);
  for (const char* number : {"0", "1"}) {
    Append(storage,
           {{"__name__", "lockstep_step"}, {"job", "j"}, {"rank", number}, {"attempt", "0"}}, 100,
           600);
  }
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 n/0/A 60-600 s", "0.1 n/1/B 60-600 s"));
  // Announced before the requested time.
  EXPECT_THAT(PlacementsOf(storage, "j", {300000, 400000}),
              ElementsAre("0.0 n/0/A 300-400 s", "0.1 n/1/B 300-400 s"));
  EXPECT_TRUE(PlacementsOf(storage, "k").empty());
}

TEST(IdentityReader, HistoryOfAGpu) {
  MemoryStorage storage;
  AppendDevice(storage, "A", "0");
  for (const auto& [job, from_ms] : {std::pair("first", 60000), std::pair("second", 900000)}) {
    Registration rank{.job = job, .rank = 0, .from_ms = from_ms};
    rank.seat.uuid = "A";
    Register(storage, rank);
  }
  Append(storage,
         {{"__name__", "train_step"},
          {"job", "third"},
          {"rank", "5"},
          {"gpu", "0"},
          {"Hostname", "n"}},
         2000, 3000);
  const auto querier = storage.NewQuerier();
  const auto stays = ReadGpuHistory({**querier, kHour}, "A");
  ASSERT_TRUE(stays.ok()) << stays.status();
  std::vector<std::string> lines;
  for (const GpuStay& stay : *stays) lines.push_back(stay.job + " " + Describe(stay.placement));
  EXPECT_THAT(lines, ElementsAre("first 0.0 n/0/A 60-899 s", "second 0.0 n/0/A 900-3600 s",
                                 "third 0.5 n/0/A 2000-3000 s"));
}

TEST(IdentityReader, ResourcesOfOpenTelemetryTellTheRank) {
  MemoryStorage storage;
  Append(storage,
         {{"__name__", "target_info"},
          {"job", "llm"},
          {"instance", "p1"},
          {"nv_dl_rank", "6"},
          {"host_name", "n"}},
         0, 100);
  Append(storage, {{"__name__", "train_loss"}, {"job", "llm"}, {"instance", "p1"}}, 0, 100);
  EXPECT_THAT(PlacementsOf(storage, "llm"), ElementsAre("0.6 n// 0-100 s"));
}

TEST(IdentityReader, InfoOfAJobIsWhatWasSaidLast) {
  MemoryStorage storage;
  Register(storage, {.job = "j", .world_size = 8, .from_ms = 1000});
  Register(storage, {.job = "j", .world_size = 16, .model = {{"layers", "16"}}, .from_ms = 2000});
  const auto querier = storage.NewQuerier();
  const auto info = ReadJobInfo({**querier, kHour}, "j");
  ASSERT_TRUE(info.ok());
  EXPECT_THAT(*info, ElementsAre(testing::Pair("attempt", "0"), testing::Pair("model_layers", "16"),
                                 testing::Pair("world_size", "16")));
}

TEST(IdentityReader, StepsThatGoBackBeginAnAttemptAndPausesDoNot) {
  MemoryStorage storage;
  const LabelSet labels = LabelSet::Of({{"__name__", "train_step"}, {"job", "j"}, {"rank", "0"}});
  const auto add = [&](int64_t at_s, double value) { storage.Append(labels, at_s * 1000, value); };
  add(100, 1);
  add(200, 2);
  add(300, 2);
  add(400, 1);  // began anew
  add(500, 5);
  // A pause of more than 15 minutes.
  add(1500, 6);
  add(1600, StaleNan());
  add(1700, 7);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 // 100-300 s", "1.0 // 400-1700 s"));
}

TEST(SeriesSeer, APauseOfMoreThanAQuarterOfAnHourParts) {
  MemoryStorage storage;
  const LabelSet labels = LabelSet::Of({{"__name__", "train_step"}, {"job", "j"}});
  for (const int64_t at_s : {100, 1000, 1901, 1902}) storage.Append(labels, at_s * 1000, 1);
  const auto querier = storage.NewQuerier();
  const IdentityContext context{**querier, kHour};
  SeriesSeer seer(context);
  ASSERT_TRUE(seer.See(SeenSeries::Kind::kSteps, "train_step", {}).ok());
  ASSERT_EQ(seer.seen().size(), 1u);
  const std::vector<TimeRange>& seen = seer.seen()[0].seen;
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].min_ms, 100'000);
  EXPECT_EQ(seen[0].max_ms, 1'000'000);
  EXPECT_EQ(seen[1].min_ms, 1'901'000);
  EXPECT_EQ(seen[1].max_ms, 1'902'000);
  EXPECT_EQ(seer.seen()[0].begins_attempt, (std::vector<bool>{false, false}));
}

TEST(IdentityReader, OnlyCountersOfStepsGoBack) {
  MemoryStorage storage;
  const LabelSet labels = LabelSet::Of({{"__name__", "train_loss"}, {"job", "j"}, {"rank", "0"}});
  for (const int64_t at_s : {100, 200, 300}) {
    storage.Append(labels, at_s * 1000, static_cast<double>(1000 - at_s));
  }
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 // 100-300 s"));
}

TEST(IdentityReader, TheFirstKindOfStepsThatIsThereIsTheOnlyOne) {
  MemoryStorage storage;
  Append(storage, {{"__name__", "train_loss"}, {"job", "j"}, {"rank", "1"}}, 0, 100);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.1 // 0-100 s"));
  Append(storage, {{"__name__", "train_step"}, {"job", "j"}, {"rank", "0"}}, 0, 100);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 // 0-100 s"));
}

TEST(IdentityReader, ARegistrationIsOverFromItsZeroOn) {
  MemoryStorage storage;
  Registration rank{.job = "j", .rank = 0, .from_ms = 60'000, .to_ms = 120'000};
  rank.seat.uuid = "A";
  Register(storage, rank);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 //A 60-120 s"));
  // It is announced once more, which changes nothing, and ends later.
  rank.from_ms = 200'000;
  rank.to_ms.reset();
  Register(storage, rank);
  rank.from_ms = 250'000;
  rank.to_ms = 300'000;
  Register(storage, rank);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 //A 60-300 s"));
}

TEST(IdentityReader, OneGpuIsReadOnceForAllItsMetrics) {
  MemoryStorage storage;
  for (const char* name : {"DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP"}) {
    Append(storage, {{"__name__", name}, {"UUID", "A"}, {"gpu", "0"}, {"hpc_job", "7"}}, 0, 100);
  }
  EXPECT_THAT(PlacementsOf(storage, "7"), ElementsAre("0.0 /0/A 0-100 s"));
}

TEST(IdentityReader, GpusOfPodsBelongToTheirJob) {
  MemoryStorage storage;
  for (const auto& [pod, uuid] : {std::pair("llm-worker-0", "B"), std::pair("llm-master-0", "A"),
                                  std::pair("llm2-master-0", "C"), std::pair("llm", "D")}) {
    Append(storage,
           {{"__name__", "DCGM_FI_DEV_POWER_USAGE"}, {"UUID", uuid}, {"gpu", "0"}, {"pod", pod}}, 0,
           100);
  }
  EXPECT_THAT(PlacementsOf(storage, "llm"), ElementsAre("0.0 /0/A 0-100 s", "0.1 /0/B 0-100 s"));
}

TEST(IdentityReader, AResourceIsThatOfItsInstance) {
  MemoryStorage storage;
  for (const auto& [instance, rank] : {std::pair("p1", "1"), std::pair("p2", "2")}) {
    Append(storage,
           {{"__name__", "target_info"},
            {"job", "llm"},
            {"instance", instance},
            {"rank", rank},
            {"host_name", "n"},
            {"gpu_uuid", "U"},
            {"nv_dl_world_size", "8"}},
           0, 100);
  }
  Append(storage, {{"__name__", "train_step"}, {"job", "llm"}, {"instance", "p2"}}, 0, 100);
  // What the step says itself stays.
  Append(storage,
         {{"__name__", "train_step"},
          {"job", "llm"},
          {"instance", "p1"},
          {"rank", "5"},
          {"host", "own"},
          {"UUID", "V"}},
         0, 100);
  EXPECT_THAT(PlacementsOf(storage, "llm"), ElementsAre("0.2 n//U 0-100 s", "0.5 own//V 0-100 s"));
  const auto querier = storage.NewQuerier();
  EXPECT_EQ(ReadJobIdentity({**querier, kHour}, "llm")->world_size, 8);
}

TEST(IdentityReader, ANeighbourOnTheGpuEndsAJob) {
  MemoryStorage storage;
  AppendDevice(storage, "A", "0");
  Registration rank{.job = "j", .rank = 0, .from_ms = 60'000};
  rank.seat = {"n", "0", "", ""};
  Register(storage, rank);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 n/0/A 60-3600 s"));
  Registration other{.job = "k", .rank = 0, .from_ms = 600'000};
  other.seat.host = "n";
  other.seat.gpu = "0";
  Register(storage, other);
  EXPECT_THAT(PlacementsOf(storage, "j"), ElementsAre("0.0 n/0/A 60-599 s"));
}

TEST(IdentityReader, TheWorldIsAsLargeAsReported) {
  MemoryStorage storage;
  Register(storage, {.job = "j", .world_size = 2, .from_ms = 1000});
  Register(storage, {.job = "j", .rank = 0, .from_ms = 1000});
  const auto querier = storage.NewQuerier();
  const auto identity = ReadJobIdentity({**querier, kHour}, "j");
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->world_size, 2);
  EXPECT_THAT(identity->warnings,
              ElementsAre("attempt 0: 1 ranks are known, but the world size is 2"));
}

TEST(IdentityReader, AGpuMayHaveHadAThousandJobs) {
  MemoryStorage storage;
  const auto add = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      storage.Append(LabelSet::Of({{"__name__", "DCGM_FI_DEV_POWER_USAGE"},
                                   {"UUID", "A"},
                                   {"hpc_job", std::to_string(i)}}),
                     1000 * (i + 1), 1);
    }
  };
  add(0, 3);
  const auto few = storage.NewQuerier();
  const auto stays = ReadGpuHistory({**few, kHour}, "A");
  ASSERT_TRUE(stays.ok()) << stays.status();
  ASSERT_EQ(stays->size(), 3u);
  EXPECT_EQ((*stays)[2].job, "2");
  add(3, 1001);
  const auto many = storage.NewQuerier();
  const absl::Status status = ReadGpuHistory({**many, kHour}, "A").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(status),
            "reading the history of GPU A: 1001 jobs used it in this time range, more than the "
            "limit of 1000: use a shorter range");
}

TEST(IdentityReader, AJobOfWhichNothingIsSaidHasNoInfo) {
  MemoryStorage storage;
  Register(storage, {.job = "j", .world_size = 8, .from_ms = 2'000});
  Register(storage, {.job = "j", .world_size = 16, .from_ms = 1'000});
  const auto querier = storage.NewQuerier();
  EXPECT_TRUE(ReadJobInfo({**querier, kHour}, "k")->empty());
  // What was said before the requested time counts, what is said later does not.
  EXPECT_THAT(*ReadJobInfo({**querier, {3'000'000, 3'600'000}}, "j"),
              ElementsAre(testing::Pair("attempt", "0"), testing::Pair("world_size", "8")));
  EXPECT_THAT(*ReadJobInfo({**querier, {0, 1'500}}, "j"),
              ElementsAre(testing::Pair("attempt", "0"), testing::Pair("world_size", "16")));
}

TEST(IdentityReader, AnExhaustedBudgetEndsTheReading) {
  MemoryStorage storage;
  AppendDevice(storage, "A", "0");
  Register(storage, {.job = "j", .rank = 0, .from_ms = 60'000});
  const auto querier = storage.NewQuerier();
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE(ReadJobIdentity({**querier, kHour, &budget}, "j").ok());
  budget.ShutDown();
  EXPECT_FALSE(ReadJobIdentity({**querier, kHour, &budget}, "j").ok());
}

}  // namespace
}  // namespace lockstep::identity
