#include "hang/record/record_coding.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/format_page.h"

namespace lockstep::hang {
namespace {

// As on the page of the format.
RankRecord Example() {
  RankRecord record;
  record.rank = 2;
  record.version = "2.10";
  record.kept_ms = 1'000'000'000'001;
  record.dump_ms = 1'000'000'000'001;
  record.newest_ms = 1'000'000'000'000;
  record.texts = {"", "0", "default_pg", "all_reduce", "[[16]]", "Float", "f (a.py:1)"};
  record.groups = {{.name = 1, .description = 2, .ranks = {0, 1, 2}, .last_entered = 6}};
  Operation operation;
  operation.sequence = 6;
  operation.kind = 3;
  operation.sizes = 4;
  operation.dtypes = 5;
  operation.element_count = 16;
  operation.created_ms = 1'000'000'000'000;
  operation.timeout_ms = 600'000;
  operation.frames = 6;
  record.operations = {operation};
  record.stack = {"f (a.py:1)"};
  record.stack_ms = 1'000'000'000'001;
  return record;
}

TEST(RecordCodingTest, TheFormatsPageIsRight) {
  EXPECT_EQ(EncodeRecord("j", Example()), FormatPageExample("kept.md", "dump"));
}

TEST(RecordCodingTest, WhatIsEncodedComesBack) {
  NamedRecord named;
  ASSERT_TRUE(DecodeRecord(EncodeRecord("j", Example()), named));
  EXPECT_EQ(named.job, "j");
  EXPECT_EQ(named.record.groups, Example().groups);
  EXPECT_EQ(named.record.texts, Example().texts);
  ASSERT_EQ(named.record.operations.size(), 1u);
  EXPECT_EQ(named.record.operations[0].timeout_ms, 600'000);
  EXPECT_EQ(named.record.stack, Example().stack);
  RecordHead head;
  ASSERT_TRUE(DecodeRecordHead(EncodeRecord("j", Example()), head));
  EXPECT_EQ(head.rank, 2);
  EXPECT_EQ(head.kept_ms, 1'000'000'000'001);
}

TEST(RecordCodingTest, CutOrLongerRowsAreNone) {
  const std::string row = EncodeRecord("j", Example());
  NamedRecord named;
  for (size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(DecodeRecord(row.substr(0, size), named)) << size;
  }
  EXPECT_FALSE(DecodeRecord(row + "x", named));
}

TEST(RecordCodingTest, ALongRecordLosesItsOldestOperations) {
  RankRecord record = Example();
  const Operation first = record.operations[0];
  record.operations.clear();
  for (uint32_t i = 0; i < kMaxOperations; ++i) {
    record.texts.push_back(std::string(kMaxTextBytes - 8, 'x') + std::to_string(i));
    Operation operation = first;
    operation.sequence = i + 1;
    operation.state = OperationState::kCompleted;
    operation.frames = static_cast<TextNumber>(record.texts.size() - 1);
    record.operations.push_back(operation);
  }
  record.groups[0].last_entered = kMaxOperations;
  const std::string row = EncodeRecord("j", record);
  EXPECT_LE(row.size(), kMaxRecordBytes);
  NamedRecord named;
  ASSERT_TRUE(DecodeRecord(row, named));
  ASSERT_FALSE(named.record.operations.empty());
  EXPECT_EQ(named.record.operations.back().sequence, static_cast<int64_t>(kMaxOperations));
  EXPECT_EQ(named.record.groups[0].first_kept, named.record.operations.front().sequence);
  EXPECT_EQ(named.record.groups[0].last_entered, static_cast<int64_t>(kMaxOperations));
}

TEST(RecordCodingTest, WhatWaitsIsKeptBeforeWhatEnded) {
  RankRecord record = Example();
  const Operation waiting = record.operations[0];
  for (int64_t i = 0; i < 1000; ++i) {
    Operation operation = waiting;
    operation.sequence = 7 + i;
    operation.state = OperationState::kCompleted;
    record.operations.push_back(operation);
  }
  KeepNewest(record, kMaxOperations);
  EXPECT_EQ(record.operations.size(), kMaxOperations);
  EXPECT_EQ(record.operations.front().sequence, 6);
  EXPECT_EQ(record.operations.back().sequence, 1006);
}

// What waits is dropped as well if there is too much of it, and then is not known any more.
TEST(RecordCodingTest, AGroupKnowsWhatItLost) {
  RankRecord record = Example();
  const Operation waiting = record.operations[0];
  record.groups.assign(40, record.groups[0]);
  record.operations.clear();
  for (uint32_t group = 0; group < record.groups.size(); ++group) {
    for (int64_t sequence = 1; sequence <= 8; ++sequence) {
      record.operations.push_back(waiting);
      record.operations.back().group = group;
      record.operations.back().sequence = sequence;
    }
  }
  KeepNewest(record, 252);
  EXPECT_EQ(record.operations.size(), 252u);
  EXPECT_EQ(record.groups[0].first_kept, 9);
  EXPECT_EQ(record.groups[8].first_kept, 5);
  EXPECT_EQ(record.groups[9].first_kept, 1);
}

// Sums and differences of what is decoded do not overflow.
TEST(RecordCodingTest, NumbersOfDamagedRowsAreRefused) {
  const auto is_read = [](const auto& damage) {
    RankRecord record = Example();
    damage(record);
    NamedRecord named;
    return DecodeRecord(EncodeRecord("j", record), named);
  };
  EXPECT_TRUE(is_read([](RankRecord& one) { one.operations[0].created_ms = 0; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.operations[0].created_ms = INT64_MIN; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.operations[0].sequence = INT64_MAX; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.operations[0].timeout_ms = INT64_MAX; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.groups[0].last_entered = INT64_MIN; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.groups[0].first_kept = INT64_MAX; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.newest_ms = INT64_MAX; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.dump_ms = INT64_MIN; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.stack_ms = INT64_MAX; }));
  EXPECT_FALSE(is_read([](RankRecord& one) { one.kept_ms = INT64_MAX; }));
}

}  // namespace
}  // namespace lockstep::hang
