// ProfileBuilder: a profile in pprof's format, gzip-compressed profile.proto. Source:
// github.com/google/pprof, proto/profile.proto. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/symbol_table.h"

namespace lockstep::profile {

struct ValueType {
  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
};

class ProfileBuilder {
 public:
  // The value types of each sample; readers show the last one by default.
  explicit ProfileBuilder(std::vector<ValueType> types);

  // `stack` contains addresses, innermost first; all but the first are return addresses. There must
  // be one value per type. `table` must outlive the builder.
  void AddStack(std::span<const uint64_t> stack, std::span<const int64_t> values,
                const SymbolTable& table);
  // The same, with names instead of addresses.
  void AddNames(std::span<const std::string_view> stack, std::span<const int64_t> values);

  void SetTime(int64_t begin_ns, int64_t duration_ns);
  // Sets the amount of `type` between two samples.
  void SetPeriod(const ValueType& type, int64_t period);
  void AddComment(std::string_view comment);

  // Returns the gzip-compressed profile. Call it once.
  std::string Finish();

 private:
  uint64_t TextNumber(std::string_view text);
  uint64_t FunctionNumber(std::string_view name);
  uint64_t LocationOf(uint64_t address, const SymbolTable& table);
  uint64_t LocationNamed(std::string_view name);
  void AddSample(const std::vector<uint64_t>& locations, std::span<const int64_t> values);
  std::string MappingMessages() const;

  std::string out_;  // the profile's messages, in any order
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint64_t> text_numbers_;
  absl::flat_hash_map<std::string, uint64_t> functions_;
  absl::flat_hash_map<uint64_t, uint64_t> locations_;  // by address
  absl::flat_hash_map<std::string, uint64_t> named_locations_;
  uint64_t location_count_ = 0;
  const SymbolTable* table_ = nullptr;
  std::map<size_t, bool> mappings_;  // used mappings, and whether all their functions are known
  std::map<size_t, uint64_t> mapping_paths_;
};

}  // namespace lockstep::profile
