// SymbolTable: the functions of the files that this process runs: what code lies where, and how it
// is called. Reads the files' own tables of symbols; of a stripped file only the exported functions
// are known. Immutable; safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::profile {

// A part of a file that is mapped to be executed.
struct Mapping {
  uint64_t begin = 0;  // addresses
  uint64_t end = 0;
  uint64_t offset = 0;  // of `begin` in the file
  std::string path;
};

// A function, as its file has it.
struct Symbol {
  uint64_t begin = 0;  // addresses
  uint64_t end = 0;
  std::string name;  // as the linker knows it
};

// What a file is loaded as.
struct Segment {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t address = 0;
};

// What an ELF file of 64 bits says of its code.
struct ElfFile {
  std::vector<Symbol> symbols;  // functions, sorted by address
  std::vector<Segment> segments;

  // The function that is `offset` bytes behind the file's beginning; null if it is not known.
  const Symbol* FunctionAt(uint64_t offset) const;
};

// Reads `size` bytes from `offset` on; fewer where the file ends.
using ReadBytes = std::function<std::string(uint64_t offset, uint64_t size)>;

// Nothing of what is something else, and less of what is broken.
ElfFile ReadElf(const ReadBytes& read);
// As a programmer writes it.
std::string Demangled(std::string_view name);

class SymbolTable {
 public:
  // The table of this process as it is now.
  static SymbolTable OfProcess();

  const std::vector<Mapping>& mappings() const { return mappings_; }
  // Into mappings(); mappings().size() if no file is there.
  size_t MappingOf(uint64_t address) const;
  // The function that is at `address`, demangled; "" if it is not known.
  std::string FunctionAt(uint64_t address) const;

 private:
  struct File {
    std::string path;
    ElfFile elf;
  };

  std::vector<Mapping> mappings_;  // sorted by address
  std::vector<size_t> file_of_mapping_;
  std::vector<File> files_;
};

}  // namespace lockstep::profile
