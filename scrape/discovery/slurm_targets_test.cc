#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "absl/strings/str_format.h"
#include "scrape/discovery/sources.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Labels = std::map<std::string, std::string>;

Labels LabelsWithoutPrefix(const TargetGroup& group) {
  constexpr std::string_view kPrefix = "__meta_slurm_";
  Labels labels;
  for (const LabelView& label : group.labels) {
    EXPECT_TRUE(label.name.starts_with(kPrefix)) << label.name;
    labels[std::string(label.name.substr(kPrefix.size()))] = label.value;
  }
  return labels;
}

// In the format of scontrol(1), with a reason that looks like several fields.
constexpr std::string_view kOutput =
    "NodeName=gpu-1 Arch=x86_64 CoresPerSocket=56 CPUAlloc=0 CPUEfctv=224 CPUTot=224 "
    "CPULoad=0.10 AvailableFeatures=h100,ib ActiveFeatures=h100 Gres=gpu:h100:8(S:0-1) "
    "NodeAddr=10.0.0.1 NodeHostName=gpu-1.example Version=23.11.4 "
    "OS=Linux 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1  RealMemory=2063000 "
    "AllocMem=0 FreeMem=2000000 Sockets=2 Boards=1 State=DOWN*+DRAIN+RESERVED "
    "ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=gpu,all "
    "BootTime=None Reason=bad GPU Gres=none State=IDLE [root@2026-11-01T10:00:00]\n"
    "NodeName=cpu-1 Gres=(null) State=IDLE~ Partitions=all\n";

TEST(SlurmTargetsTest, EveryNodeIsATargetWhateverItsState) {
  const auto found = SlurmTargets(kOutput, 9400);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->groups.size(), 2u);
  EXPECT_THAT(found->groups[0].addresses, ElementsAre("10.0.0.1:9400"));
  EXPECT_EQ(LabelsWithoutPrefix(found->groups[0]),
            (Labels{{"node_name", "gpu-1"},
                    {"node_address", "10.0.0.1"},
                    {"node_hostname", "gpu-1.example"},
                    {"state", "DOWN"},
                    {"state_flags", ",DRAIN,NOT_RESPONDING,RESERVED,"},
                    {"partitions", ",gpu,all,"},
                    {"gres", "gpu:h100:8(S:0-1)"},
                    {"features", ",h100,ib,"},
                    {"active_features", ",h100,"},
                    {"arch", "x86_64"},
                    {"cpus", "224"},
                    {"memory_megabytes", "2063000"},
                    {"version", "23.11.4"}}));
  EXPECT_THAT(found->groups[1].addresses, ElementsAre("cpu-1:9400"));
  EXPECT_EQ(LabelsWithoutPrefix(found->groups[1]), (Labels{{"node_name", "cpu-1"},
                                                           {"node_address", "cpu-1"},
                                                           {"state", "IDLE"},
                                                           {"state_flags", ",POWERED_DOWN,"},
                                                           {"partitions", ",all,"}}));
}

TEST(SlurmTargetsTest, WhatIsNoListOfNodesIsRefused) {
  EXPECT_EQ(Message(SlurmTargets("", 1).status()), "the list of nodes is empty");
  EXPECT_EQ(Message(SlurmTargets("\nNodeName=a\nslurm_load_node error\n", 1).status()),
            "line 3 is not a node as `scontrol show nodes --oneliner` prints it");
  EXPECT_FALSE(SlurmTargets("NodeName=\xff\n", 1).ok());
  const auto none = SlurmTargets("No nodes in the system\n", 1);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->groups.empty());
}

Labels OnlyNodeOf(const std::string& line) {
  const auto found = SlurmTargets(line, 1);
  EXPECT_TRUE(found.ok()) << found.status();
  if (!found.ok() || found->groups.size() != 1) return {};
  return LabelsWithoutPrefix(found->groups[0]);
}

// The marks are those of sinfo(1).
TEST(SlurmTargetsTest, MarksOfAStateAreFlags) {
  for (const auto& [mark, flag] : std::map<char, std::string>{{'*', "NOT_RESPONDING"},
                                                              {'~', "POWERED_DOWN"},
                                                              {'#', "POWERING_UP"},
                                                              {'!', "POWER_DOWN"},
                                                              {'%', "POWERING_DOWN"},
                                                              {'$', "MAINTENANCE"},
                                                              {'@', "REBOOT_REQUESTED"},
                                                              {'^', "REBOOT_ISSUED"},
                                                              {'-', "PLANNED"}}) {
    Labels labels = OnlyNodeOf(std::string("NodeName=a State=IDLE") + mark);
    EXPECT_EQ(labels["state"], "IDLE");
    EXPECT_EQ(labels["state_flags"], "," + flag + ",");
  }
  Labels labels = OnlyNodeOf("NodeName=a State=MIXED+DRAIN*+~");
  EXPECT_EQ(labels["state"], "MIXED");
  EXPECT_EQ(labels["state_flags"], ",DRAIN,NOT_RESPONDING,POWERED_DOWN,");
  labels = OnlyNodeOf("NodeName=a State=IDLE?");
  EXPECT_EQ(labels["state"], "IDLE");
  EXPECT_EQ(labels.count("state_flags"), 0u);
  EXPECT_EQ(OnlyNodeOf("NodeName=a").count("state"), 0u);
}

TEST(SlurmTargetsTest, ValuesThatAreNotKnownAreLeftOut) {
  for (const char* value : {"", "(null)", "N/A", "n/a"}) {
    const Labels labels = OnlyNodeOf(absl::StrFormat("NodeName=a Gres=%s Arch=x", value));
    EXPECT_EQ(labels.count("gres"), 0u) << value;
    EXPECT_EQ(labels.at("arch"), "x");
  }
  const auto none = SlurmTargets("NodeName=(null) Arch=x\n\nNodeName=b\n", 1);
  ASSERT_TRUE(none.ok());
  ASSERT_EQ(none->groups.size(), 1u);
  EXPECT_EQ(none->groups[0].source, "slurm/b");
}

TEST(SlurmTargetsTest, FreeTextsEndALine) {
  for (const char* key : {"Reason", "Comment", "Extra"}) {
    const Labels labels = OnlyNodeOf(absl::StrFormat("NodeName=a %s=b Arch=x", key));
    EXPECT_EQ(labels.count("arch"), 0u) << key;
  }
  EXPECT_EQ(OnlyNodeOf("NodeName=a Gres=b=c Arch=x").at("gres"), "b=c");
}

TEST(SlurmTargetsTest, ALineHasAtMost64KiB) {
  const std::string line = "NodeName=a Arch=";
  const auto longest = SlurmTargets(line + std::string(65'536 - line.size(), 'x') + "\n", 1);
  ASSERT_TRUE(longest.ok()) << longest.status();
  EXPECT_EQ(longest->groups.size(), 1u);
  EXPECT_EQ(Message(SlurmTargets(line + std::string(65'537 - line.size(), 'x'), 1).status()),
            "line 1 is not a node as `scontrol show nodes --oneliner` prints it");
  EXPECT_EQ(Message(SlurmTargets(" \t\r\n", 1).status()), "the list of nodes is empty");
}

absl::StatusOr<size_t> NodesOf(SlurmDiscovery config) {
  config.port = 1;
  const auto found = MakeSlurmSource(std::move(config))->Look();
  if (!found.ok()) return found.status();
  return (*found)->groups.size();
}

TEST(SlurmSourceTest, RunsACommandWithoutAShell) {
  SlurmDiscovery config;
  config.command = {"printf", "NodeName=%s\\n", "a", "$(id)", "c"};
  EXPECT_EQ(*NodesOf(config), 3u);
  config.command = {"sh", "-c", "echo NodeName=a; exit 1"};
  EXPECT_EQ(Message(NodesOf(config).status()), "sh exited with status 1");
  config.command = {"no-such-program"};
  EXPECT_THAT(std::string(Message(NodesOf(config).status())), HasSubstr("cannot run"));
}

TEST(SlurmSourceTest, AnOutputWithoutEndIsRefused) {
  SlurmDiscovery config;
  config.command = {"yes", "NodeName=a"};
  EXPECT_EQ(Message(NodesOf(config).status()), "the list of nodes has more than 67108864 bytes");
}

TEST(SlurmSourceTest, WhatHasNoMemoryIsRefused) {
  SlurmDiscovery config;
  config.command = {"head", "-c", "10000000", "/dev/zero"};
  MemoryBudget::OfProcess().set_max_bytes(16 << 20);
  const absl::StatusCode code = NodesOf(config).status().code();
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_EQ(code, absl::StatusCode::kResourceExhausted);
}

TEST(SlurmSourceTest, IsNamedByItsFileOrProgram) {
  SlurmDiscovery config;
  EXPECT_EQ(MakeSlurmSource(config)->name(), "scontrol");
  config.file = "/nodes.txt";
  EXPECT_EQ(MakeSlurmSource(config)->name(), "/nodes.txt");
}

TEST(SlurmSourceTest, ALookUpBeginsAnew) {
  SlurmDiscovery config;
  config.command = {"echo", "NodeName=a"};
  config.port = 1;
  const auto source = MakeSlurmSource(config);
  const auto held = [] {
    return MemoryBudget::OfProcess()
        .stats()
        .accounts[static_cast<size_t>(MemoryAccount::kScrapes)]
        .held_bytes;
  };
  const uint64_t before = held();
  for (int i = 0; i < 2; ++i) {
    const auto found = source->Look();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ((*found)->groups.size(), 1u);
  }
  EXPECT_EQ(held(), before);
}

TEST(SlurmSourceTest, ALookUpThatIsCancelledFails) {
  SlurmDiscovery config;
  config.command = {"sleep", "1000"};
  const auto source = MakeSlurmSource(config);
  source->Cancel();
  EXPECT_FALSE(source->Look().ok());
}

TEST(SlurmSourceTest, ReadsALongFile) {
  SlurmDiscovery config;
  config.file = testing::TempDir() + "slurm_long.txt";
  {
    std::ofstream file(config.file);
    for (int i = 0; i < 10'000; ++i) file << "NodeName=node-" << i << " Arch=x86_64\n";
  }
  EXPECT_EQ(*NodesOf(config), 10'000u);
  std::remove(config.file.c_str());
}

TEST(SlurmSourceTest, ReadsAFileInstead) {
  SlurmDiscovery config;
  config.file = testing::TempDir() + "slurm_nodes.txt";
  std::ofstream(config.file) << kOutput;
  EXPECT_EQ(*NodesOf(config), 2u);
  std::remove(config.file.c_str());
  EXPECT_THAT(std::string(Message(NodesOf(config).status())), HasSubstr("cannot read"));
}

}  // namespace
}  // namespace lockstep::scrape
