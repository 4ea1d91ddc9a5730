#include "profile/symbol_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <elf.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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

// A 64-bit ELF file with the given parts, made by hand.
class ElfMaker {
 public:
  void AddSegment(uint32_t type, uint64_t offset, uint64_t size, uint64_t address) {
    Elf64_Phdr segment{};
    segment.p_type = type;
    segment.p_offset = offset;
    segment.p_filesz = size;
    segment.p_vaddr = address;
    segments_.push_back(segment);
  }
  void AddSymbol(const std::string& name, uint64_t value, uint64_t size,
                 unsigned char type = STT_FUNC, uint16_t section = 1) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(names_.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    symbol.st_shndx = section;
    symbol.st_value = value;
    symbol.st_size = size;
    names_ += name + '\0';
    symbols_.push_back(symbol);
  }
  std::vector<Elf64_Sym>& symbols() { return symbols_; }
  uint32_t table_type = SHT_SYMTAB;
  uint32_t names_section = 1;
  uint64_t told_names_bytes = 0;  // 0: the truth
  unsigned char file_class = ELFCLASS64;

  std::string File() const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = file_class;
    header.e_phoff = sizeof(header);
    header.e_phnum = static_cast<uint16_t>(segments_.size());
    header.e_shoff = header.e_phoff + segments_.size() * sizeof(Elf64_Phdr);
    header.e_shnum = 2;
    Elf64_Shdr sections[2] = {};
    sections[0].sh_type = table_type;
    sections[0].sh_link = names_section;
    sections[0].sh_offset = header.e_shoff + sizeof(sections);
    sections[0].sh_size = symbols_.size() * sizeof(Elf64_Sym);
    sections[1].sh_type = SHT_STRTAB;
    sections[1].sh_offset = sections[0].sh_offset + sections[0].sh_size;
    sections[1].sh_size = told_names_bytes == 0 ? names_.size() : told_names_bytes;
    std::string bytes = BytesOf(&header, sizeof(header));
    for (const Elf64_Phdr& segment : segments_) bytes += BytesOf(&segment, sizeof(segment));
    bytes += BytesOf(sections, sizeof(sections));
    for (const Elf64_Sym& symbol : symbols_) bytes += BytesOf(&symbol, sizeof(symbol));
    return bytes + names_;
  }

 private:
  static std::string BytesOf(const void* data, size_t size) {
    return std::string(static_cast<const char*>(data), size);
  }
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Sym> symbols_;
  std::string names_ = std::string(1, '\0');
};

// "name begin-end" for each symbol.
std::string SymbolsOf(const ElfFile& elf) {
  std::string text;
  for (const Symbol& symbol : elf.symbols) {
    text +=
        symbol.name + " " + std::to_string(symbol.begin) + "-" + std::to_string(symbol.end) + "\n";
  }
  return text;
}

TEST(ElfFileTest, FunctionsAreSortedByAddress) {
  ElfMaker maker;
  maker.AddSymbol("late", 300, 10);
  maker.AddSymbol("wide", 100, 50);
  maker.AddSymbol("narrow", 100, 20);
  EXPECT_EQ(SymbolsOf(Read(maker.File())), "narrow 100-120\nwide 100-150\nlate 300-310\n");
}

TEST(ElfFileTest, OnlyDefinedFunctionsWithANameCount) {
  ElfMaker maker;
  maker.AddSymbol("data", 100, 10, STT_OBJECT);
  maker.AddSymbol("elsewhere", 100, 10, STT_FUNC, SHN_UNDEF);
  maker.AddSymbol("", 100, 10);
  maker.AddSymbol("good", 200, 10);
  maker.AddSymbol("behind the names", 300, 10);
  maker.symbols().back().st_name = 1'000'000;
  EXPECT_EQ(SymbolsOf(Read(maker.File())), "good 200-210\n");
}

TEST(ElfFileTest, TablesOfSymbolsAreOfTwoKinds) {
  ElfMaker maker;
  maker.AddSymbol("f", 100, 10);
  maker.table_type = SHT_DYNSYM;
  EXPECT_EQ(SymbolsOf(Read(maker.File())), "f 100-110\n");
  maker.table_type = SHT_PROGBITS;
  EXPECT_EQ(SymbolsOf(Read(maker.File())), "");
  maker.table_type = SHT_SYMTAB;
  maker.names_section = 2;
  EXPECT_EQ(SymbolsOf(Read(maker.File())), "");
}

TEST(ElfFileTest, ATableIsAtMostAQuarterOfAGibibyte) {
  ElfMaker maker;
  maker.AddSymbol("f", 100, 10);
  uint64_t most_bytes = 0;
  const auto symbols = [&maker, &most_bytes](uint64_t told_bytes) {
    maker.told_names_bytes = told_bytes;
    const std::string file = maker.File();
    return SymbolsOf(ReadElf([&file, &most_bytes](uint64_t offset, uint64_t size) {
      most_bytes = std::max(most_bytes, size);
      return offset > file.size() ? "" : file.substr(offset, size);
    }));
  };
  EXPECT_EQ(symbols(uint64_t{256} << 20), "f 100-110\n");
  EXPECT_EQ(most_bytes, uint64_t{256} << 20);
  EXPECT_EQ(symbols((uint64_t{256} << 20) + 1), "");
  EXPECT_EQ(most_bytes, uint64_t{256} << 20);
}

TEST(ElfFileTest, OtherFilesHaveNothing) {
  ElfMaker maker;
  maker.AddSymbol("f", 100, 10);
  maker.AddSegment(PT_LOAD, 0, 1000, 0);
  EXPECT_EQ(Read(maker.File()).segments.size(), 1u);
  std::string other = maker.File();
  other[1] = 'x';
  EXPECT_TRUE(Read(other).segments.empty());
  EXPECT_EQ(SymbolsOf(Read(other)), "");
  maker.file_class = ELFCLASS32;
  EXPECT_EQ(SymbolsOf(Read(maker.File())), "");
}

TEST(ElfFileTest, AFunctionIsFoundByItsPlaceInTheFile) {
  ElfMaker maker;
  maker.AddSegment(PT_NOTE, 0, 10'000, 50'000);
  maker.AddSegment(PT_LOAD, 1000, 500, 70'000);
  maker.AddSegment(PT_LOAD, 2000, 500, 90'000);
  maker.AddSymbol("first", 70'100, 50);
  maker.AddSymbol("next", 70'150, 10);
  maker.AddSymbol("second", 90'000, 500);
  const ElfFile elf = Read(maker.File());
  EXPECT_EQ(elf.segments.size(), 2u);
  const auto name = [&elf](uint64_t offset) {
    const Symbol* const symbol = elf.FunctionAt(offset);
    return symbol == nullptr ? "" : symbol->name;
  };
  EXPECT_EQ(name(999), "");
  EXPECT_EQ(name(1000), "");
  EXPECT_EQ(name(1099), "");
  EXPECT_EQ(name(1100), "first");
  EXPECT_EQ(name(1149), "first");
  EXPECT_EQ(name(1150), "next");
  EXPECT_EQ(name(1159), "next");
  EXPECT_EQ(name(1160), "");
  EXPECT_EQ(name(1499), "");
  EXPECT_EQ(name(1500), "");
  EXPECT_EQ(name(2000), "second");
  EXPECT_EQ(name(2499), "second");
  EXPECT_EQ(name(2500), "");
}

TEST(SymbolTableTest, MappingsAreInOrderAndApart) {
  const SymbolTable table = SymbolTable::OfProcess();
  ASSERT_GT(table.mappings().size(), 1u);
  uint64_t last_end = 0;
  for (size_t i = 0; i < table.mappings().size(); ++i) {
    const Mapping& mapping = table.mappings()[i];
    EXPECT_LE(last_end, mapping.begin);
    EXPECT_LT(mapping.begin, mapping.end);
    EXPECT_TRUE(mapping.path.starts_with('/')) << mapping.path;
    EXPECT_EQ(table.MappingOf(mapping.begin), i);
    EXPECT_EQ(table.MappingOf(mapping.end - 1), i);
    EXPECT_NE(table.MappingOf(mapping.begin - 1), i);
    EXPECT_NE(table.MappingOf(mapping.end), i);
    last_end = mapping.end;
  }
}

TEST(SymbolTableTest, KnowsTheFunctionsOfLibraries) {
  const SymbolTable table = SymbolTable::OfProcess();
  void* const function = dlsym(RTLD_DEFAULT, "deflateInit2_");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(table.FunctionAt(reinterpret_cast<uint64_t>(function)), "deflateInit2_");
}

}  // namespace
}  // namespace lockstep::profile
