#include "profile/symbol_table.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

namespace lockstep::profile {
namespace {

// No program has a larger table.
constexpr uint64_t kMaxTableBytes = uint64_t{256} << 20;

// The `index`-th T of a table, if it is complete.
template <typename T>
std::optional<T> EntryOf(std::string_view table, size_t index) {
  if (index >= table.size() / sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, table.data() + index * sizeof(T), sizeof(T));
  return value;
}

bool IsElf(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64;
}

std::string_view NameAt(std::string_view names, uint64_t at) {
  if (at >= names.size()) return {};
  names.remove_prefix(at);
  return names.substr(0, names.find('\0'));
}

std::string ReadSection(const ReadBytes& read, const Elf64_Shdr& section) {
  if (section.sh_size > kMaxTableBytes) return "";
  return read(section.sh_offset, section.sh_size);
}

void AddSymbols(std::string_view table, std::string_view names, std::vector<Symbol>& symbols) {
  for (size_t i = 0; const auto symbol = EntryOf<Elf64_Sym>(table, i); ++i) {
    const bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    const std::string_view name = NameAt(names, symbol->st_name);
    if (!is_function || symbol->st_shndx == SHN_UNDEF || name.empty()) continue;
    symbols.push_back({symbol->st_value, symbol->st_value + symbol->st_size, std::string(name)});
  }
}

std::string ReadFrom(std::ifstream& file, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

ElfFile ReadElfAt(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return ReadElf([&file](uint64_t offset, uint64_t size) { return ReadFrom(file, offset, size); });
}

// Parses a line of /proc/self/maps; nullopt unless it describes code from a file.
std::optional<Mapping> ParseMapping(const std::string& line) {
  Mapping mapping;
  unsigned long long begin = 0;
  unsigned long long end = 0;
  unsigned long long offset = 0;
  char permissions[5] = {};
  int path_at = 0;
  const int read = std::sscanf(line.c_str(), "%llx-%llx %4s %llx %*s %*s %n", &begin, &end,
                               permissions, &offset, &path_at);
  if (read != 4 || path_at == 0 || permissions[2] != 'x') return std::nullopt;
  mapping.begin = begin;
  mapping.end = end;
  mapping.offset = offset;
  mapping.path = line.substr(static_cast<size_t>(path_at));
  if (!mapping.path.starts_with('/')) return std::nullopt;
  return mapping;
}

}  // namespace

ElfFile ReadElf(const ReadBytes& read) {
  ElfFile elf;
  const auto header = EntryOf<Elf64_Ehdr>(read(0, sizeof(Elf64_Ehdr)), 0);
  if (!header || !IsElf(*header)) return elf;
  const std::string segments =
      read(header->e_phoff, uint64_t{header->e_phnum} * sizeof(Elf64_Phdr));
  for (size_t i = 0; const auto segment = EntryOf<Elf64_Phdr>(segments, i); ++i) {
    if (segment->p_type != PT_LOAD) continue;
    elf.segments.push_back({segment->p_offset, segment->p_filesz, segment->p_vaddr});
  }
  const std::string sections =
      read(header->e_shoff, uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  for (size_t i = 0; const auto section = EntryOf<Elf64_Shdr>(sections, i); ++i) {
    if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) continue;
    const auto names = EntryOf<Elf64_Shdr>(sections, section->sh_link);
    if (!names) continue;
    AddSymbols(ReadSection(read, *section), ReadSection(read, *names), elf.symbols);
  }
  std::sort(elf.symbols.begin(), elf.symbols.end(), [](const Symbol& a, const Symbol& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  return elf;
}

const Symbol* ElfFile::FunctionAt(uint64_t offset) const {
  const auto segment = std::find_if(segments.begin(), segments.end(), [offset](const Segment& one) {
    return offset >= one.offset && offset - one.offset < one.size;
  });
  if (segment == segments.end()) return nullptr;
  const uint64_t address = offset - segment->offset + segment->address;
  const auto behind =
      std::upper_bound(symbols.begin(), symbols.end(), address,
                       [](uint64_t value, const Symbol& symbol) { return value < symbol.begin; });
  if (behind == symbols.begin() || address >= std::prev(behind)->end) return nullptr;
  return &*std::prev(behind);
}

std::string Demangled(std::string_view name) {
  const std::string mangled(name);
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return mangled;
  std::string demangled = status == 0 ? text : mangled;
  std::free(text);
  return demangled;
}

SymbolTable SymbolTable::OfProcess() {
  SymbolTable table;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::optional<Mapping> mapping = ParseMapping(line);
    if (!mapping) continue;
    auto file = std::find_if(table.files_.begin(), table.files_.end(),
                             [&](const File& one) { return one.path == mapping->path; });
    if (file == table.files_.end()) {
      file = table.files_.insert(file, {mapping->path, ReadElfAt(mapping->path)});
    }
    table.file_of_mapping_.push_back(static_cast<size_t>(file - table.files_.begin()));
    table.mappings_.push_back(*std::move(mapping));
  }
  return table;
}

size_t SymbolTable::MappingOf(uint64_t address) const {
  const auto behind =
      std::upper_bound(mappings_.begin(), mappings_.end(), address,
                       [](uint64_t at, const Mapping& mapping) { return at < mapping.begin; });
  if (behind == mappings_.begin() || address >= std::prev(behind)->end) return mappings_.size();
  return static_cast<size_t>(std::prev(behind) - mappings_.begin());
}

std::string SymbolTable::FunctionAt(uint64_t address) const {
  const size_t at = MappingOf(address);
  if (at == mappings_.size()) return "";
  const Mapping& mapping = mappings_[at];
  const Symbol* const symbol =
      files_[file_of_mapping_[at]].elf.FunctionAt(address - mapping.begin + mapping.offset);
  return symbol == nullptr ? "" : Demangled(symbol->name);
}

}  // namespace lockstep::profile
