#include "profile/symbol_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace lockstep::profile {

// A function whose name the test can look up.
__attribute__((noinline)) int FunctionOfTheTest(int number) {
  asm volatile("");
  return number + 1;
}

namespace {

std::string OwnProgram() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

TEST(SymbolTableTest, KnowsTheFunctionsOfTheProgram) {
  const SymbolTable table = SymbolTable::OfProcess();
  const auto address = reinterpret_cast<uint64_t>(&FunctionOfTheTest);
  EXPECT_EQ(table.FunctionAt(address), "lockstep::profile::FunctionOfTheTest(int)");
  ASSERT_LT(table.MappingOf(address), table.mappings().size());
  EXPECT_THAT(table.mappings()[table.MappingOf(address)].path, testing::HasSubstr("profile_test"));
}

TEST(SymbolTableTest, NothingIsNowhere) {
  const SymbolTable table = SymbolTable::OfProcess();
  EXPECT_EQ(table.FunctionAt(0), "");
  EXPECT_EQ(table.FunctionAt(~uint64_t{0}), "");
  EXPECT_EQ(table.MappingOf(0), table.mappings().size());
}

ElfFile Read(std::string_view bytes) {
  return ReadElf([bytes](uint64_t offset, uint64_t size) {
    return offset > bytes.size() ? "" : std::string(bytes.substr(offset, size));
  });
}

TEST(SymbolTableTest, BrokenFilesHaveNoSymbolsOrFewer) {
  EXPECT_TRUE(Read("").symbols.empty());
  EXPECT_TRUE(Read("#!/bin/sh\n").symbols.empty());
  const std::string whole = OwnProgram();
  const size_t count = Read(whole).symbols.size();
  EXPECT_GT(count, 0u);
  for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 20) {
    EXPECT_LE(Read(std::string_view(whole).substr(0, size)).symbols.size(), count);
  }
  // Sets each byte of the header to its maximum.
  for (size_t at = 0; at < 64; ++at) {
    std::string broken = whole;
    broken[at] = '\xff';
    (void)Read(broken);
  }
}

TEST(SymbolTableTest, NamesAreForProgrammers) {
  EXPECT_EQ(Demangled("_ZN8lockstep7profile1fEv"), "lockstep::profile::f()");
  EXPECT_EQ(Demangled("main"), "main");
}

}  // namespace
}  // namespace lockstep::profile
