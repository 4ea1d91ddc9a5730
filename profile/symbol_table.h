// SymbolTable: the addresses and names of the functions in the files that this process runs. Reads
// the files' own symbol tables; for a stripped file only the exported functions are known.
// Immutable; safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::profile {

// A part of a file that is mapped as executable.
struct Mapping {
  uint64_t begin = 0;  // addresses
  uint64_t end = 0;
  uint64_t offset = 0;  // of `begin` in the file
  std::string path;
};

// A function in its file.
struct Symbol {
  uint64_t begin = 0;  // addresses
  uint64_t end = 0;
  std::string name;  // the linker's name
};

// A part of a file that is loaded at an address.
struct Segment {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t address = 0;
};

// The code-related contents of a 64-bit ELF file.
struct ElfFile {
  std::vector<Symbol> symbols;  // functions, sorted by address
  std::vector<Segment> segments;

  // The function at `offset` bytes from the start of the file; null if unknown.
  const Symbol* FunctionAt(uint64_t offset) const;
};

// Reads `size` bytes starting at `offset`; fewer at the end of the file.
using ReadBytes = std::function<std::string(uint64_t offset, uint64_t size)>;

// Returns nothing for other files, and less for damaged ones.
ElfFile ReadElf(const ReadBytes& read);
// The name as in the source code.
std::string Demangled(std::string_view name);

class SymbolTable {
 public:
  // The current table of this process.
  static SymbolTable OfProcess();

  const std::vector<Mapping>& mappings() const { return mappings_; }
  // An index into mappings(); mappings().size() if no file is mapped there.
  size_t MappingOf(uint64_t address) const;
  // The demangled name of the function at `address`; "" if unknown.
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
