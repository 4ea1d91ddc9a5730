#include "demo/recording.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "demo/compressed_recording.h"
#include "import/files/decompressor.h"
#include "tests/support/source_dir.h"

namespace lockstep::demo {
namespace {

constexpr int64_t kRecordedEndMs = 1795242518276;

// The contents of data/metrics.om.gz.
std::string RecordedText() {
  std::ifstream file(SourcePath("demo/data/metrics.om.gz"), std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  const std::string compressed = std::move(content).str();
  std::string_view rest = compressed;
  const auto decompressor = importer::Decompressor::For(rest);
  std::string text;
  std::vector<char> piece(1 << 20);
  while (true) {
    const auto count = decompressor->Decompress(rest, piece);
    if (!count.ok() || *count == 0) return text;
    text.append(piece.data(), *count);
  }
}

TEST(RecordingTest, AtItsOwnTimeIsTheRecordedFile) {
  // Not EXPECT_EQ: it would print 39 MB.
  EXPECT_TRUE(RecordingAsOpenMetrics(kRecordedEndMs) == RecordedText());
}

TEST(RecordingTest, MovesEverySampleByTheSameTime) {
  const std::string recorded = RecordingAsOpenMetrics(kRecordedEndMs);
  const std::string moved = RecordingAsOpenMetrics(kRecordedEndMs + 86'400'000);
  const std::string first_line = "} 1 1795242025.240\n";
  const std::string first_line_moved = "} 1 1795328425.240\n";
  EXPECT_EQ(moved.size(), recorded.size());
  EXPECT_EQ(moved.find(first_line_moved), recorded.find(first_line));
  EXPECT_EQ(moved.find(first_line), std::string::npos);
  EXPECT_NE(moved.find(" 1795328918.276\n"), std::string::npos);
}

TEST(RecordingTest, IsSmallEnoughToShip) { EXPECT_LT(CompressedRecording().size(), 1'000'000U); }

}  // namespace
}  // namespace lockstep::demo
