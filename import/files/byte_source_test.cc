#include "import/files/byte_source.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>

#include "import/files/importing_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

std::string Gzip(const std::string& text) {
  const TestFolder folder;
  const std::string path = folder.path() + "/x.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return BytesOf(path);
}

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

// Longer than the head and than a piece; all lines differ.
std::string LongText() {
  std::string text;
  for (int64_t i = 0; text.size() < 3 * ByteSource::kPieceBytes; ++i) {
    text += std::to_string(i * 7919 % 1'000'003) + "\n";
  }
  return text;
}

// All bytes, or the error.
std::string Read(const std::string& bytes, bool looks_first) {
  const TestFolder folder;
  const auto source = ByteSource::Open(folder.Write("x", bytes));
  EXPECT_TRUE(source.ok());
  if (looks_first) {
    const auto head = (*source)->Head();
    if (!head.ok()) return std::string(Message(head.status()));
  }
  std::string all;
  while (true) {
    const auto piece = (*source)->Next();
    if (!piece.ok()) return std::string(Message(piece.status()));
    if (piece->empty()) return all;
    all += *piece;
  }
}

void CheckBytes(const std::string& bytes, const std::string& plain) {
  EXPECT_TRUE(Read(bytes, true) == plain) << plain.size();
  EXPECT_TRUE(Read(bytes, false) == plain) << plain.size();
}

TEST(ByteSourceTest, WhateverCompressedIt) {
  for (const std::string& text : {std::string(), std::string("a\n"), LongText()}) {
    CheckBytes(text, text);
    CheckBytes(Gzip(text), text);
    CheckBytes(Zstd(text), text);
    // Concatenated members.
    CheckBytes(Gzip(text) + Gzip("b"), text + "b");
    CheckBytes(Zstd(text) + Zstd("b"), text + "b");
    // Like gzip, ignores trailing garbage.
    CheckBytes(Gzip(text) + "padding", text);
  }
}

TEST(ByteSourceTest, DamageIsTold) {
  for (const std::string& whole : {Gzip(LongText()), Zstd(LongText())}) {
    EXPECT_EQ(Read(whole.substr(0, whole.size() / 2), true), "the compressed file is truncated");
  }
  EXPECT_EQ(Read("\x1f\x8b", true), "the compressed file is truncated");
  std::string bad = Gzip(LongText());
  bad[bad.size() / 2] ^= 0x55;
  EXPECT_TRUE(Read(bad, true).starts_with("cannot continue reading: damaged gzip: "));
  EXPECT_TRUE(Read("\x28\xb5\x2f\xfd" + std::string(30, '\xff'), true)
                  .starts_with("cannot continue reading: damaged zstd: "));
}

TEST(ByteSourceTest, SaysHowFarItIs) {
  const TestFolder folder;
  const std::string path = folder.Write("x", LongText());
  auto source = ByteSource::Open(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->file_bytes(), std::filesystem::file_size(path));
  EXPECT_EQ((*source)->read_bytes(), 0u);
  ASSERT_TRUE((*source)->Head().ok());
  EXPECT_EQ((*source)->read_bytes(), ByteSource::kHeadBytes);
  EXPECT_FALSE(ByteSource::Open(path + "none").ok());
}

}  // namespace
}  // namespace lockstep::importer
