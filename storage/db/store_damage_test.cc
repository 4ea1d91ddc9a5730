// Damages a file of a closed store: flips bits, cuts off the end, blanks a block, or removes the
// file. Then either the store reports an error that names a file, when it is opened or when the
// damaged data is requested; or all answers stay the same. It never answers anything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/db/rows/window.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kDamagedSeries = 6;
constexpr int kSamplesPerSeries = 120;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// The newest log, to which an open store writes.
fs::path LogOf(const fs::path& data) {
  fs::path newest;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().extension() == ".log" && entry.path() > newest) newest = entry.path();
  }
  return newest;
}

// A store after some work, and its answers.
class WorkedStore {
 public:
  enum class End { kClosed, kKilled };

  explicit WorkedStore(End end) {
    StoreOptions options = TestOptions(folder_);
    std::unique_ptr<Store> store = MustOpen(options);
    Write(*store, kTestNowMs - 3 * kWindowMs);
    Must(store->Seal());
    Write(*store, kTestNowMs - kWindowMs);
    Must(store->Seal());
    Must(store->Close());
    store = MustOpen(options);
    // Merges ended windows now, rather than later, while the log is examined.
    Must(store->Settle());
    Write(*store, kTestNowMs - kWindowMs + 500);
    Must(store->Seal());
    for (int i = 0; i <= 20; ++i) {
      if (i > 0) WriteOnce(*store, kTestNowMs - 60'000 + i * 1000, 1);
      if (end == End::kKilled) {
        log_sizes_.push_back(fs::file_size(LogOf(data())));
        answers_.push_back(Dump(*store));
      }
    }
    answer_ = Dump(*store);
    if (end == End::kClosed) Must(store->Close());
  }

  fs::path data() const { return folder_.path() + "/data"; }
  const std::string& answer() const { return answer_; }

  // The answers while the log was no longer than this.
  const std::string& AnswerOfLog(uint64_t size) const {
    const auto behind = std::upper_bound(log_sizes_.begin(), log_sizes_.end(), size);
    if (behind == log_sizes_.begin()) return answers_.front();
    return answers_[static_cast<size_t>(behind - log_sizes_.begin()) - 1];
  }
  // The position of the last write in the log.
  uint64_t log_size_before_last() const { return log_sizes_[log_sizes_.size() - 2]; }

 private:
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }
  static void Write(Store& store, int64_t from_ms) {
    for (int part = 0; part < 4; ++part) {
      WriteOnce(store, from_ms + part * 1000 * kSamplesPerSeries / 4, kSamplesPerSeries / 4);
    }
  }
  static void WriteOnce(Store& store, int64_t from_ms, int count) {
    WriteRequest request;
    for (int number = 0; number < kDamagedSeries; ++number) {
      SeriesWrite write;
      write.labels = Series(number % 2 == 0 ? "power" : "sm", "train", number);
      for (int i = 0; i < count; ++i) {
        const int64_t time_ms = from_ms + i * 1000;
        write.samples.push_back({time_ms, static_cast<double>(time_ms % 977) + number / 8.0});
      }
      request.series.push_back(std::move(write));
    }
    Must(WriteAndWait(store, std::move(request)).status());
  }

  TestFolder folder_;
  std::string answer_;
  std::vector<std::string> answers_;  // after each of the last writes
  std::vector<uint64_t> log_sizes_;   // the same
};

// The positions of the records in a log of one block: 7 bytes of header, with the length in the
// fifth and sixth.
std::vector<uint64_t> RecordsOf(const std::string& log) {
  std::vector<uint64_t> records;
  for (size_t at = 0; at + 7 <= log.size();) {
    records.push_back(at);
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(log[i])); };
    at += 7 + byte(at + 4) + (byte(at + 5) << 8);
  }
  return records;
}

absl::StatusOr<std::string> Answer(const TestFolder& folder) {
  absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(TestOptions(folder));
  if (!store.ok()) return store.status();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Querier> querier, (*store)->NewQuerier());
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> set,
                            querier->Select({{}, {INT64_MIN, INT64_MAX}, nullptr}));
  SampleColumns columns;
  while (set->Next()) LOCKSTEP_RETURN_IF_ERROR(set->Read(columns));
  LOCKSTEP_RETURN_IF_ERROR(set->status());
  return Dump(**store);
}

using Damage = std::function<std::string(std::string)>;

class StoreDamage : public ::testing::TestWithParam<WorkedStore::End> {
 protected:
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(store_.data())) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), store_.data()));
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  // `harmless` is the answer of a store to which the damage does nothing. The damage may remove the
  // file.
  void Check(const std::string& what, const std::string& harmless,
             const std::function<void(const fs::path& data)>& damage) {
    TestFolder folder;
    const fs::path data = folder.path() + "/data";
    fs::copy(store_.data(), data, fs::copy_options::recursive);
    damage(data);
    const absl::StatusOr<std::string> answer = Answer(folder);
    if (answer.ok()) {
      EXPECT_TRUE(*answer == harmless) << what << ": another answer";
      return;
    }
    EXPECT_THAT(std::string(answer.status().message()), ::testing::ContainsRegex("STORE|shard-000"))
        << what;
    ++found_count_;
  }

  void CheckBytes(const std::string& what, const fs::path& file, const std::string& harmless,
                  const Damage& damage) {
    Check(file.string() + ", " + what, harmless,
          [&](const fs::path& data) { WriteFile(data / file, damage(ReadFile(data / file))); });
  }

  bool IsLog(const fs::path& file) const { return file.extension() == ".log"; }

  uint64_t Below(uint64_t end) { return random_() % end; }

  const WorkedStore store_{GetParam()};
  std::mt19937_64 random_{7};
  int found_count_ = 0;
};

TEST_P(StoreDamage, NoFlippedBitChangesAnAnswer) {
  for (const fs::path& file : Files()) {
    const uint64_t size = fs::file_size(store_.data() / file);
    for (int i = 0; i < 16 && size > 0; ++i) {
      const uint64_t at = Below(size);
      const int bit = static_cast<int>(Below(8));
      // In the log's last record it cannot be told from a write that a power cut interrupted.
      const bool is_in_last = IsLog(file) && at >= store_.log_size_before_last();
      const std::string& harmless =
          is_in_last ? store_.AnswerOfLog(store_.log_size_before_last()) : store_.answer();
      CheckBytes(absl::StrFormat("bit %d of byte %d of %d", bit, at, size), file, harmless,
                 [&](std::string bytes) {
                   bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
                   return bytes;
                 });
    }
  }
  EXPECT_GT(found_count_, 30);
}

TEST_P(StoreDamage, NoLostEndChangesAnAnswer) {
  for (const fs::path& file : Files()) {
    const uint64_t size = fs::file_size(store_.data() / file);
    for (int i = 0; i < 12 && size > 0; ++i) {
      const uint64_t at = i == 0 ? 0 : i == 1 ? size - 1 : Below(size);
      CheckBytes(absl::StrFormat("cut at %d of %d", at, size), file,
                 IsLog(file) ? store_.AnswerOfLog(at) : store_.answer(), [&](std::string bytes) {
                   bytes.resize(at);
                   return bytes;
                 });
    }
  }
  EXPECT_GT(found_count_, 10);
}

// RocksDB itself takes a truncated MANIFEST for one that was never longer.
TEST_P(StoreDamage, NoLengthOfAManifestIsTakenForItsEnd) {
  for (const fs::path& file : Files()) {
    if (!file.filename().string().starts_with("MANIFEST-0")) continue;
    const std::vector<uint64_t> records = RecordsOf(ReadFile(store_.data() / file));
    ASSERT_GT(records.size(), 3u);
    for (const uint64_t at : records) {
      CheckBytes(absl::StrFormat("cut before the record at %d", at), file, store_.answer(),
                 [&](std::string bytes) {
                   bytes.resize(at);
                   return bytes;
                 });
      CheckBytes(absl::StrFormat("a length too large at %d", at), file, store_.answer(),
                 [&](std::string bytes) {
                   bytes[at + 5] = static_cast<char>(bytes[at + 5] ^ 0x40);
                   return bytes;
                 });
    }
    // Damage to the last change, which may be one that moves no rows, need not be reported.
    EXPECT_GE(found_count_, 2 * static_cast<int>(records.size()) - 2);
  }
}

TEST_P(StoreDamage, NoBlankBlockChangesAnAnswer) {
  constexpr uint64_t kBlock = 512;
  for (const fs::path& file : Files()) {
    const uint64_t size = fs::file_size(store_.data() / file);
    for (int i = 0; i < 12 && size > 0; ++i) {
      const uint64_t at = Below(size) / kBlock * kBlock;
      const uint64_t end = std::min(size, at + kBlock);
      CheckBytes(absl::StrFormat("%d to %d of %d blank", at, end, size), file,
                 IsLog(file) ? store_.AnswerOfLog(at) : store_.answer(), [&](std::string bytes) {
                   std::fill(bytes.begin() + static_cast<ptrdiff_t>(at),
                             bytes.begin() + static_cast<ptrdiff_t>(end), '\0');
                   return bytes;
                 });
    }
  }
  EXPECT_GT(found_count_, 10);
}

TEST_P(StoreDamage, NoMissingFileChangesAnAnswer) {
  for (const fs::path& file : Files()) {
    if (IsLog(file)) continue;
    Check(file.string() + " gone", store_.answer(),
          [&](const fs::path& data) { fs::remove(data / file); });
  }
  EXPECT_GT(found_count_, 2);
}

INSTANTIATE_TEST_SUITE_P(Ends, StoreDamage,
                         ::testing::Values(WorkedStore::End::kClosed, WorkedStore::End::kKilled),
                         [](const auto& info) {
                           return info.param == WorkedStore::End::kClosed ? "Closed" : "Killed";
                         });

}  // namespace
}  // namespace lockstep
