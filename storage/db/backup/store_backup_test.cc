// Backups and snapshots of a whole store, while it is written and when files fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "storage/db/backup/backup_folder.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kAll = SIZE_MAX;

class StoreBackup : public ::testing::Test {
 protected:
  StoreBackup() {
    options_.shard_count = 3;
    store_ = MustOpen(options_);
  }

  // Writes a sample for each of a few series, which lie in different shards.
  void WriteAt(int64_t time_ms) {
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(
          WriteFloats(*store_, Series("m", "job" + std::to_string(i)), {{time_ms, 1.0 * i}}).ok());
    }
  }
  uint32_t Backup(size_t keep_count = kAll) {
    const auto summary = store_->Backup(backups_, keep_count);
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.ok() ? summary->number : 0;
  }
  std::unique_ptr<BackupFolder> Open() {
    auto backups = BackupFolder::Open(backups_, options_.env);
    EXPECT_TRUE(backups.ok()) << backups.status();
    return *std::move(backups);
  }
  std::vector<uint32_t> Numbers() {
    const auto summaries = Open()->List();
    EXPECT_TRUE(summaries.ok()) << summaries.status();
    std::vector<uint32_t> numbers;
    for (const BackupSummary& summary : *summaries) numbers.push_back(summary.number);
    return numbers;
  }
  // The content of the store restored from the backup.
  std::string Restored(uint32_t number) {
    const TestFolder target;
    StoreOptions options = options_;
    options.data_dir = target.path() + "/data";
    const absl::Status status = Open()->Restore(number, options.data_dir);
    EXPECT_TRUE(status.ok()) << status;
    return status.ok() ? Dump(*MustOpen(options)) : status.ToString();
  }

  const TestFolder folder_;
  const std::string backups_ = folder_.path() + "/backups";
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_;
};

TEST_F(StoreBackup, HoldsWhatWasAcknowledgedSealedOrNot) {
  WriteAt(kTestNowMs - 3000);
  ASSERT_TRUE(store_->Seal().ok());
  WriteAt(kTestNowMs - 2000);
  const std::string before = Dump(*store_);
  const uint32_t first = Backup();
  WriteAt(kTestNowMs - 1000);
  const std::string after = Dump(*store_);
  const uint32_t second = Backup();
  EXPECT_EQ(Dump(*store_), after);
  EXPECT_EQ(Restored(first), before);
  EXPECT_EQ(Restored(second), after);
  EXPECT_NE(before, after);
}

TEST_F(StoreBackup, KeepsTheNewest) {
  for (int i = 0; i < 3; ++i) {
    WriteAt(kTestNowMs - 3000 + i);
    Backup();
  }
  EXPECT_THAT(Numbers(), ElementsAre(1, 2, 3));
  Backup(/*keep_count=*/2);
  EXPECT_THAT(Numbers(), ElementsAre(3, 4));
  EXPECT_EQ(Restored(4), Dump(*store_));
  EXPECT_EQ(Open()->Restore(1, folder_.path() + "/other").code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreBackup, AStoppedStoreIsBackedUpFromItsFolder) {
  WriteAt(kTestNowMs);
  const std::string all = Dump(*store_);
  const auto back_up = [this] {
    return BackUpStoppedStore(options_.data_dir, backups_, kAll, kTestNowMs, options_.env).status();
  };
  EXPECT_EQ(back_up().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  ASSERT_TRUE(back_up().ok());
  EXPECT_EQ(Restored(1), all);
  EXPECT_EQ(BackUpStoppedStore(folder_.path() + "/none", backups_, kAll, kTestNowMs, options_.env)
                .status()
                .code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StoreBackup, RestoresIntoAnEmptyFolderAlone) {
  WriteAt(kTestNowMs);
  const uint32_t number = Backup();
  const absl::Status status = Open()->Restore(number, options_.data_dir);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("is not empty"));
}

TEST_F(StoreBackup, LeavesAFolderOfOtherThingsAlone) {
  ASSERT_TRUE(options_.env->CreateFolder(backups_).ok());
  ASSERT_TRUE(options_.env->WriteFile(backups_ + "/letter.txt", "dear").ok());
  const absl::Status status = store_->Backup(backups_, kAll).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("letter.txt"));
}

TEST_F(StoreBackup, OneAtATimeWorksOnAFolder) {
  const auto held = Open();
  EXPECT_EQ(store_->Backup(backups_, kAll).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StoreBackup, WhileTheStoreIsWrittenEverySampleFromBeforeIsInIt) {
  std::atomic<bool> stop = false;
  std::atomic<int64_t> acknowledged = 0;
  std::thread writer([&] {
    for (int64_t i = 1; !stop; ++i) {
      if (!WriteFloats(*store_, Series("m"), {{kTestNowMs - 1'000'000 + i, 1}}).ok()) break;
      acknowledged = i;
      if (i % 50 == 0) (void)store_->Seal();
    }
  });
  for (int round = 0; round < 5; ++round) {
    while (acknowledged < 40 * (round + 1)) std::this_thread::yield();
    const int64_t before = acknowledged;
    const std::string restored = Restored(Backup());
    EXPECT_THAT(restored, HasSubstr(" " + std::to_string(kTestNowMs - 1'000'000 + before) + "="));
    const auto samples = std::count(restored.begin(), restored.end(), '=') - 3;  // those in labels
    EXPECT_GE(samples, before);
  }
  stop = true;
  writer.join();
}

// Whichever change of a file fails, earlier backups stay, and the next backup works.
TEST_F(StoreBackup, AFailureCostsNoOtherBackup) {
  const auto env = kv::FaultEnv::Make();
  options_.env = env;
  store_ = nullptr;
  store_ = MustOpen(options_);
  WriteAt(kTestNowMs - 1000);
  const std::string first = Dump(*store_);
  Backup();
  int failures = 0;
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; n += 7) {
    // Writing to the store would fail too; even so there is always something to copy.
    env->FailFrom(n);
    has_failed = !store_->Backup(backups_, kAll).ok();
    failures += has_failed ? 1 : 0;
    env->Heal();
    ASSERT_EQ(Restored(1), first) << n;
  }
  EXPECT_GT(failures, 3);
  store_ = nullptr;
  store_ = MustOpen(options_);
  WriteAt(kTestNowMs);
  EXPECT_EQ(Restored(Backup()), Dump(*store_));
  EXPECT_EQ(Restored(1), first);
}

TEST_F(StoreBackup, ASnapshotIsAStoreOfItsOwn) {
  WriteAt(kTestNowMs - 1000);
  ASSERT_TRUE(store_->Seal().ok());
  WriteAt(kTestNowMs - 500);
  const std::string before = Dump(*store_);
  const auto name = store_->Snapshot();
  ASSERT_TRUE(name.ok()) << name.status();
  WriteAt(kTestNowMs);
  StoreOptions options = options_;
  options.data_dir = SnapshotFolder(options_.data_dir, *name);
  EXPECT_EQ(Dump(*MustOpen(options)), before);
  EXPECT_NE(*store_->Snapshot(), *name);
}

TEST_F(StoreBackup, WhatWasNotRestoredInFullIsNotOpened) {
  WriteAt(kTestNowMs);
  const uint32_t number = Backup();
  StoreOptions options = options_;
  options.data_dir = folder_.path() + "/restored";
  ASSERT_TRUE(Open()->Restore(number, options.data_dir).ok());
  ASSERT_TRUE(options_.env->RemoveFile(ManifestPath(options.data_dir)).ok());
  EXPECT_EQ(OpenStore(options).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(StoreBackup, AReadOnlyStoreAnswersAndChangesNothing) {
  WriteAt(kTestNowMs - 1000);
  ASSERT_TRUE(store_->Seal().ok());
  WriteAt(kTestNowMs);
  const std::string all = Dump(*store_);
  options_.read_only = true;
  EXPECT_EQ(OpenStore(options_).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  const uint64_t bytes = *options_.env->FolderBytes(options_.data_dir);
  {
    // Long after the retention.
    const int64_t much_later_ms = kTestNowMs + 2 * options_.retention_ms;
    options_.now_ms = [much_later_ms] { return much_later_ms; };
    const auto reader = MustOpen(options_);
    EXPECT_EQ(Dump(*reader), all);
    EXPECT_TRUE(reader->stats().read_only);
    EXPECT_EQ(WriteFloats(*reader, Series("m"), {{kTestNowMs, 1}}).status().code(),
              absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(reader->Backup(backups_, kAll).status().code(), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(reader->Snapshot().status().code(), absl::StatusCode::kPermissionDenied);
    EXPECT_TRUE(reader->Close().ok());
  }
  EXPECT_EQ(*options_.env->FolderBytes(options_.data_dir), bytes);
  options_.data_dir = folder_.path() + "/none";
  EXPECT_EQ(OpenStore(options_).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreBackup, SaysWhatItMade) {
  WriteAt(kTestNowMs);
  const auto made = store_->Backup(backups_, kAll);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->number, 1u);
  EXPECT_EQ(made->time_ms, kTestNowMs);
  EXPECT_EQ(made->shard_count, 3u);
  const auto listed = Open()->List();
  ASSERT_TRUE(listed.ok());
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().number, 1u);
  EXPECT_EQ(listed->front().time_ms, kTestNowMs);
  EXPECT_EQ(listed->front().shard_count, 3u);
  EXPECT_EQ(listed->front().byte_count, made->byte_count);
  // All three shards are counted, and there is little else.
  const uint64_t all_bytes = *options_.env->FolderBytes(backups_);
  EXPECT_LT(made->byte_count, all_bytes);
  EXPECT_GT(made->byte_count, all_bytes / 2);
}

TEST_F(StoreBackup, NumbersAreNotUsedAgainWhileThereAreLaterOnes) {
  WriteAt(kTestNowMs);
  for (int i = 0; i < 3; ++i) Backup();
  for (const uint32_t gone : {1u, 2u}) {
    ASSERT_TRUE(options_.env->RemoveFile(backups_ + "/" + BackupFileName(gone)).ok());
  }
  EXPECT_EQ(Backup(), 4u);
  EXPECT_THAT(Numbers(), ElementsAre(3, 4));
}

TEST_F(StoreBackup, WhatIsNotKeptGivesItsSpaceBack) {
  WriteAt(kTestNowMs - 1000);
  Backup();
  const uint64_t bytes_of_one = *options_.env->FolderBytes(backups_);
  std::mt19937_64 random(1);
  std::vector<Sample> noise;
  for (int i = 0; i < 50'000; ++i) {
    noise.push_back({kTestNowMs - 100'000 + i, static_cast<double>(random())});
  }
  ASSERT_TRUE(WriteFloats(*store_, Series("noise"), noise).ok());
  Backup();
  EXPECT_GT(*options_.env->FolderBytes(backups_), bytes_of_one + 100'000);
  const std::vector<Matcher> is_noise = {Matcher::Equal(std::string(kMetricName), "noise")};
  ASSERT_TRUE(store_->DeleteSeries({&is_noise, 1}, kAllTimes).ok());
  ASSERT_TRUE(store_->CleanTombstones().ok());
  Backup(/*keep_count=*/1);
  EXPECT_LT(*options_.env->FolderBytes(backups_), bytes_of_one + 50'000);
  EXPECT_THAT(Numbers(), ElementsAre(3));
  // Nothing to keep at all.
  ASSERT_TRUE(Open()->KeepNewest(0).ok());
  EXPECT_TRUE(Numbers().empty());
}

TEST_F(StoreBackup, LeftoversOfAnInterruptedWriteAreItsOwn) {
  WriteAt(kTestNowMs);
  ASSERT_TRUE(options_.env->CreateFolder(backups_).ok());
  ASSERT_TRUE(options_.env->WriteFile(backups_ + "/backup-000001.new", "half").ok());
  EXPECT_EQ(Backup(), 1u);
  ASSERT_TRUE(options_.env->WriteFile(backups_ + "/letter.new", "dear").ok());
  const absl::Status status = BackupFolder::Open(backups_, options_.env).status();
  EXPECT_EQ(status,
            absl::FailedPreconditionError(
                backups_ + " contains \"letter.new\", which is not part of a backup: use a folder "
                           "for backups alone"));
}

TEST_F(StoreBackup, ADamagedBackupIsNotRestored) {
  WriteAt(kTestNowMs);
  ASSERT_TRUE(store_->Seal().ok());
  const uint32_t number = Backup();
  const std::string shared = backups_ + "/shard-001/shared_checksum";
  const auto tables = options_.env->ListFolder(shared);
  ASSERT_TRUE(tables.ok()) << tables.status();
  const std::string table = shared + "/" + tables->front();
  std::string bytes = *options_.env->ReadFile(table);
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(options_.env->WriteFile(table, bytes).ok());
  const std::string target = folder_.path() + "/restored";
  const absl::Status status = Open()->Restore(number, target);
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(Message(status)),
              ::testing::StartsWith("backup 1 is damaged, nothing was restored: shard 1: "));
  EXPECT_TRUE(options_.env->ListFolder(target)->empty());
}

TEST_F(StoreBackup, SaysWhyAFolderIsNoTarget) {
  WriteAt(kTestNowMs);
  const uint32_t number = Backup();
  const std::string target = folder_.path() + "/restored";
  ASSERT_TRUE(options_.env->CreateFolder(target).ok());
  ASSERT_TRUE(options_.env->WriteFile(target + "/a", "").ok());
  EXPECT_EQ(Open()->Restore(number, target),
            absl::FailedPreconditionError(
                target + " is not empty, it contains \"a\": restore into a new folder, or move the "
                         "existing files away"));
  EXPECT_EQ(*options_.env->ListFolder(target), std::vector<std::string>{"a"});
}

TEST_F(StoreBackup, ADamagedRecordIsNamed) {
  WriteAt(kTestNowMs);
  Backup();
  const std::string path = backups_ + "/backup-000001";
  ASSERT_TRUE(options_.env->WriteFile(path, "x").ok());
  EXPECT_EQ(Open()->List().status(),
            absl::DataLossError(path + ": not the record of a lockstep backup"));
}

TEST_F(StoreBackup, ABackupOfAStoppedStoreKeepsTheNewestToo) {
  WriteAt(kTestNowMs);
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  for (int i = 0; i < 3; ++i) {
    const auto made =
        BackUpStoppedStore(options_.data_dir, backups_, 2, kTestNowMs + i, options_.env);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->time_ms, kTestNowMs + i);
    EXPECT_EQ(made->shard_count, 3u);
  }
  EXPECT_THAT(Numbers(), ElementsAre(2, 3));
}

constexpr std::string_view kRecord =
    "lockstep backup 1\n"
    "read by lockstep 0.1.0\n"
    "time_ms 1700000000000\n"
    "bytes 123456\n"
    "parts 3 4\n"
    "lockstep store 1\n"
    "read by lockstep 0.1.0\n"
    "shards 2\n"
    "checksum 262f7df2\n"
    "checksum 54af7136\n";

TEST(BackupRecord, IsTheTextOfItsPage) {
  const auto record = ParseBackupRecord(kRecord);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->summary.time_ms, 1'700'000'000'000);
  EXPECT_EQ(record->summary.byte_count, 123'456u);
  EXPECT_EQ(record->summary.shard_count, 2u);
  EXPECT_THAT(record->parts, ElementsAre(3, 4));
  EXPECT_EQ(FormatBackupRecord(*record), kRecord);
}

TEST(BackupRecord, EveryOtherByteIsDataLossOrAnotherFormat) {
  for (size_t size = 0; size < kRecord.size(); ++size) {
    EXPECT_FALSE(ParseBackupRecord(kRecord.substr(0, size)).ok()) << size;
    std::string flipped(kRecord);
    flipped[size] ^= 1;
    EXPECT_FALSE(ParseBackupRecord(flipped).ok()) << size;
  }
}

TEST(BackupRecord, RefusesAnotherFormatAndSaysWhoReadsIt) {
  const absl::Status status =
      ParseBackupRecord("lockstep backup 2\nread by lockstep 7.8.9\nanything\n").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("lockstep 7.8.9"));
}

TEST(BackupRecord, SaysWhatIsWrong) {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return std::string(Message(ParseBackupRecord(text).status()));
  };
  const std::string record(kRecord);
  EXPECT_EQ(message(record, "lockstep backup", "lockstep"), "not the record of a lockstep backup");
  EXPECT_EQ(message(record, "parts 3 4", "parts 3 x"), "the backup record is malformed");
  EXPECT_EQ(message(record, "parts 3 4", "parts 3  4"), "the backup record is malformed");
  EXPECT_EQ(message(record, "parts 3 4", "parts 3 5"),
            "the backup record is damaged: checksum mismatch");
  BackupRecord three = *ParseBackupRecord(kRecord);
  three.parts.push_back(9);
  EXPECT_EQ(Message(ParseBackupRecord(FormatBackupRecord(three)).status()),
            "the backup has 3 parts for 2 shards");
  EXPECT_EQ(message(record, "backup 1", "backup 2"),
            "the backup has format 2, which lockstep 0.1.0 and later can read; this version reads "
            "format 1");
}

TEST(BackupRecord, FileNames) {
  uint32_t number = 0;
  EXPECT_EQ(BackupFileName(7), "backup-000007");
  EXPECT_TRUE(ReadBackupFileName("backup-000007", number));
  EXPECT_EQ(number, 7u);
  EXPECT_TRUE(ReadBackupFileName("backup-1000007", number));
  for (const char* name : {"backup-7", "backup-", "backup-00000x", "STORE", "backup-000007.new"}) {
    EXPECT_FALSE(ReadBackupFileName(name, number)) << name;
  }
}

}  // namespace
}  // namespace lockstep
