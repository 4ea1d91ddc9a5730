#include "answers/load/series_roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lockstep::answers {
namespace {

using catalogue::Role;
using training::LinkKind;

LabelSet Named(std::string_view name) { return LabelSet::Of({{kMetricName, name}}); }

TEST(SeriesRoles, OfStepsAndOfTheJobAsAWhole) {
  for (const Role role : {Role::kTrainStep, Role::kTrainStepTimeSeconds, Role::kTrainPhaseSeconds,
                          Role::kTrainOwnSeconds, Role::kTrainLoss, Role::kTrainGradNorm,
                          Role::kGpuTorchMemoryAllocatedBytes, Role::kTrainModelFlops,
                          Role::kTrainFlopsPerSecondPerGpu, Role::kTrainTokens}) {
    EXPECT_TRUE(IsStepRole(role)) << catalogue::InfoOf(role).name;
    EXPECT_FALSE(IsFactRole(role)) << catalogue::InfoOf(role).name;
  }
  for (const Role role : {Role::kTrainWorldSize, Role::kTrainPlannedSteps, Role::kTrainTokensTotal,
                          Role::kTrainContextParallelSize}) {
    EXPECT_TRUE(IsStepRole(role)) << catalogue::InfoOf(role).name;
    EXPECT_TRUE(IsFactRole(role)) << catalogue::InfoOf(role).name;
  }
  for (const Role role : {Role::kGpuPowerWatts, Role::kNicSymbolErrorsTotal}) {
    EXPECT_FALSE(IsStepRole(role));
    EXPECT_FALSE(IsFactRole(role));
  }
  EXPECT_TRUE(IsDeviceRole(Role::kGpuPowerWatts));
  EXPECT_FALSE(IsDeviceRole(Role::kTrainLoss));
}

TEST(SeriesRoles, OfANameOfTheWantedKind) {
  EXPECT_EQ(StepRoleOf(Named("train_loss"))->role, Role::kTrainLoss);
  EXPECT_FALSE(StepRoleOf(Named("DCGM_FI_DEV_POWER_USAGE")).has_value());
  EXPECT_FALSE(StepRoleOf(Named("nobody_knows")).has_value());
  EXPECT_EQ(DeviceRoleOf(Named("DCGM_FI_DEV_POWER_USAGE"))->role, Role::kGpuPowerWatts);
  EXPECT_FALSE(DeviceRoleOf(Named("train_loss")).has_value());
  EXPECT_FALSE(DeviceRoleOf(Named("nobody_knows")).has_value());
}

TEST(SeriesRoles, InterfacesOfHostsSayTheSameUnderTwoNames) {
  const struct {
    const char* name;
    LinkKind kind;
    Role role;
  } rows[] = {
      {"node_infiniband_symbol_error_total", LinkKind::kInfiniBand, Role::kNicSymbolErrorsTotal},
      {"node_network_transmit_bytes_total", LinkKind::kEthernet, Role::kNicTransmitBytesTotal},
      {"node_network_receive_bytes_total", LinkKind::kEthernet, Role::kNicReceiveBytesTotal},
      {"node_network_receive_drop_total", LinkKind::kEthernet, Role::kNicReceiveDropsTotal},
      {"node_network_transmit_drop_total", LinkKind::kEthernet, Role::kNicTransmitDiscardsTotal},
  };
  for (const auto& row : rows) {
    const LabelSet labels = Named(row.name);
    const auto link = LinkSeriesOf(labels);
    ASSERT_TRUE(link.has_value()) << row.name;
    EXPECT_EQ(link->kind, row.kind) << row.name;
    EXPECT_EQ(link->role, row.role) << row.name;
    EXPECT_TRUE(std::string(LinkNames()).find(row.name) != std::string::npos) << row.name;
  }
  EXPECT_FALSE(LinkSeriesOf(Named("train_loss")).has_value());
  EXPECT_FALSE(LinkSeriesOf(Named("nobody_knows")).has_value());
}

// Each of the names between bars has one of the roles.
void ExpectNamesOf(std::string_view names, const std::vector<Role>& roles) {
  std::vector<Role> found;
  size_t begin = 0;
  while (begin <= names.size()) {
    const size_t end = std::min(names.find('|', begin), names.size());
    const std::string name(names.substr(begin, end - begin));
    begin = end + 1;
    const auto possible = catalogue::RolesOfName(name);
    const auto wanted = std::ranges::find_if(possible, [&roles](const auto& one) {
      return std::ranges::find(roles, one.role) != roles.end();
    });
    ASSERT_NE(wanted, possible.end()) << name;
    found.push_back(wanted->role);
  }
  for (const Role role : roles) {
    EXPECT_TRUE(std::ranges::find(found, role) != found.end()) << catalogue::InfoOf(role).name;
  }
}

TEST(SeriesRoles, NamesToSelectAreThoseOfTheirRoles) {
  ExpectNamesOf(StepNumberNames(), {Role::kTrainStep});
  ExpectNamesOf(DevicePresenceNames(),
                {Role::kGpuUtilizationRatio, Role::kGpuPowerWatts, Role::kGpuGrEngineActiveRatio});
  ExpectNamesOf(FlopsRateNames(), {Role::kTrainFlopsPerSecondPerGpu});
  ExpectNamesOf(ModelFlopsNames(), {Role::kTrainModelFlops});
  ExpectNamesOf(
      FactNames(),
      {Role::kTrainTokensTotal, Role::kTrainSamplesTotal, Role::kTrainWorldSize,
       Role::kTrainGlobalBatchSize, Role::kTrainMicroBatchSize, Role::kTrainSequenceLength,
       Role::kTrainPlannedSteps, Role::kTrainDataParallelSize, Role::kTrainTensorParallelSize,
       Role::kTrainPipelineParallelSize, Role::kTrainContextParallelSize});
}

TEST(SeriesOrigin, IsReadFromLabels) {
  const LabelSet labels = LabelSet::Of({{"rank", "12"},
                                        {"attempt", "3"},
                                        {"Hostname", "n1"},
                                        {"gpu", "4"},
                                        {"UUID", "GPU-5"},
                                        {"modelName", "H200"}});
  const SeriesOrigin origin = OriginOf(labels);
  EXPECT_EQ(origin.rank, 12);
  EXPECT_EQ(origin.attempt, 3);
  EXPECT_EQ(origin.host, "n1");
  EXPECT_EQ(origin.gpu, "4");
  EXPECT_EQ(origin.gpu_uuid, "GPU-5");
  EXPECT_EQ(origin.gpu_model, "H200");
  for (const char* name : {"hostname", "node"}) {
    const LabelSet other = LabelSet::Of({{name, "n2"}});
    EXPECT_EQ(OriginOf(other).host, "n2") << name;
  }
  const LabelSet lower = LabelSet::Of({{"uuid", "GPU-6"}});
  EXPECT_EQ(OriginOf(lower).gpu_uuid, "GPU-6");
}

TEST(SeriesOrigin, ARankIsAWholeNumber) {
  for (const char* text : {"", "x", "1x", "x1", "1.5", "99999999999999999999"}) {
    const LabelSet labels = LabelSet::Of({{"rank", text}, {"attempt", text}});
    EXPECT_EQ(OriginOf(labels).rank, std::nullopt) << text;
    EXPECT_EQ(OriginOf(labels).attempt, std::nullopt) << text;
  }
}

TEST(SeriesOrigin, APlaceLearnsOnlyWhatItDoesNotKnow) {
  training::RankPlace place{.host = "n1"};
  std::string model;
  LearnPlace({.rank = 7, .attempt = {}, .host = "n2", .gpu = "3", .gpu_uuid = "", .gpu_model = "A"},
             place, model);
  LearnPlace({.rank = 7, .attempt = {}, .host = "", .gpu = "4", .gpu_uuid = "U", .gpu_model = "B"},
             place, model);
  EXPECT_EQ(place.rank, 7);
  EXPECT_EQ(place.host, "n1");
  EXPECT_EQ(place.gpu, "3");
  EXPECT_EQ(place.gpu_uuid, "U");
  EXPECT_EQ(model, "A");
}

SeriesOrigin Gpu(std::string_view host, std::string_view gpu, std::string_view uuid) {
  return {.rank = {}, .attempt = {}, .host = host, .gpu = gpu, .gpu_uuid = uuid, .gpu_model = ""};
}

TEST(SeriesOrigin, AGpuIsKnownByItsUuidOrByHostAndIndex) {
  const training::RankPlace place{.host = "a", .gpu = "0", .gpu_uuid = "U"};
  EXPECT_TRUE(IsOn(Gpu("a", "1", "U"), place));
  EXPECT_TRUE(IsOn(Gpu("", "", "U"), place));
  EXPECT_FALSE(IsOn(Gpu("b", "0", "U"), place));
  EXPECT_FALSE(IsOn(Gpu("a", "0", "V"), place));
  EXPECT_TRUE(IsOn(Gpu("a", "0", ""), place));
  EXPECT_FALSE(IsOn(Gpu("a", "1", ""), place));
  EXPECT_FALSE(IsOn(Gpu("b", "0", ""), place));
  EXPECT_TRUE(IsOn(Gpu("a", "0", "U"), {.gpu_uuid = "U"}));
  EXPECT_TRUE(IsOn(Gpu("a", "0", "U"), {.host = "a", .gpu = "0"}));
  EXPECT_FALSE(IsOn(Gpu("", "0", ""), {.host = "", .gpu = "0"}));
  EXPECT_FALSE(IsOn(Gpu("a", "", ""), {.host = "a", .gpu = ""}));
}

LabelSet SharedGpu(const char* host, const char* gpu, const char* model = "H200") {
  return LabelSet::Of({{"Hostname", host}, {"gpu", gpu}, {"modelName", model}});
}

// "host/gpu model" of rank 3 at `place`, once it has looked at the GPUs.
std::string Learned(const std::vector<LabelSet>& gpus, training::RankPlace place) {
  place.rank = 3;
  std::string model;
  LearnSharedGpu(gpus, place, model);
  EXPECT_EQ(place.rank, 3);
  return place.host + "/" + place.gpu + " " + model;
}

TEST(SharedGpus, OneThatFitsIsTheRanks) {
  EXPECT_EQ(Learned({SharedGpu("a", "0")}, {}), "a/0 H200");
  EXPECT_EQ(Learned({SharedGpu("a", "0"), SharedGpu("b", "0")}, {}), "/ ");
  EXPECT_EQ(Learned({SharedGpu("a", "0"), SharedGpu("b", "0")}, {.host = "b"}), "b/0 H200");
  EXPECT_EQ(Learned({SharedGpu("a", "0"), SharedGpu("a", "1")}, {.host = "a"}), "a/ ");
  // With a known place, only that one.
  EXPECT_EQ(Learned({SharedGpu("a", "0"), SharedGpu("a", "1", "L4")}, {.host = "a", .gpu = "1"}),
            "a/1 L4");
  EXPECT_EQ(Learned({SharedGpu("a", "0")}, {.host = "a", .gpu = "1"}), "a/1 ");
  EXPECT_EQ(Learned({SharedGpu("a", "0")}, {.host = "a", .gpu_uuid = "U"}), "a/ ");
  EXPECT_EQ(Learned({}, {.host = "a"}), "a/ ");
}

TEST(SharedGpus, EachIsKeptOnce) {
  const auto uuid = [](const char* host, const char* gpu, const char* id) {
    return LabelSet::Of({{"Hostname", host}, {"gpu", gpu}, {"UUID", id}});
  };
  std::vector<LabelSet> gpus;
  AddSharedGpu(uuid("a", "0", "U"), gpus);
  AddSharedGpu(uuid("a", "0", "U"), gpus);
  EXPECT_EQ(gpus.size(), 1u);
  AddSharedGpu(uuid("b", "0", "U"), gpus);
  AddSharedGpu(uuid("a", "1", "U"), gpus);
  AddSharedGpu(uuid("a", "0", "V"), gpus);
  EXPECT_EQ(gpus.size(), 4u);
}

}  // namespace
}  // namespace lockstep::answers
