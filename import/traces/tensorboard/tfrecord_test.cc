#include "import/traces/tensorboard/tfrecord.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/traces/records/trace_limits.h"
#include "import/traces/tensorboard/tfrecord_testing.h"

namespace lockstep::traces {
namespace {

struct Framing {
  std::vector<std::string> records;
  std::string problems;
  size_t torn_bytes = 0;
  uint64_t offset = 0;
  friend bool operator==(const Framing&, const Framing&) = default;
};

// The records of `file`, read in pieces of `piece_bytes`.
Framing ReadFraming(std::string_view file, size_t piece_bytes) {
  TraceProblems problems;
  TfRecordReader reader(problems);
  Framing framing;
  for (size_t at = 0; at < file.size(); at += piece_bytes) {
    reader.Append(file.substr(at, piece_bytes));
    while (const auto record = reader.Next()) framing.records.emplace_back(record->data);
  }
  framing.problems = problems.ToString();
  framing.torn_bytes = reader.torn_bytes();
  framing.offset = reader.offset();
  return framing;
}

std::string FileOf(const std::vector<std::string>& records) {
  std::string file;
  for (const std::string& record : records) PutTfRecord(file, record);
  return file;
}

const std::vector<std::string>& SomeRecords() {
  static const std::vector<std::string> records = {"first", "", std::string(300, 'x'),
                                                   std::string("\0\xff", 2)};
  return records;
}

TEST(TfRecordTest, ReadsWhatWasWrittenInPiecesOfAnySize) {
  const std::string file = FileOf(SomeRecords());
  const Framing expected{SomeRecords(), "", 0, file.size()};
  for (size_t piece_bytes = 1; piece_bytes <= file.size(); ++piece_bytes) {
    EXPECT_EQ(ReadFraming(file, piece_bytes), expected) << piece_bytes;
  }
}

// The first record of a file by TensorFlow's own writer begins with these twelve bytes: a length of
// 24, and its checksum.
TEST(TfRecordTest, HasTheBytesThatOtherWritersMake) {
  std::string file;
  PutTfRecord(file, std::string(24, 'a'));
  EXPECT_EQ(file.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
}

TEST(TfRecordTest, ATornTailLeavesWhatIsWhole) {
  const std::string file = FileOf(SomeRecords());
  for (size_t size = 0; size <= file.size(); ++size) {
    const Framing framing = ReadFraming(std::string_view(file).substr(0, size), 7);
    EXPECT_EQ(framing.offset + framing.torn_bytes, size);
    EXPECT_EQ(framing.problems, "");
    for (size_t i = 0; i < framing.records.size(); ++i) {
      EXPECT_EQ(framing.records[i], SomeRecords()[i]);
    }
    EXPECT_EQ(framing.records == SomeRecords(), size == file.size());
  }
}

// A flipped bit in a record's data loses only that record, one in its length loses all from there
// on.
TEST(TfRecordTest, AFlippedBitNeverPassesAndIsToldWhere) {
  const std::string file = FileOf(SomeRecords());
  size_t start = 0;
  for (size_t damaged = 0; damaged < SomeRecords().size(); ++damaged) {
    const size_t frame =
        kTfRecordHeaderBytes + SomeRecords()[damaged].size() + kTfRecordFooterBytes;
    for (size_t bit = 0; bit < 8 * frame; ++bit) {
      std::string flipped = file;
      flipped[start + bit / 8] = static_cast<char>(flipped[start + bit / 8] ^ (1 << bit % 8));
      const Framing framing = ReadFraming(flipped, flipped.size());
      const bool is_length = bit / 8 < kTfRecordHeaderBytes;
      std::vector<std::string> expected(SomeRecords().begin(),
                                        SomeRecords().begin() + static_cast<ptrdiff_t>(damaged));
      if (!is_length) {
        expected.insert(expected.end(), SomeRecords().begin() + static_cast<ptrdiff_t>(damaged) + 1,
                        SomeRecords().end());
      }
      EXPECT_EQ(framing.records, expected) << damaged << " " << bit;
      const std::string at = " (first at byte " + std::to_string(start) + ")";
      EXPECT_EQ(framing.problems,
                (is_length ? "1 x damaged length of a record; nothing after it was read"
                           : "1 x damaged record") +
                    at);
    }
    start += frame;
  }
}

TEST(TfRecordTest, StepsOverARecordThatIsTooLongWithoutHoldingIt) {
  std::string file = FileOf({"before"});
  const size_t long_offset = file.size();
  PutTfRecord(file, std::string(kMaxEventRecordBytes + 1, 'x'));
  PutTfRecord(file, "after");
  for (const size_t piece_bytes : {size_t{100'000}, file.size()}) {
    const Framing framing = ReadFraming(file, piece_bytes);
    EXPECT_EQ(framing.records, (std::vector<std::string>{"before", "after"}));
    EXPECT_EQ(framing.problems,
              "1 x record too long (first at byte " + std::to_string(long_offset) + ")");
    EXPECT_EQ(framing.offset, file.size());
  }
}

TEST(TfRecordTest, StopsAtAnImpossibleLength) {
  std::string header(8, '\xff');
  const uint32_t crc = MaskedCrc32c(header);
  header.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
  const Framing framing = ReadFraming(FileOf({"before"}) + header + FileOf({"after"}), 5);
  EXPECT_EQ(framing.records, std::vector<std::string>{"before"});
  EXPECT_EQ(framing.problems,
            "1 x impossible length of a record; nothing after it was read (first at byte 22)");
}

}  // namespace
}  // namespace lockstep::traces
