#include "hang/dump/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::hang {
namespace {

using testing::HasSubstr;

TEST(EvidenceTest, RankInName) {
  EXPECT_EQ(RankInName("/tmp/nccl_trace_rank_3"), 3);
  EXPECT_EQ(RankInName("comm_lib_trace_rank_17.json"), 17);
  EXPECT_EQ(RankInName("nccl_trace_rank_5_node-12"), 5);
  EXPECT_EQ(RankInName("node12_nccl_trace_rank_8"), 8);
  EXPECT_EQ(RankInName("Rank7.stack.txt"), 7);
  EXPECT_EQ(RankInName("rank-9.gz"), 9);
  EXPECT_EQ(RankInName("dumps3/run5/dump-0012"), 12);
  EXPECT_EQ(RankInName("fr4.pickle"), 4);
  EXPECT_EQ(RankInName("trace_rank_"), std::nullopt);
  EXPECT_EQ(RankInName("dump"), std::nullopt);
  EXPECT_EQ(RankInName("dump_99999999999"), std::nullopt);
}

// The parts that decide, in JSON: one entry of every form.
absl::StatusOr<RankRecord> Read(std::string_view entries, std::string_view rest = "") {
  static std::string text;  // outlives what is read from it
  text = absl::StrFormat(R"({"version": "2.10", "pg_config": {"0": {"name": "0",
      "desc": "default_pg", "ranks": "[0, 1]"}}, %s "entries": [%s]})",
                         rest, entries);
  return ReadEvidence(text, nullptr);
}

std::string Entry(int id, std::string_view name, std::string_view more) {
  return absl::StrFormat(R"({"record_id": %d, "pg_id": 0, "process_group": ["0", "default_pg"],
      "profiling_name": "%s", "input_sizes": [[4, 2]], "input_dtypes": ["Float"],
      "output_sizes": [[8]], "output_dtypes": ["Float"], "time_created_ns": 1000000000000%03d,
      "state": "scheduled", %s})",
                         id, name, id, more);
}

std::string Collective(int id, std::string_view name, int sequence, std::string_view more = "") {
  return Entry(id, name,
               absl::StrFormat(R"("is_p2p": false, "p2p_seq_id": 0, "collective_seq_id": %d%s)",
                               sequence, more));
}

std::string Peer(int id, std::string_view name, int sequence, bool is_end = false) {
  return Entry(
      id, name,
      absl::StrFormat(R"("is_p2p": %s, "collective_seq_id": 1, "p2p_seq_id": %d%s)",
                      is_end ? "false" : "true", sequence, is_end ? R"(, "retired": true)" : ""));
}

TEST(EvidenceTest, OtherJsonIsNoEvidence) {
  for (
      const std::string_view text :
      {R"({"schemaVersion": 1, "distributedInfo": {"pg_config": [{"pg_name": "0"}]}, "version": 1})",
       R"({"step": 1, "nccl_version": "2.28", "loss": 2})", R"({"pg_config": 1})", "{}"}) {
    EXPECT_EQ(KindOfEvidence(text), std::nullopt) << text;
  }
  EXPECT_EQ(KindOfEvidence(R"({"entries": [{"profiling_name": "a", "record_id": 0)"),
            EvidenceKind::kFlightRecorder);
  EXPECT_EQ(KindOfEvidence(R"({"pg_config": {}, "pg_status": {}, "version": "2.10"})"),
            EvidenceKind::kFlightRecorder);
}

TEST(EvidenceTest, FormsOfOneCollectiveHaveOneName) {
  const auto record = Read(
      Collective(0, "nccl:_all_gather_base", 1) + "," + Collective(1, "nccl:all_gather", 2) + "," +
      Collective(2, "nccl:_reduce_scatter_base", 3) + "," + Collective(3, "gloo:all_reduce", 4));
  ASSERT_TRUE(record.ok()) << record.status();
  std::vector<std::string> kinds;
  for (const Operation& one : record->operations) {
    kinds.push_back(absl::StrFormat("%s %s", record->Text(one.kind), record->Text(one.sizes)));
  }
  EXPECT_THAT(kinds, testing::ElementsAre("all_gather [[4, 2]]", "all_gather [[4, 2]]",
                                          "reduce_scatter [[8]]", "all_reduce [[4, 2]]"));
  EXPECT_EQ(record->operations[3].element_count, 8);
  EXPECT_EQ(record->groups[0].last_entered, 4);
  EXPECT_THAT(record->groups[0].ranks, testing::ElementsAre(0, 1));
}

TEST(EvidenceTest, MembersOfABatchHaveTheStateOfItsEnd) {
  const auto record = Read(Collective(0, "nccl:all_reduce", 1) + "," +
                           Peer(1, "nccl:send 0->1", 1) + "," + Peer(2, "nccl:recv 0<-1", 1) + "," +
                           Peer(3, "nccl:coalesced", 1, true) + "," + Peer(4, "nccl:send 0->1", 2));
  ASSERT_TRUE(record.ok()) << record.status();
  ASSERT_EQ(record->operations.size(), 4u);
  // The collective is none of the batch, whose end has its number.
  EXPECT_EQ(record->operations[0].state, OperationState::kScheduled);
  EXPECT_EQ(record->operations[1].state, OperationState::kCompleted);
  EXPECT_EQ(record->operations[2].state, OperationState::kCompleted);
  EXPECT_EQ(record->operations[3].state, OperationState::kScheduled);
  EXPECT_EQ(record->operations[3].peer, 1);
}

TEST(EvidenceTest, AWrappedBufferKnowsOnlyWhatItKeeps) {
  const auto record = Read(Collective(7, "nccl:all_reduce", 5));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_TRUE(record->is_wrapped);
  EXPECT_EQ(record->groups[0].first_kept, 5);
  // Without its entries, the group's progress is unknown.
  const auto other =
      Read(R"({"record_id": 7, "process_group": ["1", "x"], "profiling_name": "a"})");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->groups[0].last_entered, std::nullopt);
}

TEST(EvidenceTest, OldNamesOfFields) {
  const auto record = Read(R"({"record_id": 0, "pg_name": "0", "pg_desc": "default_pg", "seq_id": 9,
      "profiling_name": "nccl:broadcast", "state": "started", "frames": [
      {"name": "wait", "filename": "/x/torch/w.py", "line": 1},
      {"name": "step", "filename": "train.py", "line": 2}]})");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->operations[0].sequence, 9);
  EXPECT_EQ(record->operations[0].state, OperationState::kStarted);
  EXPECT_EQ(record->Text(record->operations[0].frames), "step (train.py:2)");
}

TEST(EvidenceTest, WhatIsNoDumpIsRefused) {
  for (const std::string_view text :
       {"", "{", "{}", "[]", R"({"version": "2.1", "entries": 3})",
        R"({"version": "2.1", "entries": [3]})", "iter 1: loss 2\n"}) {
    const auto status = ReadEvidence(text, nullptr).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(Message(ReadEvidence(R"({"version": "3.0"})", nullptr).status())),
              HasSubstr("versions 2.x are read"));
}

TEST(EvidenceTest, ADumpWithoutEntriesIsOne) {
  const auto record = ReadEvidence(R"({"version": "2.4", "pg_config": {}})", nullptr);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_TRUE(record->operations.empty());
}

TEST(EvidenceTest, APeerOutOfRangeIsUnknown) {
  const auto record =
      Read(Peer(0, "nccl:send 0->-5", 1) + "," + Peer(1, "nccl:send 0->9999999", 2));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->operations[0].peer, -1);
  EXPECT_EQ(record->operations[1].peer, -1);
}

TEST(EvidenceTest, NumbersOutOfRangeDoNoHarm) {
  const auto record = Read(
      R"({"record_id": 9223372036854775807, "collective_seq_id": -9223372036854775808,
      "time_created_ns": 9223372036854775807, "input_sizes": [[9223372036854775807, 3], ["x"]],
      "profiling_name": "nccl:all_reduce", "process_group": [1, 2]})");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->operations[0].element_count, -1);
  EXPECT_EQ(record->operations[0].sequence, 0);
}

std::string PickledText(std::string_view text) {
  return std::string({'X', static_cast<char>(text.size()), 0, 0, 0}).append(text);
}

// A pickle of 200 KB: each of its entries is the same large dict.
TEST(EvidenceTest, EntriesThatShareALargeDictAreRefused) {
  std::string bytes = std::string("\x80\x02}(") + PickledText("version") + PickledText("2.10") +
                      PickledText("entries") + "](}(";
  for (int i = 0; i < 10'000; ++i) bytes += "K\x01N";
  bytes += "uq\x01";
  for (int i = 0; i < (1 << 16) - 1; ++i) bytes += "h\x01";
  bytes += "eu.";
  const absl::Status status = ReadEvidence(bytes, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("looks at its values"));
}

// The recorder's counts include sends and receives.
TEST(EvidenceTest, CountsSayNothingAboutAGroupWithSends) {
  const std::string status = R"("pg_status": {"0": {"last_enqueued_collective": 9}},)";
  const auto with = Read(Peer(7, "nccl:send 0->1", 1), status);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(with->groups[0].last_entered, std::nullopt);
  const auto without = Read(Collective(7, "nccl:coalesced", 3), status);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->groups[0].last_entered, 9);
}

}  // namespace
}  // namespace lockstep::hang
