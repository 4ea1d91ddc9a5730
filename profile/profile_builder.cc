#include "profile/profile_builder.h"

#include <zlib.h>

#include <utility>

#include "base/check.h"

namespace lockstep::profile {
namespace {

// Field numbers of the messages.
namespace profile_field {
constexpr uint32_t kSampleType = 1, kSample = 2, kMapping = 3, kLocation = 4, kFunction = 5,
                   kStringTable = 6, kTimeNanos = 9, kDurationNanos = 10, kPeriodType = 11,
                   kPeriod = 12, kComment = 13, kDefaultSampleType = 14;
}  // namespace profile_field
namespace value_type_field {
constexpr uint32_t kType = 1, kUnit = 2;
}  // namespace value_type_field
namespace sample_field {
constexpr uint32_t kLocationId = 1, kValue = 2;
}  // namespace sample_field
namespace mapping_field {
constexpr uint32_t kId = 1, kMemoryStart = 2, kMemoryLimit = 3, kFileOffset = 4, kFilename = 5,
                   kHasFunctions = 7;
}  // namespace mapping_field
namespace location_field {
constexpr uint32_t kId = 1, kMappingId = 2, kAddress = 3, kLine = 4;
}  // namespace location_field
namespace line_field {
constexpr uint32_t kFunctionId = 1;
}  // namespace line_field
namespace function_field {
constexpr uint32_t kId = 1, kName = 2, kSystemName = 3;
}  // namespace function_field

void PutVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void PutNumber(uint32_t field, uint64_t value, std::string& out) {
  PutVarint(uint64_t{field} << 3, out);
  PutVarint(value, out);
}

void PutBytes(uint32_t field, std::string_view bytes, std::string& out) {
  constexpr uint64_t kLengthDelimited = 2;
  PutVarint(uint64_t{field} << 3 | kLengthDelimited, out);
  PutVarint(bytes.size(), out);
  out += bytes;
}

std::string Gzip(const std::string& plain) {
  constexpr int kGzipBits = 16 + MAX_WBITS;
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  LOCKSTEP_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipBits, kMemoryLevel,
                              Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  LOCKSTEP_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

ProfileBuilder::ProfileBuilder(std::vector<ValueType> types) {
  TextNumber("");  // the empty text always comes first
  for (const ValueType& type : types) {
    std::string message;
    PutNumber(value_type_field::kType, TextNumber(type.type), message);
    PutNumber(value_type_field::kUnit, TextNumber(type.unit), message);
    PutBytes(profile_field::kSampleType, message, out_);
  }
  if (!types.empty()) {
    PutNumber(profile_field::kDefaultSampleType, TextNumber(types.back().type), out_);
  }
}

void ProfileBuilder::AddStack(std::span<const uint64_t> stack, std::span<const int64_t> values,
                              const SymbolTable& table) {
  table_ = &table;
  std::vector<uint64_t> locations;
  for (size_t i = 0; i < stack.size(); ++i) {
    // A call precedes its return address, which may already belong to the next function.
    locations.push_back(LocationOf(i == 0 ? stack[i] : stack[i] - 1, table));
  }
  AddSample(locations, values);
}

void ProfileBuilder::AddNames(std::span<const std::string_view> stack,
                              std::span<const int64_t> values) {
  std::vector<uint64_t> locations;
  for (const std::string_view name : stack) locations.push_back(LocationNamed(name));
  AddSample(locations, values);
}

void ProfileBuilder::SetTime(int64_t begin_ns, int64_t duration_ns) {
  PutNumber(profile_field::kTimeNanos, static_cast<uint64_t>(begin_ns), out_);
  PutNumber(profile_field::kDurationNanos, static_cast<uint64_t>(duration_ns), out_);
}

void ProfileBuilder::SetPeriod(const ValueType& type, int64_t period) {
  std::string message;
  PutNumber(value_type_field::kType, TextNumber(type.type), message);
  PutNumber(value_type_field::kUnit, TextNumber(type.unit), message);
  PutBytes(profile_field::kPeriodType, message, out_);
  PutNumber(profile_field::kPeriod, static_cast<uint64_t>(period), out_);
}

void ProfileBuilder::AddComment(std::string_view comment) {
  PutNumber(profile_field::kComment, TextNumber(comment), out_);
}

std::string ProfileBuilder::Finish() {
  out_ += MappingMessages();
  for (const std::string& text : texts_) PutBytes(profile_field::kStringTable, text, out_);
  return Gzip(std::exchange(out_, std::string()));
}

uint64_t ProfileBuilder::TextNumber(std::string_view text) {
  const auto [entry, is_new] = text_numbers_.try_emplace(std::string(text), texts_.size());
  if (is_new) texts_.emplace_back(text);
  return entry->second;
}

uint64_t ProfileBuilder::FunctionNumber(std::string_view name) {
  const auto [entry, is_new] = functions_.try_emplace(std::string(name), functions_.size() + 1);
  const uint64_t number = entry->second;
  if (!is_new) return number;
  std::string message;
  PutNumber(function_field::kId, number, message);
  PutNumber(function_field::kName, TextNumber(name), message);
  PutNumber(function_field::kSystemName, TextNumber(name), message);
  PutBytes(profile_field::kFunction, message, out_);
  return number;
}

uint64_t ProfileBuilder::LocationOf(uint64_t address, const SymbolTable& table) {
  const auto [entry, is_new] = locations_.try_emplace(address, location_count_ + 1);
  const uint64_t number = entry->second;
  if (!is_new) return number;
  ++location_count_;
  std::string message;
  PutNumber(location_field::kId, number, message);
  PutNumber(location_field::kAddress, address, message);
  const std::string function = table.FunctionAt(address);
  if (const size_t mapping = table.MappingOf(address); mapping < table.mappings().size()) {
    PutNumber(location_field::kMappingId, mapping + 1, message);
    bool& all_known = mappings_.try_emplace(mapping, true).first->second;
    all_known = all_known && !function.empty();
    mapping_paths_.try_emplace(mapping, TextNumber(table.mappings()[mapping].path));
  }
  if (!function.empty()) {
    std::string line;
    PutNumber(line_field::kFunctionId, FunctionNumber(function), line);
    PutBytes(location_field::kLine, line, message);
  }
  PutBytes(profile_field::kLocation, message, out_);
  return number;
}

uint64_t ProfileBuilder::LocationNamed(std::string_view name) {
  const auto [entry, is_new] = named_locations_.try_emplace(std::string(name), location_count_ + 1);
  const uint64_t number = entry->second;
  if (!is_new) return number;
  ++location_count_;
  std::string line;
  PutNumber(line_field::kFunctionId, FunctionNumber(name), line);
  std::string message;
  PutNumber(location_field::kId, number, message);
  PutBytes(location_field::kLine, line, message);
  PutBytes(profile_field::kLocation, message, out_);
  return number;
}

void ProfileBuilder::AddSample(const std::vector<uint64_t>& locations,
                               std::span<const int64_t> values) {
  std::string message;
  for (const uint64_t location : locations) {
    PutNumber(sample_field::kLocationId, location, message);
  }
  for (const int64_t value : values) {
    PutNumber(sample_field::kValue, static_cast<uint64_t>(value), message);
  }
  PutBytes(profile_field::kSample, message, out_);
}

std::string ProfileBuilder::MappingMessages() const {
  std::string messages;
  for (const auto& [number, all_known] : mappings_) {
    const Mapping& mapping = table_->mappings()[number];
    std::string message;
    PutNumber(mapping_field::kId, number + 1, message);
    PutNumber(mapping_field::kMemoryStart, mapping.begin, message);
    PutNumber(mapping_field::kMemoryLimit, mapping.end, message);
    PutNumber(mapping_field::kFileOffset, mapping.offset, message);
    PutNumber(mapping_field::kFilename, mapping_paths_.at(number), message);
    // Readers look up missing names themselves if they have the file.
    PutNumber(mapping_field::kHasFunctions, all_known ? 1 : 0, message);
    PutBytes(profile_field::kMapping, message, messages);
  }
  return messages;
}

}  // namespace lockstep::profile
