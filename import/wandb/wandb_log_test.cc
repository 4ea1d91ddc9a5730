#include "import/wandb/wandb_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "import/wandb/wandb_limits.h"
#include "import/wandb/wandb_log_testing.h"

namespace lockstep::wandb {
namespace {

struct ReadLog {
  std::vector<std::string> records;
  uint64_t damaged_chunks = 0;
  uint64_t long_records = 0;
  bool is_cut = false;
  bool is_foreign = false;
};

ReadLog ReadPieces(std::string_view file, size_t piece_bytes) {
  WandbLogReader reader;
  ReadLog read;
  while (!file.empty()) {
    const std::string_view piece = file.substr(0, piece_bytes);
    file.remove_prefix(piece.size());
    reader.Append(piece);
    while (const auto record = reader.Next()) read.records.emplace_back(*record);
  }
  reader.Finish();
  read.damaged_chunks = reader.damaged_chunks();
  read.long_records = reader.long_records();
  read.is_cut = reader.is_cut();
  read.is_foreign = reader.is_foreign();
  return read;
}

std::string LogOf(const std::vector<std::string>& records) {
  std::string log;
  for (const std::string& record : records) PutWandbRecord(log, record);
  return log;
}

// Records over many blocks: short ones, one that ends with its block, some that leave no room for a
// chunk, and one that spans several blocks.
std::vector<std::string> ManyRecords() {
  std::vector<std::string> records = {"a", std::string(100, 'b')};
  for (size_t left = 0; left < 10; ++left) {
    const std::string so_far = LogOf(records);
    size_t rest = kBlockBytes - so_far.size() % kBlockBytes;
    if (rest < kChunkHeaderBytes + left) rest = kBlockBytes;
    records.emplace_back(rest - kChunkHeaderBytes - left, static_cast<char>('0' + left));
  }
  records.emplace_back(3 * kBlockBytes, 'z');
  records.emplace_back("end");
  return records;
}

TEST(WandbLogTest, TheBytesOfTheFormat) {
  // A header, and the record "W&B": CRC-32 of "\x01W&B", its length, full.
  const std::string log("\x3a\x57\x26\x42\xe1\xbe\x00\xd4\x23\x07\xab\x03\x00\x01\x57\x26\x42", 17);
  EXPECT_EQ(LogOf({"W&B"}), log);
  EXPECT_EQ(ReadPieces(log, 100).records, std::vector<std::string>{"W&B"});
}

TEST(WandbLogTest, ReadsWhatIsWrittenInPiecesOfAnySize) {
  const std::vector<std::string> records = ManyRecords();
  const std::string log = LogOf(records);
  for (const size_t piece_bytes : {size_t{1}, size_t{7}, size_t{1000}, kBlockBytes, log.size()}) {
    const ReadLog read = ReadPieces(log, piece_bytes);
    EXPECT_EQ(read.records, records) << piece_bytes;
    EXPECT_EQ(read.damaged_chunks, 0u);
    EXPECT_FALSE(read.is_cut || read.is_foreign);
  }
}

TEST(WandbLogTest, OfACutFileEveryWholeRecordIsRead) {
  const std::vector<std::string> records = {"one", "two", std::string(40'000, 'x'), "four"};
  std::vector<size_t> ends;
  for (size_t count = 0; count <= records.size(); ++count) {
    ends.push_back(LogOf({records.begin(), records.begin() + static_cast<long>(count)}).size());
  }
  ends.front() = kHeaderBytes;
  const std::string log = LogOf(records);
  for (size_t size = kHeaderBytes; size <= log.size(); size += size < 200 ? 1 : 97) {
    const ReadLog read = ReadPieces(std::string_view(log).substr(0, size), 1000);
    const auto whole =
        std::count_if(ends.begin() + 1, ends.end(), [size](size_t end) { return end <= size; });
    EXPECT_EQ(read.records.size(), static_cast<size_t>(whole)) << size;
    EXPECT_EQ(read.damaged_chunks, 0u) << size;
    EXPECT_EQ(read.is_cut, std::find(ends.begin(), ends.end(), size) == ends.end()) << size;
  }
}

TEST(WandbLogTest, AFlippedBitCostsOneRecord) {
  std::vector<std::string> records;
  for (int i = 0; i < 40; ++i) records.push_back(std::string(100, static_cast<char>('A' + i)));
  const std::string log = LogOf(records);
  for (size_t at = kHeaderBytes; at < log.size(); at += 3) {
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    const ReadLog read = ReadPieces(damaged, 1000);
    EXPECT_GE(read.damaged_chunks + (read.is_cut ? 1 : 0), 1u) << at;
    // Never yields a wrong record; after a damaged length, the rest of its block is lost.
    for (const std::string& record : read.records) {
      EXPECT_NE(std::find(records.begin(), records.end(), record), records.end()) << at;
    }
    const size_t in_chunk = (at - kHeaderBytes) % (kChunkHeaderBytes + 100);
    const bool is_length = in_chunk == 4 || in_chunk == 5;
    if (!is_length) {
      EXPECT_EQ(read.records.size(), records.size() - 1) << at;
    }
  }
}

TEST(WandbLogTest, BehindADamagedLengthTheNextBlockIsRead) {
  std::vector<std::string> records;
  for (int i = 0; i < 400; ++i) records.push_back(std::to_string(i) + std::string(197, '.'));
  std::string log = LogOf(records);
  log[kHeaderBytes + 4] = '\x13';
  const ReadLog read = ReadPieces(log, 1000);
  EXPECT_GT(read.records.size(), 200u);
  EXPECT_EQ(read.records.back(), records.back());
}

TEST(WandbLogTest, ARecordThatIsTooLongIsLeftOut) {
  const ReadLog read =
      ReadPieces(LogOf({"a", std::string(kMaxRecordBytes + 1, 'x'), "b"}), 1 << 20);
  EXPECT_EQ(read.records, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.long_records, 1u);
  EXPECT_EQ(ReadPieces(LogOf({std::string(kMaxRecordBytes, 'x')}), 1 << 20).records.size(), 1u);
}

TEST(WandbLogTest, OtherFilesAreForeign) {
  for (const std::string& file : {std::string(), std::string(":W&"), std::string("{\"a\": 1}\n"),
                                  std::string(":W&B\xe1\xbe\x01 a later version", 24)}) {
    const ReadLog read = ReadPieces(file, 3);
    EXPECT_TRUE(read.is_foreign) << file;
    EXPECT_TRUE(read.records.empty());
  }
}

}  // namespace
}  // namespace lockstep::wandb
