#include "import/wandb/wandb_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "import/wandb/wandb_limits.h"
#include "import/wandb/wandb_log_testing.h"

namespace lockstep::wandb {
namespace {

using protozero::pbf_writer;

struct MadeItem {
  std::vector<std::string> path;  // nested keys; one: a plain key
  std::string json;
};

void PutItem(pbf_writer& record, uint32_t field, const MadeItem& made) {
  pbf_writer item(record, field);
  if (made.path.size() == 1) {
    item.add_string(1, made.path[0]);
  } else {
    for (const std::string& key : made.path) item.add_string(2, key);
  }
  item.add_string(16, made.json);
}

std::string HistoryOf(const std::vector<MadeItem>& items, std::optional<int64_t> step) {
  std::string record;
  pbf_writer writer(record);
  pbf_writer history(writer, 2);
  for (const MadeItem& item : items) PutItem(history, 1, item);
  if (step.has_value()) {
    pbf_writer number(history, 2);
    number.add_int64(1, *step);
  }
  return record;
}

std::string LogOfRecords(const std::vector<std::string>& records) {
  std::string log;
  for (const std::string& record : records) PutWandbRecord(log, record);
  return log;
}

// One "step@time_ms name=value name=value" per row.
struct ReadRun {
  std::string rows;
  WandbRun run;
  WandbItemCounts items;
  uint64_t malformed_records;
  bool has_ended;
};

ReadRun ReadOf(const std::vector<std::string>& records) {
  std::string rows;
  WandbReader reader([&rows](const WandbRow& row) {
    rows += row.step.has_value() ? std::to_string(*row.step) : "-";
    rows += row.time_ms.has_value() ? "@" + std::to_string(*row.time_ms) : "";
    for (const WandbValue& value : row.values) {
      absl::StrAppendFormat(&rows, " %s=%.17g", value.name, value.value);
    }
    rows += "\n";
  });
  reader.Feed(LogOfRecords(records));
  reader.Finish();
  return {rows, reader.run(), reader.item_counts(), reader.malformed_records(), reader.has_ended()};
}

void CheckValues(const std::vector<MadeItem>& items, const std::string& expected) {
  EXPECT_EQ(ReadOf({HistoryOf(items, 7)}).rows, expected);
}

TEST(WandbReaderTest, ARowOfHistory) {
  CheckValues({{{"_timestamp"}, "1795510508.5052779"},
               {{"_step"}, "7"},
               {{"_runtime"}, "0.25"},
               {{"train/loss"}, "0.18181818181818182"},
               {{"big"}, "1152921504606846977"}},
              "7@1795510508505 _runtime=0.25 train/loss=0.18181818181818182 "
              "big=1.152921504606847e+18\n");
}

TEST(WandbReaderTest, TheStepIsTheRecordsOrThatOfAnItem) {
  const std::vector<MadeItem> items = {{{"_step"}, "12"}, {{"a"}, "1"}};
  EXPECT_EQ(ReadOf({HistoryOf(items, std::nullopt)}).rows, "12 a=1\n");
  EXPECT_EQ(ReadOf({HistoryOf(items, 0)}).rows, "0 a=1\n");
  EXPECT_EQ(ReadOf({HistoryOf({{{"_step"}, "1.5"}, {{"a"}, "1"}}, std::nullopt)}).rows, "- a=1\n");
}

TEST(WandbReaderTest, ObjectsWithinObjects) {
  CheckValues({{{"a", "b", "c"}, "2"}, {{"d", "e"}, "3"}}, "7 a.b.c=2 d.e=3\n");
  CheckValues({{{"a"}, R"({"b": {"c": 2}, "d": [1], "e": -3.5})"}}, "7 a.b.c=2 a.e=-3.5\n");
}

TEST(WandbReaderTest, NumbersThatJsonHasNot) {
  CheckValues({{{"a"}, "NaN"},
               {{"b"}, "\"NaN\""},
               {{"c"}, "Infinity"},
               {{"d"}, "\"-Infinity\""},
               {{"e"}, R"({"f": NaN, "NaN": "NaN in \" text", "g": -Infinity, "h": 1})"}},
              "7 a=nan b=nan c=inf d=-inf e.f=nan e.g=-inf e.h=1\n");
}

TEST(WandbReaderTest, WhatIsNoNumberIsLeftOut) {
  const ReadRun read = ReadOf({HistoryOf({{{"a"}, "\"text\""},
                                          {{"b"}, "true"},
                                          {{"c"}, "null"},
                                          {{"d"}, "[1, 2]"},
                                          {{"e"}, "{"},
                                          {{"f"}, ""},
                                          {{"g"}, "1"}},
                                         7)});
  EXPECT_EQ(read.rows, "7 g=1\n");
  EXPECT_EQ(read.items.no_numbers, 4u);
  EXPECT_EQ(read.items.malformed, 2u);
}

TEST(WandbReaderTest, MediaAreLeftOutWhole) {
  // In the forms of newer and older writers.
  const ReadRun read =
      ReadOf({HistoryOf({{{"img", "width"}, "4"},
                         {{"img", "_type"}, "\"image-file\""},
                         {{"hist"}, R"({"_type": "histogram", "values": [1], "n": 3})"},
                         {{"imgs", "width"}, "5"},
                         {{"deep", "img", "_type"}, "\"image-file\""},
                         {{"deep", "img", "size"}, "6"},
                         {{"deep", "loss"}, "8"}},
                        7)});
  EXPECT_EQ(read.rows, "7 imgs.width=5 deep.loss=8\n");
  EXPECT_EQ(read.items.media, 3u);
}

TEST(WandbReaderTest, LimitsOfNamesAndDepth) {
  std::string deep = "1";
  for (int i = 0; i < kMaxDepth; ++i) deep = "{\"a\":" + deep + "}";
  const auto malformed = [](const MadeItem& item) {
    return ReadOf({HistoryOf({item}, 7)}).items.malformed;
  };
  EXPECT_EQ(malformed({{"x"}, deep}), 0u);
  EXPECT_EQ(malformed({{"x"}, "{\"a\":" + deep + "}"}), 1u);
  EXPECT_EQ(malformed({{std::string(kMaxNameBytes, 'n')}, "1"}), 0u);
  EXPECT_EQ(malformed({{std::string(kMaxNameBytes + 1, 'n')}, "1"}), 1u);
}

TEST(WandbReaderTest, WhatTheMachineDid) {
  std::string record;
  {
    pbf_writer writer(record);
    pbf_writer stats(writer, 7);
    {
      pbf_writer time(stats, 2);
      time.add_int64(1, 1795510508);
      time.add_int32(2, 369289964);
    }
    PutItem(stats, 3, {{"gpu.0.temp"}, "61.0"});
    PutItem(stats, 3, {{"cpu"}, "12"});
  }
  EXPECT_EQ(ReadOf({record}).rows, "-@1795510508369 system.gpu.0.temp=61 system.cpu=12\n");
}

std::string RunRecord(const std::vector<std::pair<uint32_t, std::string>>& texts,
                      const std::vector<MadeItem>& config) {
  std::string record;
  pbf_writer writer(record);
  pbf_writer run(writer, 17);
  for (const auto& [field, text] : texts) run.add_string(field, text);
  pbf_writer updates(run, 4);
  for (const MadeItem& item : config) PutItem(updates, 1, item);
  return record;
}

TEST(WandbReaderTest, WhoTheRunIs) {
  std::string exit;
  {
    pbf_writer writer(exit);
    pbf_writer message(writer, 18);
    message.add_int32(1, 0);
  }
  const ReadRun read = ReadOf(
      {RunRecord({{1, "abc"}, {3, "proj"}, {6, "g"}, {7, "train"}, {8, "name"}},
                 {{{"lr"}, "0.1"}, {{"rank"}, "3"}}),
       // Later records contain only changes.
       RunRecord({{1, "abc"}, {2, "team"}, {8, std::string(2 * kMaxTextBytes, 'n')}}, {}), exit});
  EXPECT_EQ(read.run.id, "abc");
  EXPECT_EQ(read.run.entity, "team");
  EXPECT_EQ(read.run.project, "proj");
  EXPECT_EQ(read.run.group, "g");
  EXPECT_EQ(read.run.job_type, "train");
  EXPECT_EQ(read.run.name, std::string(kMaxTextBytes, 'n'));
  EXPECT_EQ(read.run.rank, 3);
  EXPECT_TRUE(read.has_ended);
}

// The start of a run, in seconds and nanoseconds.
std::string StartRecord(int64_t seconds, int32_t nanos) {
  std::string record;
  pbf_writer writer(record);
  pbf_writer run(writer, 17);
  run.add_uint32(99, 7);  // of a later version
  pbf_writer time(run, 17);
  time.add_int64(1, seconds);
  time.add_int32(2, nanos);
  time.add_int32(3, 5);
  return record;
}

TEST(WandbReaderTest, WhenTheRunBegan) {
  EXPECT_EQ(ReadOf({StartRecord(1'795'510'508, 250'400'000)}).run.start_ms, 1'795'510'508'250);
  EXPECT_EQ(ReadOf({StartRecord(0, 0)}).run.start_ms, std::nullopt);
  EXPECT_EQ(ReadOf({StartRecord(-5, 0)}).run.start_ms, std::nullopt);
  EXPECT_EQ(ReadOf({StartRecord(100'000'000'000, 0)}).run.start_ms, 100'000'000'000'000);
  EXPECT_EQ(ReadOf({StartRecord(100'000'000'001, 0)}).run.start_ms, std::nullopt);
}

TEST(WandbReaderTest, TheRankMayComeLater) {
  std::string record;
  {
    pbf_writer writer(record);
    pbf_writer updates(writer, 5);
    PutItem(updates, 1, {{"global_rank"}, "6"});
    PutItem(updates, 1, {{"world", "rank"}, "9"});
  }
  EXPECT_EQ(ReadOf({RunRecord({{1, "abc"}}, {}), record}).run.rank, 6);
}

TEST(WandbReaderTest, RecordsAndFieldsOfLaterVersionsAreSkipped) {
  std::string record;
  {
    pbf_writer writer(record);
    writer.add_uint32(1, 5);
    pbf_writer history(writer, 2);
    history.add_string(77, "x");
    PutItem(history, 1, {{"a"}, "1"});
  }
  std::string other;
  pbf_writer(other).add_string(90, "y");
  const ReadRun read = ReadOf({other, record});
  EXPECT_EQ(read.malformed_records, 0u);
  EXPECT_TRUE(read.rows.ends_with("a=1\n")) << read.rows;
  EXPECT_FALSE(read.has_ended);
}

TEST(WandbReaderTest, MalformedRecordsCostNoOthers) {
  const std::string good = HistoryOf({{{"a"}, "1"}}, 7);
  for (size_t size = 1; size < good.size(); ++size) {
    const ReadRun read = ReadOf({good.substr(0, size), good});
    EXPECT_EQ(read.malformed_records, 1u) << size;
    EXPECT_EQ(read.rows, "7 a=1\n") << size;
  }
}

}  // namespace
}  // namespace lockstep::wandb
