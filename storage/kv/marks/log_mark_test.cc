#include "storage/kv/marks/log_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rocksdb/file_system.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

namespace fs = std::filesystem;

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LogMark, HasTheLinesOfItsPage) {
  EXPECT_EQ(FormatLogMarkHeading("MANIFEST-000012"),
            "logs of MANIFEST-000012                checksum 74a707a7       \n");
  EXPECT_EQ(FormatLogMarkLine({123, 4567}),
            "log 000000000123 bytes 000000000004567 checksum 372cd810       \n");
}

TEST(LogMark, KnowsTheNamesOfLogs) {
  EXPECT_EQ(LogName(123), "000123.log");
  EXPECT_EQ(LogName(12345678), "12345678.log");
  EXPECT_EQ(NumberOfLog("000123.log"), 123u);
  EXPECT_EQ(NumberOfLog("12345678.log"), 12345678u);
  for (const char* name : {"", ".log", "000123.sst", "x00123.log", "000123.log.new"}) {
    EXPECT_EQ(NumberOfLog(name), std::nullopt) << name;
  }
}

class LogMarkFile : public ::testing::Test {
 protected:
  std::vector<SyncedLog> Read(const std::string& text, std::string_view manifest = "MANIFEST-1") {
    std::ofstream(folder_.path() + "/LOG-MARK") << text;
    return *ReadLogMark(*env_, folder_.path(), manifest);
  }

  const std::string heading_ = FormatLogMarkHeading("MANIFEST-1");
  const std::string free_line_ = std::string(63, ' ') + "\n";
  TestFolder folder_;
  const std::shared_ptr<Env> env_ = Env::Default();
};

TEST_F(LogMarkFile, IsRead) {
  EXPECT_THAT(*ReadLogMark(*env_, folder_.path(), "MANIFEST-1"), IsEmpty());
  EXPECT_THAT(Read(heading_), IsEmpty());
  EXPECT_THAT(Read(heading_ + FormatLogMarkLine({7, 8}) + free_line_ + FormatLogMarkLine({9, 1})),
              ElementsAre(SyncedLog{7, 8}, SyncedLog{9, 1}));
}

TEST_F(LogMarkFile, SaysNothingOfAnotherManifest) {
  EXPECT_THAT(Read(heading_ + FormatLogMarkLine({7, 8}), "MANIFEST-2"), IsEmpty());
}

TEST_F(LogMarkFile, LosesALineWhereverThatIsDamaged) {
  const std::string line = FormatLogMarkLine({7, 8});
  for (size_t at = 0; at < line.size(); ++at) {
    std::string damaged = line;
    damaged[at] ^= 1;
    EXPECT_THAT(Read(heading_ + damaged + FormatLogMarkLine({9, 1})), ElementsAre(SyncedLog{9, 1}))
        << at;
    EXPECT_THAT(Read(heading_ + line.substr(0, at)), IsEmpty()) << at;
    damaged = heading_;
    damaged[at] ^= 1;
    EXPECT_THAT(Read(damaged + line), IsEmpty()) << at;
  }
}

// The state of a killed store: one row in its log and one in a table.
class KilledStore : public ::testing::Test {
 protected:
  KilledStore() {
    const std::unique_ptr<Store> store = *Open(folder_.path() + "/live");
    Put(*store, "first");
    EXPECT_TRUE(store->Flush().ok());
    Put(*store, "second");
    fs::copy(folder_.path() + "/live", dead_);
    for (const auto& entry : fs::directory_iterator(dead_)) {
      if (entry.path().extension() == ".log") log_ = entry.path();
    }
    EXPECT_GT(fs::file_size(log_), 0u);
  }

  absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& folder) {
    return Store::Open(folder, env_, resources_);
  }
  static void Put(Store& store, const std::string& key) {
    Batch batch = store.NewBatch();
    batch.Put(Space::kSeries, key, "value");
    EXPECT_TRUE(store.Commit(batch, Durability::kSynced).ok());
  }
  void ExpectRefused(const std::string& what) {
    for (const auto open : {&Store::Open, &Store::OpenReadOnly}) {
      const auto store = open(dead_, env_, resources_);
      EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(std::string(Message(store.status())),
                  AllOf(HasSubstr(dead_), HasSubstr(log_.filename().string()), HasSubstr(what)));
    }
  }
  void ExpectOpen(bool has_second) {
    const auto store = Open(dead_);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE((*store)->Get(Space::kSeries, "first")->has_value());
    EXPECT_EQ((*store)->Get(Space::kSeries, "second")->has_value(), has_second);
  }

  TestFolder folder_;
  const std::string dead_ = folder_.path() + "/dead";
  const std::shared_ptr<Env> env_ = Env::Default();
  const std::shared_ptr<const Resources> resources_ = std::make_shared<Resources>(ResourceLimits{});
  fs::path log_;
};

TEST_F(KilledStore, IsNotOpenedWithoutItsLog) {
  fs::remove(log_);
  ExpectRefused("is missing");
  // To open the store nevertheless, an operator removes the mark.
  fs::remove(dead_ + "/LOG-MARK");
  ExpectOpen(/*has_second=*/false);
}

TEST_F(KilledStore, IsNotOpenedWithAShorterLog) {
  const uint64_t size = fs::file_size(log_);
  for (const uint64_t left : {size - 1, size / 2, uint64_t{0}}) {
    fs::resize_file(log_, left);
    ExpectRefused("is damaged or ends at byte");
  }
  fs::remove(dead_ + "/LOG-MARK");
  ExpectOpen(/*has_second=*/false);
}

TEST_F(KilledStore, IsOpenedWithATornWriteBehindWhatWasSynced) {
  std::ofstream(log_, std::ios::app) << "torn";
  ExpectOpen(/*has_second=*/true);
}

TEST_F(KilledStore, IsOpenedWithoutAMark) {
  fs::remove(dead_ + "/LOG-MARK");
  ExpectOpen(/*has_second=*/true);
}

// A program that keeps no marks leaves this mark behind, and deletes its log.
TEST_F(KilledStore, IsOpenedWithTheMarkOfAnEarlierRun) {
  const std::string mark = *env_->ReadFile(dead_ + "/LOG-MARK");
  ExpectOpen(/*has_second=*/true);
  EXPECT_FALSE(fs::exists(log_));
  ASSERT_TRUE(env_->WriteFile(dead_ + "/LOG-MARK", mark).ok());
  ExpectOpen(/*has_second=*/true);
}

TEST_F(KilledStore, ForgetsALogBeforeItIsDeleted) {
  const auto lines = [this] {
    std::string manifest = *env_->ReadFile(dead_ + "/CURRENT");
    manifest.pop_back();
    return ReadLogMark(*env_, dead_, manifest)->size();
  };
  const auto store = Open(dead_);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(lines(), 0u);
  for (int i = 0; i < 5; ++i) {
    Put(**store, "third");
    EXPECT_EQ(lines(), 1u);
    ASSERT_TRUE((*store)->Flush().ok());
    // RocksDB deletes it a moment later.
    while (lines() > 0) std::this_thread::yield();
  }
  // Lines are reused.
  EXPECT_EQ(fs::file_size(dead_ + "/LOG-MARK"), 2 * FormatLogMarkLine({1, 1}).size());
}

// Counts marks of logs whose names were not on disk yet.
class NamesOnDisk : public rocksdb::FileSystemWrapper {
 public:
  NamesOnDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "NamesOnDisk"; }
  int early_mark_count() const { return early_mark_count_; }
  int mark_count() const { return mark_count_; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    if (path.ends_with(".log")) is_name_on_disk_ = false;
    return target()->NewWritableFile(path, options, file, debug);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* folder,
                        IODebugContext* debug) override {
    IOStatus status = target()->NewDirectory(path, options, folder, debug);
    if (status.ok()) *folder = std::make_unique<Folder>(*this, std::move(*folder));
    return status;
  }
  IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = target()->NewRandomRWFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<MarkFile>(*this, std::move(*file));
    return status;
  }

 private:
  class Folder : public rocksdb::FSDirectoryWrapper {
   public:
    Folder(NamesOnDisk& names, std::unique_ptr<rocksdb::FSDirectory> target)
        : FSDirectoryWrapper(std::move(target)), names_(names) {}
    IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
      names_.is_name_on_disk_ = true;
      return FSDirectoryWrapper::Fsync(options, debug);
    }
    IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                                 const rocksdb::DirFsyncOptions& how) override {
      names_.is_name_on_disk_ = true;
      return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, how);
    }

   private:
    NamesOnDisk& names_;
  };
  class MarkFile : public rocksdb::FSRandomRWFileOwnerWrapper {
   public:
    MarkFile(NamesOnDisk& names, std::unique_ptr<rocksdb::FSRandomRWFile> target)
        : FSRandomRWFileOwnerWrapper(std::move(target)), names_(names) {}
    IOStatus Write(uint64_t at, const rocksdb::Slice& data, const IOOptions& options,
                   IODebugContext* debug) override {
      if (data.starts_with("log ")) {
        ++names_.mark_count_;
        if (!names_.is_name_on_disk_) ++names_.early_mark_count_;
      }
      return FSRandomRWFileOwnerWrapper::Write(at, data, options, debug);
    }

   private:
    NamesOnDisk& names_;
  };

  std::atomic<bool> is_name_on_disk_ = false;
  std::atomic<int> mark_count_ = 0;
  std::atomic<int> early_mark_count_ = 0;
};

// Otherwise a power cut could leave the mark alone, and the store would not open.
TEST(LogMarkOrder, ALogIsMarkedOnceItsNameIsOnDisk) {
  const TestFolder folder;
  const auto names = std::make_shared<NamesOnDisk>();
  const auto store = Store::Open(folder.path() + "/db", std::make_shared<Env>(names),
                                 std::make_shared<Resources>(ResourceLimits{}));
  ASSERT_TRUE(store.ok()) << store.status();
  // More than two write buffers, so commits go to new logs.
  constexpr int kMegabytes = 10;
  for (int i = 0; i < kMegabytes; ++i) {
    Batch batch = (*store)->NewBatch();
    batch.Put(Space::kSeries, std::to_string(i), std::string(1 << 20, 'v'));
    ASSERT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
  }
  EXPECT_EQ(names->mark_count(), kMegabytes);
  EXPECT_EQ(names->early_mark_count(), 0);
}

}  // namespace
}  // namespace lockstep::kv
