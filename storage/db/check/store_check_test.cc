// The self-check is silent about every healthy store, finds each kind of damage, says where it is,
// and continues.
#include "storage/db/check/store_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "storage/db/check/day_check.h"
#include "storage/db/head/journal_block.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/rows/window.h"
#include "storage/db/series/dictionary_row.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using kv::DictionaryKind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kv::KeyRange kSeriesRows = kv::AllDictionaryKeys(DictionaryKind::kSeries);

constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;

class StoreCheck : public ::testing::Test {
 protected:
  StoreCheck() { options_.shard_count = 2; }

  // Ten series over three days, partly in the journal only.
  void MakeStore() {
    auto store = MustOpen(options_);
    for (int day = 2; day >= 0; --day) {
      WriteRequest request;
      for (int i = 0; i < 10; ++i) {
        SeriesWrite write{Series("m", "job" + std::to_string(i)), {}, {}};
        for (int k = 0; k < 50; ++k)
          write.samples.push_back({kTestNowMs - day * kDayMs - k * 1000, 1.0 * k});
        request.series.push_back(std::move(write));
        // New series, one by one, so that each has a row of the dictionary.
        if (day == 2) {
          ASSERT_TRUE(WriteAndWait(*store, std::exchange(request, {})).ok());
        }
      }
      ASSERT_TRUE(WriteAndWait(*store, std::move(request)).ok());
      if (day > 0) {
        ASSERT_TRUE(store->Seal().ok());
      }
    }
    // As after a crash: the last day stays in the journal.
  }

  std::vector<std::string> Check() {
    std::vector<std::string> damage;
    const CheckListener listener{
        .on_damage = [&damage](const std::string& where,
                               const std::string& what) { damage.push_back(where + ": " + what); },
        .on_progress = [this](const std::string& doing) { progress_.push_back(doing); }};
    const auto report = CheckStore(options_.data_dir, options_.env, listener);
    EXPECT_TRUE(report.ok()) << report.status();
    if (report.ok()) report_ = *report;
    EXPECT_EQ(report_.damage_count, damage.size());
    return damage;
  }

  // Changes the first row of the range, in the first shard that has one.
  void Change(
      kv::Space space, kv::KeyRange range,
      const std::function<void(kv::Batch& batch, std::string key, std::string value)>& change) {
    for (size_t i = 0; i < 2; ++i) {
      const auto kv = OpenShard(i);
      kv::Cursor rows = kv->NewCursor(space, range);
      if (!rows.Valid()) continue;
      kv::Batch batch = kv->NewBatch();
      change(batch, std::string(rows.key()), std::string(rows.value()));
      ASSERT_TRUE(kv->Commit(batch, kv::Durability::kSynced).ok());
      return;
    }
    FAIL() << "no shard has such a row";
  }
  std::unique_ptr<kv::Store> OpenShard(size_t shard) {
    auto kv = kv::Store::Open(ShardFolder(options_.data_dir, shard), options_.env,
                              std::make_shared<const kv::Resources>(kv::ResourceLimits()));
    EXPECT_TRUE(kv.ok()) << kv.status();
    return *std::move(kv);
  }
  // Flips a bit in the middle of a file.
  static void Damage(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary | std::ios::ate);
    const auto middle = static_cast<std::streamoff>(file.tellg()) / 2;
    file.seekg(middle);
    const char byte = static_cast<char>(file.get());
    file.seekp(middle);
    file.put(static_cast<char>(byte ^ 1));
  }
  std::vector<std::string> FilesOf(size_t shard, std::string_view suffix) {
    const std::string folder = ShardFolder(options_.data_dir, shard);
    std::vector<std::string> paths;
    const auto names = options_.env->ListFolder(folder);
    for (const std::string& name : *names) {
      if (name.ends_with(suffix)) paths.push_back(folder + "/" + name);
    }
    return paths;
  }

  const TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  CheckReport report_;
  std::vector<std::string> progress_;
};

TEST_F(StoreCheck, TellsWhatAHealthyStoreHolds) {
  MakeStore();
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(report_.shard_count, 2u);
  EXPECT_EQ(report_.series_count, 10u);
  EXPECT_EQ(report_.journal_sample_count, 500u);
  EXPECT_GT(report_.table_count, 0u);
  ASSERT_THAT(report_.days, SizeIs(2));
  const auto& [number, day] = *report_.days.begin();
  EXPECT_EQ(DayName(number), "2023-11-12");
  EXPECT_EQ(day.series_count, 10u);
  EXPECT_EQ(day.totals.sample_count, 500u);
  EXPECT_EQ(day.totals.range.min_ms, kTestNowMs - 2 * kDayMs - 49'000);
  EXPECT_EQ(day.totals.range.max_ms, kTestNowMs - 2 * kDayMs);
  EXPECT_GT(day.row_count, 0u);
  EXPECT_THAT(progress_, Contains(HasSubstr("shard-001: chunks of 2023-11-12")));
}

TEST_F(StoreCheck, CountsTablesAndBlocksOfTheJournal) {
  MakeStore();
  EXPECT_THAT(Check(), IsEmpty());
  uint64_t table_count = 0, table_bytes = 0, block_count = 0;
  for (size_t shard = 0; shard < 2; ++shard) {
    for (const std::string& path : FilesOf(shard, ".sst")) {
      ++table_count;
      table_bytes += options_.env->ReadFile(path)->size();
    }
    const auto kv = OpenShard(shard);
    for (auto row = kv->NewCursor(kv::Space::kJournal, {}); row.Valid(); row.Next()) ++block_count;
  }
  EXPECT_EQ(report_.table_count, table_count);
  EXPECT_EQ(report_.table_bytes, table_bytes);
  EXPECT_EQ(report_.journal_block_count, block_count);
  EXPECT_EQ(block_count, 2u);  // one for each shard
}

TEST_F(StoreCheck, SaysWhatItIsDoing) {
  options_.shard_count = 1;
  MakeStore();
  EXPECT_THAT(Check(), IsEmpty());
  std::erase_if(progress_, [](const std::string& doing) { return doing.ends_with(".sst"); });
  EXPECT_THAT(progress_,
              ElementsAre("shard-000: opening", "shard-000: checksums of the log",
                          "shard-000: dictionary", "shard-000: journal",
                          "shard-000: chunks of 2023-11-12, 1 rows so far", "shard-000: rollup"));
}

TEST_F(StoreCheck, SaysHowFarItIsEveryThousandRows) {
  options_.shard_count = 1;
  MakeStore();
  {
    const auto kv = OpenShard(0);
    kv::Cursor rows = kv->NewCursor(kv::Space::kHot, {});
    ASSERT_TRUE(rows.Valid());
    kv::ChunkKey key;
    ASSERT_TRUE(kv::DecodeChunkKey(rows.key(), key));
    kv::Batch batch = kv->NewBatch();
    for (uint16_t part = 1; part <= 1999; ++part) {
      key.part = part;
      batch.Put(kv::Space::kHot, kv::EncodeChunkKey(key), rows.value());
    }
    ASSERT_TRUE(kv->Commit(batch, kv::Durability::kSynced).ok());
  }
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_THAT(progress_, Contains("shard-000: chunks of 2023-11-12, 1001 rows so far"));
  EXPECT_THAT(progress_, Contains(HasSubstr(" 2001 rows so far")));
  EXPECT_EQ(report_.days.begin()->second.totals.sample_count, 50u * (10 + 1999));
}

TEST_F(StoreCheck, ReadsTheTablesBehindADamagedOne) {
  options_.shard_count = 1;
  MakeStore();
  std::string first;
  for (const kv::TableFile& table : OpenShard(0)->Tables()) {
    if (table.space == kv::Space::kHot && (first.empty() || table.name < first)) first = table.name;
  }
  ASSERT_NE(first, "");
  // The first bytes are those of rows.
  const std::string path = ShardFolder(options_.data_dir, 0) + "/" + first;
  std::string bytes = *options_.env->ReadFile(path);
  bytes[3] ^= 1;
  ASSERT_TRUE(options_.env->WriteFile(path, bytes).ok());
  const std::vector<std::string> damage = Check();
  EXPECT_THAT(damage, Contains(HasSubstr("shard-000 " + first + " (hot chunks): ")));
  EXPECT_THAT(damage, Contains(HasSubstr("shard-000 hot chunks: some rows cannot be read: ")));
  ASSERT_THAT(report_.days, SizeIs(1));
  EXPECT_EQ(DayName(report_.days.begin()->first), "2023-11-13");
  EXPECT_EQ(report_.days.begin()->second.totals.sample_count, 500u);
}

TEST_F(StoreCheck, FindsKeysThatAreMalformed) {
  options_.shard_count = 1;
  MakeStore();
  {
    const auto kv = OpenShard(0);
    kv::Batch batch = kv->NewBatch();
    batch.Put(kv::Space::kHot, kv::EncodeChunkKey({0, 0, 0, 0, 0}) + "x", "");
    batch.Put(kv::Space::kJournal, kv::EncodeJournalKey(0) + "x", "");
    batch.Put(kv::Space::kMeta, kv::EncodeWindowKey({0, kv::Tier::kHot, 0, 0}) + "x", "");
    batch.Put(kv::Space::kRollup, "x", "");
    batch.Put(kv::Space::kSeries, kv::EncodeDictionaryKey(DictionaryKind::kTarget, 0) + "x", "");
    ASSERT_TRUE(kv->Commit(batch, kv::Durability::kSynced).ok());
  }
  EXPECT_THAT(
      Check(),
      ElementsAre("shard-000 dictionary: a malformed key", "shard-000 journal: a malformed key",
                  "shard-000 window rows: a malformed key", "shard-000 hot chunks: a malformed key",
                  "shard-000 rollup: a malformed key"));
}

TEST_F(StoreCheck, ARollupWithoutItsChunksIsDamage) {
  options_.shard_count = 1;
  MakeStore();
  const int32_t window = WindowOf(kTestNowMs);
  {
    const auto kv = OpenShard(0);
    kv::Batch batch = kv->NewBatch();
    batch.Put(kv::Space::kRollup, kv::EncodeRollupKey({window, 7, 2}), "x");
    ASSERT_TRUE(kv->Commit(batch, kv::Durability::kSynced).ok());
  }
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("shard-000 rollup of 2023-11-14, window " +
                                             std::to_string(window) + " family 7 block 2: ")));
}

TEST_F(StoreCheck, NeedsAStoreThatNobodyHasOpen) {
  const CheckListener listener{.on_damage = [](const auto&, const auto&) { FAIL(); },
                               .on_progress = [](const auto&) {}};
  const auto code = [&](const std::string& folder) {
    return CheckStore(folder, options_.env, listener).status().code();
  };
  EXPECT_EQ(code(folder_.path() + "/none"), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(folder_.path()), absl::StatusCode::kNotFound);
  const auto store = MustOpen(options_);
  EXPECT_EQ(code(options_.data_dir), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StoreCheck, FindsAFlippedBitInEachTableFile) {
  MakeStore();
  // Puts the journal's samples into tables too.
  for (size_t shard = 0; shard < 2; ++shard) ASSERT_TRUE(OpenShard(shard)->Flush().ok());
  EXPECT_THAT(Check(), IsEmpty());
  int tables = 0;
  for (size_t shard = 0; shard < 2; ++shard) {
    for (const std::string& path : FilesOf(shard, ".sst")) {
      Damage(path);
      EXPECT_THAT(Check(), Contains(HasSubstr(path.substr(path.rfind('/') + 1)))) << path;
      Damage(path);
      ++tables;
    }
  }
  EXPECT_GT(tables, 4);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(StoreCheck, SaysWhatADamagedTableHolds) {
  const std::map<kv::Space, std::string> words = {{kv::Space::kMeta, "marks and window rows"},
                                                  {kv::Space::kSeries, "dictionary"},
                                                  {kv::Space::kJournal, "journal"},
                                                  {kv::Space::kHot, "hot chunks"},
                                                  {kv::Space::kCold, "cold chunks"},
                                                  {kv::Space::kRollup, "rollup"}};
  std::set<kv::Space> seen;
  const auto look = [&] {
    for (size_t shard = 0; shard < 2; ++shard) {
      // Puts the journal's samples into tables too.
      ASSERT_TRUE(OpenShard(shard)->Flush().ok());
      for (const kv::TableFile& table : OpenShard(shard)->Tables()) {
        seen.insert(table.space);
        const std::string path = ShardFolder(options_.data_dir, shard) + "/" + table.name;
        Damage(path);
        EXPECT_THAT(Check(), Contains(HasSubstr(table.name + " (" + words.at(table.space) + ")")));
        Damage(path);  // back
      }
    }
  };
  MakeStore();
  look();
  auto store = MustOpen(options_);
  ASSERT_TRUE(store->Settle().ok());
  ASSERT_TRUE(store->Close().ok());
  store.reset();
  look();
  for (const kv::Space space : {kv::Space::kMeta, kv::Space::kSeries, kv::Space::kJournal,
                                kv::Space::kHot, kv::Space::kCold}) {
    EXPECT_TRUE(seen.contains(space)) << words.at(space);
  }
}

TEST_F(StoreCheck, GoesOnBehindDamage) {
  MakeStore();
  for (size_t shard = 0; shard < 2; ++shard) {
    const std::vector<std::string> tables = FilesOf(shard, ".sst");
    ASSERT_FALSE(tables.empty());
    for (const std::string& table : tables) Damage(table);
  }
  const std::vector<std::string> damage = Check();
  EXPECT_THAT(damage, Contains(HasSubstr("shard-000 0")));
  EXPECT_THAT(damage, Contains(HasSubstr("shard-001 0")));
}

TEST_F(StoreCheck, FindsDamageInsideTheLog) {
  MakeStore();
  for (const std::string& log : FilesOf(0, ".log")) Damage(log);
  EXPECT_THAT(Check(), Contains(HasSubstr("shard-000")));
}

TEST_F(StoreCheck, FindsAMissingShardAndAMissingFile) {
  MakeStore();
  for (const std::string& file : FilesOf(1, "")) {
    if (file.ends_with(".sst")) {
      ASSERT_TRUE(options_.env->RemoveFile(file).ok());
    }
  }
  EXPECT_THAT(Check(), Contains(HasSubstr("shard-001")));
  for (const std::string& file : FilesOf(1, "")) {
    ASSERT_TRUE(options_.env->RemoveFile(file).ok());
  }
  EXPECT_THAT(Check(), Contains(HasSubstr("shard-001: none of its rows can be read")));
  ASSERT_TRUE(options_.env->RemoveFile(ManifestPath(options_.data_dir)).ok());
  EXPECT_THAT(Check(), Contains(HasSubstr("is missing beside its shards")));
}

// Rows whose checksums are right but whose content is wrong.
TEST_F(StoreCheck, FindsRowsThatCannotBeDecoded) {
  const auto cut = [](kv::Space space) {
    return [space](kv::Batch& batch, std::string key, std::string value) {
      batch.Put(space, key, value.substr(0, value.size() - 1));
    };
  };
  MakeStore();
  Change(kv::Space::kJournal, {}, cut(kv::Space::kJournal));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr(" journal block ")));
  Change(kv::Space::kHot, {}, cut(kv::Space::kHot));
  EXPECT_THAT(Check(), Contains(AllOf(HasSubstr(" hot chunks 2023-11-12T"), HasSubstr(" part 0"))));
  Change(kv::Space::kMeta, kv::AllWindowKeys(), cut(kv::Space::kMeta));
  EXPECT_THAT(Check(), Contains(HasSubstr(" hot window row 2023-11-12T")));
  Change(kv::Space::kSeries, kSeriesRows,
         [](kv::Batch& batch, std::string key, const std::string&) {
           batch.Put(kv::Space::kSeries, key, "\xff");
         });
  EXPECT_THAT(Check(), Contains(HasSubstr(" dictionary series from ")));
  Change(kv::Space::kSeries, kv::AllDictionaryKeys(DictionaryKind::kTarget),
         [](kv::Batch& batch, std::string key, const std::string&) {
           batch.Put(kv::Space::kSeries, key, EncodePartRow(LabelSet::Of({{kMetricName, "m"}})));
         });
  EXPECT_THAT(Check(), Contains(AllOf(HasSubstr(" dictionary target 0: "),
                                      HasSubstr("labels of the wrong kind"))));
  Change(kv::Space::kMeta, kv::AllWindowKeys(),
         [](kv::Batch& batch, const std::string&, const std::string&) {
           batch.Put(kv::Space::kMeta, kv::JournalMarkKey(), "x");
         });
  EXPECT_THAT(Check(), Contains(HasSubstr(" journal mark: it is malformed")));
}

TEST_F(StoreCheck, FindsRowsThatNameSeriesWhichAreNotThere) {
  MakeStore();
  Change(kv::Space::kSeries, kSeriesRows,
         [](kv::Batch& batch, std::string key, const std::string&) {
           batch.Delete(kv::Space::kSeries, key);
         });
  const std::vector<std::string> damage = Check();
  EXPECT_THAT(damage, Contains(HasSubstr("the dictionary has no series at this place")));
  EXPECT_THAT(damage, Contains(HasSubstr("which is not in the dictionary")));
}

TEST_F(StoreCheck, FindsTwoSeriesInOnePlace) {
  MakeStore();
  Change(kv::Space::kSeries, kSeriesRows, [](kv::Batch& batch, std::string key, std::string value) {
    SeriesId id = 0;
    ASSERT_TRUE(kv::DecodeDictionaryKey(key, DictionaryKind::kSeries, id));
    std::vector<SeriesEntry> series;
    ASSERT_TRUE(DecodeSeriesRow(id, value, series).ok());
    series[0].id = 99;
    batch.Put(kv::Space::kSeries, kv::EncodeDictionaryKey(DictionaryKind::kSeries, 99),
              EncodeSeriesRow(99, series));
  });
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr(" dictionary series 99: series "),
                                         HasSubstr("has the same place"))));
}

TEST_F(StoreCheck, FindsASeriesInTwoRows) {
  MakeStore();
  Change(kv::Space::kSeries, kSeriesRows, [](kv::Batch& batch, std::string key, std::string value) {
    SeriesId id = 0;
    ASSERT_TRUE(kv::DecodeDictionaryKey(key, DictionaryKind::kSeries, id));
    std::vector<SeriesEntry> series;
    ASSERT_TRUE(DecodeSeriesRow(id, value, series).ok());
    // Up to the first series of the next row.
    series.push_back({id + 1, series[0].parts, {1'000, 0}});
    batch.Put(kv::Space::kSeries, key, EncodeSeriesRow(id, series));
  });
  EXPECT_THAT(Check(), Contains(HasSubstr(": it is in two rows")));
}

TEST_F(StoreCheck, FindsSeriesWithoutTheirTargetOrMetric) {
  MakeStore();
  const auto remove = [](kv::Batch& batch, std::string key, const std::string&) {
    batch.Delete(kv::Space::kSeries, key);
  };
  Change(kv::Space::kSeries, kv::AllDictionaryKeys(DictionaryKind::kTarget), remove);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr(" dictionary series "),
                                         HasSubstr(": it belongs to target 0, which has no row"))));
  Change(kv::Space::kSeries, kv::AllDictionaryKeys(DictionaryKind::kMetric), remove);
  EXPECT_THAT(Check(), Contains(HasSubstr(": it belongs to metric 0, which has no row")));
}

// Merged rows.
TEST_F(StoreCheck, LooksAtColdChunksToo) {
  MakeStore();
  auto store = MustOpen(options_);
  ASSERT_TRUE(store->Settle().ok());
  ASSERT_TRUE(store->Close().ok());
  store.reset();
  EXPECT_THAT(Check(), IsEmpty());
  ASSERT_THAT(report_.days, SizeIs(3));
  EXPECT_EQ(report_.days.begin()->second.totals.sample_count, 500u);
  Change(kv::Space::kCold, {}, [](kv::Batch& batch, std::string key, std::string value) {
    batch.Put(kv::Space::kCold, key, value.substr(0, value.size() - 1));
  });
  EXPECT_THAT(Check(), Contains(HasSubstr(" cold chunks 2023-11-12T")));
  Change(kv::Space::kMeta, kv::AllWindowKeys(),
         [](kv::Batch& batch, std::string key, const std::string&) {
           batch.Put(kv::Space::kMeta, key, "x");
         });
  EXPECT_THAT(Check(), Contains(HasSubstr(" cold window row 2023-11-12T")));
}

TEST_F(StoreCheck, FindsChunkRowsWithAnotherRangeThanTheySay) {
  MakeStore();
  Change(kv::Space::kHot, {}, [](kv::Batch& batch, std::string key, std::string value) {
    std::string_view rest = value;
    rest.remove_prefix(1);
    int64_t min_ms = 0;
    uint64_t duration_ms = 0;
    ASSERT_TRUE(GetVarintSigned64(rest, min_ms) && GetVarint64(rest, duration_ms));
    std::string changed = value.substr(0, 1);
    PutVarintSigned64(changed, min_ms);
    PutVarint64(changed, duration_ms + 1);
    batch.Put(kv::Space::kHot, key, changed.append(rest));
  });
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("range in the header does not match the samples")));
}

TEST_F(StoreCheck, FindsWindowRowsThatDoNotCoverTheirChunks) {
  MakeStore();
  Change(kv::Space::kMeta, kv::AllWindowKeys(),
         [](kv::Batch& batch, std::string key, std::string value) {
           WindowRow row = *DecodeWindowRow(value);
           ++row.totals.range.min_ms;
           batch.Put(kv::Space::kMeta, key, EncodeWindowRow(row));
         });
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr(" window rows 2023-11-12T"),
                                         HasSubstr("they cover samples from"))));
  Change(kv::Space::kMeta, kv::AllWindowKeys(),
         [](kv::Batch& batch, std::string key, const std::string&) {
           batch.Delete(kv::Space::kMeta, key);
         });
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("missing from the window rows")));
  Change(kv::Space::kHot, {}, [](kv::Batch& batch, std::string key, std::string value) {
    kv::ChunkKey chunk;
    ASSERT_TRUE(kv::DecodeChunkKey(key, chunk));
    batch.Delete(kv::Space::kHot, key);
    chunk.window += 100;
    batch.Put(kv::Space::kHot, kv::EncodeChunkKey(chunk), value);
  });
  EXPECT_THAT(Check(), Contains(HasSubstr("some of its samples belong to another window")));
}

// The remains of an interrupted seal are not damage.
TEST_F(StoreCheck, PassesOverRowsOfUnfinishedSeals) {
  MakeStore();
  Change(kv::Space::kMeta, kv::AllWindowKeys(),
         [](kv::Batch& batch, std::string key, std::string value) {
           kv::WindowKey row;
           ASSERT_TRUE(kv::DecodeWindowKey(key, row));
           row.generation = UINT64_MAX;
           batch.Put(kv::Space::kMeta, kv::EncodeWindowKey(row), value);
         });
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(report_.unfinished_row_count, 1u);
}

}  // namespace
}  // namespace lockstep
