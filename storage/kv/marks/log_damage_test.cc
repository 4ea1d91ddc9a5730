#include "storage/kv/marks/log_damage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

// A store whose log has several synced batches of each size, some larger than a block.
class LogDamageTest : public ::testing::Test {
 protected:
  LogDamageTest() {
    const auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    for (const size_t size : {10, 1000, 100'000, 20, 40'000, 30}) {
      Batch batch = (*store)->NewBatch();
      batch.Put(Space::kSeries, std::string(1, static_cast<char>('a' + count_++)),
                std::string(size, 'v'));
      EXPECT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
      ends_.push_back(Log().size());
    }
  }

  absl::StatusOr<std::unique_ptr<Store>> Open() {
    return Store::Open(folder_.path(), env_, resources_);
  }
  std::string Log() { return *env_->ReadFile(LogPath()); }
  // The only log of a fresh store.
  std::string LogPath() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".log") return entry.path().string();
    }
    ADD_FAILURE() << "there is no log";
    return "";
  }
  LogDamage Damage(std::string_view log) {
    LogInspector inspector;
    inspector.Add(log);
    return inspector.damage();
  }
  size_t RowCount(const Store& store) {
    size_t count = 0;
    for (Cursor rows = store.NewCursor(Space::kSeries, {}); rows.Valid(); rows.Next()) ++count;
    return count;
  }

  TestFolder folder_;
  std::shared_ptr<Env> env_ = Env::Default();
  std::shared_ptr<const Resources> resources_ = std::make_shared<Resources>(ResourceLimits{});
  size_t count_ = 0;
  std::vector<size_t> ends_;  // where the batches in the log end
};

TEST_F(LogDamageTest, AWholeLogHasNone) {
  EXPECT_EQ(Damage(Log()), LogDamage::kNone);
  EXPECT_EQ(Damage(""), LogDamage::kNone);
  EXPECT_EQ(*FindLogDamage(*env_, folder_.path(), 0), LogDamage::kNone);
}

TEST_F(LogDamageTest, AChangedByteIsInsideUnlessItIsInTheLastRecord) {
  const std::string log = Log();
  const size_t last_begin = ends_[ends_.size() - 2];
  for (size_t at = 0; at < log.size(); at += at + 100 < last_begin ? 997 : 1) {
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_EQ(Damage(damaged), at < last_begin ? LogDamage::kInside : LogDamage::kAtEnd) << at;
  }
}

TEST_F(LogDamageTest, ARecordThatWasCutOffOrZeroedIsAtTheEnd) {
  const std::string log = Log();
  EXPECT_EQ(Damage(log.substr(0, log.size() - 1)), LogDamage::kAtEnd);
  // All bytes of the last two batches.
  std::string zeroed = log.substr(0, ends_[ends_.size() - 3]);
  zeroed.resize(log.size(), '\0');
  EXPECT_EQ(Damage(zeroed), LogDamage::kAtEnd);
}

// If no mark says that it was synced.
TEST_F(LogDamageTest, AStoreOpensWithADamagedLastRecord) {
  const std::string log = Log();
  std::string damaged = log;
  damaged[log.size() - 1] = 'x';
  ASSERT_TRUE(env_->WriteFile(LogPath(), damaged).ok());
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(env_->RemoveFile(folder_.path() + "/LOG-MARK").ok());
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(RowCount(**store), count_ - 1);
  }
}

// A power cut can tear an old log too, which was never synced because its rows went to tables, and
// leave it in the folder because its deletion was not synced either.
TEST_F(LogDamageTest, AStoreOpensWithADamagedLastRecordAndALogThatIsNotNeeded) {
  {
    // Opening moves the rows of the log to tables.
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    Batch batch = (*store)->NewBatch();
    batch.Put(Space::kSeries, "torn", "value");
    ASSERT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
  }
  std::string damaged = Log();
  damaged[damaged.size() - 1] = 'x';
  ASSERT_TRUE(env_->WriteFile(LogPath(), damaged).ok());
  ASSERT_TRUE(env_->RemoveFile(folder_.path() + "/LOG-MARK").ok());
  ASSERT_TRUE(env_->WriteFile(folder_.path() + "/000001.log", "torn").ok());
  {
    const auto store = Store::OpenReadOnly(folder_.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(*FindLogDamage(*env_, folder_.path(), (*store)->oldest_log_read()),
              LogDamage::kAtEnd);
  }
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(RowCount(**store), count_);
}

TEST_F(LogDamageTest, AStoreDoesNotOpenWithADamagedRecordInside) {
  std::string damaged = Log();
  damaged[ends_[1] - 1] = 'x';
  ASSERT_TRUE(env_->WriteFile(LogPath(), damaged).ok());
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
}

// A record or piece as RocksDB writes it (db/log_format.h).
std::string Piece(int type, std::string_view bytes) {
  const std::string checked = static_cast<char>(type) + std::string(bytes);
  const uint32_t crc = Crc32c(checked);
  const uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8u;
  std::string piece;
  for (int i = 0; i < 4; ++i) piece += static_cast<char>(masked >> 8 * i);
  for (int i = 0; i < 2; ++i) piece += static_cast<char>(bytes.size() >> 8 * i);
  return piece + checked;
}

// What is found in logs of pieces of these types, and at which piece, counted over all logs.
void CheckPieces(const std::vector<std::string>& logs, LogDamage damage,
                 std::optional<size_t> at = std::nullopt) {
  const size_t piece_bytes = Piece(1, "bytes").size();
  LogInspector inspector;
  std::string types;
  for (const std::string& log : logs) {
    std::string pieces;
    for (const char type : log) pieces += Piece(type - '0', "bytes");
    inspector.Add(pieces);
    types += log + "|";
  }
  EXPECT_EQ(inspector.damage(), damage) << types;
  const std::optional<uint64_t> found = inspector.damaged_at();
  ASSERT_EQ(found.has_value(), at.has_value()) << types;
  EXPECT_EQ(found.value_or(0), at.value_or(0) * piece_bytes) << types;
}

TEST(LogInspectorTest, KnowsWhichPiecesFollowWhich) {
  for (const char* whole : {"", "1", "11", "24", "234", "23341", "124241"}) {
    CheckPieces({whole}, LogDamage::kNone);
    CheckPieces({whole, "1"}, LogDamage::kNone);
  }
  // A record without its end, at the end.
  CheckPieces({"2"}, LogDamage::kAtEnd, 1);
  CheckPieces({"123"}, LogDamage::kAtEnd, 3);
  // ... and followed by others, in this log or in the next one, which does not continue it.
  CheckPieces({"21"}, LogDamage::kInside, 1);
  CheckPieces({"2324"}, LogDamage::kInside, 2);
  CheckPieces({"2", "1"}, LogDamage::kInside, 1);
  CheckPieces({"2", "4"}, LogDamage::kAtEnd, 1);
  CheckPieces({"2", "41"}, LogDamage::kInside, 1);
  // An end without its record.
  CheckPieces({"4"}, LogDamage::kAtEnd, 0);
  CheckPieces({"13"}, LogDamage::kAtEnd, 1);
  CheckPieces({"134"}, LogDamage::kAtEnd, 1);
  CheckPieces({"31"}, LogDamage::kInside, 0);
  CheckPieces({"241", "4", "1"}, LogDamage::kInside, 3);
  // There are no such types.
  CheckPieces({"0"}, LogDamage::kAtEnd, 0);
  CheckPieces({"15"}, LogDamage::kAtEnd, 1);
  CheckPieces({"151"}, LogDamage::kInside, 1);
}

TEST(LogInspectorTest, ABatchWithoutChangesBehindDamageProvesNothing) {
  const auto damage_before = [](int type, std::string_view record) {
    LogInspector inspector;
    inspector.Add("torn");
    inspector.Add(Piece(type, record));
    return inspector.damage();
  };
  const std::string sequence = "\x01\x02\x03\x04\x05\x06\x07\x08";
  const std::string no_changes(4, '\0');
  EXPECT_EQ(damage_before(1, sequence + no_changes), LogDamage::kAtEnd);
  EXPECT_EQ(damage_before(1, sequence + std::string("\x01\0\0\0", 4)), LogDamage::kInside);
  EXPECT_EQ(damage_before(1, sequence + no_changes + "x"), LogDamage::kInside);
  EXPECT_EQ(damage_before(2, sequence + no_changes), LogDamage::kInside);
}

TEST(LogInspectorTest, OnlyAFullBlockEndsInPadding) {
  constexpr size_t kBlock = 32768;
  const std::string filled = Piece(1, std::string(kBlock - 7 - 3, 'x'));
  const auto damage = [](std::string_view log) {
    LogInspector inspector;
    inspector.Add(log);
    return inspector.damage();
  };
  EXPECT_EQ(damage(filled), LogDamage::kNone);
  EXPECT_EQ(damage(filled + std::string(2, '\0')), LogDamage::kAtEnd);
  EXPECT_EQ(damage(filled + std::string(3, '\0')), LogDamage::kNone);
  EXPECT_EQ(damage(filled + std::string(3, '\0') + Piece(1, "y")), LogDamage::kNone);
  EXPECT_EQ(damage(Piece(1, std::string(kBlock - 7, 'x')) + Piece(1, "")), LogDamage::kNone);
}

// Several logs; the mark names some of them.
TEST(CheckLogsTest, EachLogHasWhatWasSyncedOfIt) {
  const TestFolder folder;
  const std::shared_ptr<Env> env = Env::Default();
  const std::string record = Piece(1, "acknowledged");
  const auto write = [&](uint64_t number, const std::string& bytes) {
    std::ofstream(folder.path() + "/" + LogName(number), std::ios::binary) << bytes;
  };
  const auto why_not = [&](std::vector<SyncedLog> synced) {
    const absl::Status status = CheckLogs(*env, folder.path(), synced);
    EXPECT_TRUE(status.ok() || absl::IsDataLoss(status)) << status;
    return std::string(status.message());
  };
  write(999'999, record);
  write(1'000'000, record + record);
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({{999'999, record.size()}, {1'000'000, 2 * record.size()}}), "");
  EXPECT_THAT(why_not({{999'999, record.size() + 1}, {1'000'000, record.size()}}),
              testing::HasSubstr(LogName(999'999)));
  EXPECT_THAT(why_not({{999'999, record.size()}, {1'000'000, 2 * record.size() + 1}}),
              testing::HasSubstr(LogName(1'000'000)));
  EXPECT_THAT(why_not({{999'999, 1}, {7, 1}, {1'000'000, 1}}), testing::HasSubstr(LogName(7)));
  // What was not synced may be torn.
  write(1'000'000, record + record.substr(0, 9));
  EXPECT_EQ(why_not({{1'000'000, record.size()}}), "");
  EXPECT_THAT(why_not({{1'000'000, record.size() + 1}}), testing::HasSubstr("byte 19"));
  // A record behind damage was acknowledged, whatever the mark says.
  std::string torn = record + record;
  torn[8] ^= 1;
  write(999'999, torn);
  EXPECT_THAT(why_not({}), testing::HasSubstr("damaged at byte 0"));
}

}  // namespace
}  // namespace lockstep::kv
