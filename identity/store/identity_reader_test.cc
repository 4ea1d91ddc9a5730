#include "identity/store/identity_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "identity/registration.h"
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

}  // namespace
}  // namespace lockstep::identity
