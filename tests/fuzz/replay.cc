// Runs a fuzz target on every input of its corpus, in the folder LOCKSTEP_CORPUS.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Corpus, EveryInputIsSurvived) {
  const char* const corpus = std::getenv("LOCKSTEP_CORPUS");
  ASSERT_NE(corpus, nullptr) << "LOCKSTEP_CORPUS names no folder";
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    SCOPED_TRACE(entry.path().string());
    const std::string input = ReadFile(entry.path());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    ++count;
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
