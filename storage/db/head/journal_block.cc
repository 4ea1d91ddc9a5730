#include "storage/db/head/journal_block.h"

#include <zstd.h>

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/decimals.h"
#include "storage/chunk/histogram_series.h"
#include "storage/kv/space.h"

namespace lockstep {
namespace {

// Blocks without decimals are still read.
constexpr uint8_t kPlainVersion = 1;
constexpr uint8_t kPlainVersionWithStarts = 2;
constexpr uint8_t kCompressedVersion = 3;
constexpr uint8_t kBlockVersion = 4;
constexpr uint8_t kBlockVersionWithStarts = 5;
// It halves the block; the next levels win 3 % and take longer.
constexpr int kCompressionLevel = 1;
// Smaller blocks would not become much smaller.
constexpr size_t kMinCompressedBytes = 256;
// Version byte and six varints.
constexpr size_t kMaxHeaderBytes = 1 + 6 * 10;

// The number of leading bytes of the value that remain when its trailing zero bytes are dropped:
// few for whole numbers and for values that were once a float32.
int SignificantBytes(uint64_t bits) { return bits == 0 ? 0 : 8 - std::countr_zero(bits) / 8; }

// What value_sizes says of a value that is a decimal: this plus its digits behind the point.
constexpr uint8_t kDecimalCode = 9;
constexpr int kMaxDigits = 6;
constexpr int64_t kPowersOfTen[kMaxDigits + 1] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
// Such integers are floats too, so a decimal may lose zeros at its end without another value.
constexpr int64_t kMaxNumber = INT64_C(1) << 53;

using Decimal = JournalDecimal;

size_t SignedVarintLength(int64_t number) {
  return VarintLength(static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63));
}

bool IsSmall(int64_t number, int64_t limit) { return -limit < number && number < limit; }

// The decimal with the fewest digits that is this value to the last bit.
std::optional<Decimal> DecimalOf(double value) {
  if (const std::optional<int64_t> whole = AsDecimal(value, 0); whole.has_value()) {
    if (IsSmall(*whole, kMaxNumber)) return Decimal{*whole, 0};
    return std::nullopt;
  }
  const std::optional<int64_t> scaled = AsDecimal(value, kMaxDigits);
  if (!scaled.has_value() || !IsSmall(*scaled, kMaxNumber)) return std::nullopt;
  Decimal decimal{*scaled, kMaxDigits};
  for (; decimal.number % 10 == 0; decimal.number /= 10) --decimal.digits;
  return decimal;
}

// The same value with more digits, if they are few enough.
Decimal WithDigits(Decimal decimal, int digits) {
  if (digits <= decimal.digits || !IsSmall(decimal.number, INT64_C(1) << 32)) return decimal;
  return {decimal.number * kPowersOfTen[digits - decimal.digits], digits};
}

// Columns are consumed from the front; a false from any reader means the same data loss.
struct BlockReader {
  std::string_view ids;
  std::string_view times;
  std::string_view value_sizes;
  std::string_view values;
  std::string_view histograms;
  std::string_view starts;
  size_t entry_count = 0;
  size_t next_entry = 0;
  uint64_t next_start_entry = kNoEntry;
  size_t next_float = 0;
  bool has_decimals = false;
  std::optional<Decimal> last_decimal;
  int64_t last_id = 0;
  int64_t last_time_ms = 0;

  static constexpr uint64_t kNoEntry = std::numeric_limits<uint64_t>::max();

  bool ReadHeader(std::string_view block);
  bool FindStarts();
  bool ReadEntry(SeriesId& id, SampleColumns& columns);
  bool ReadStarts(SampleColumns& columns);
  bool ReadFloat(SampleColumns& columns);
  bool ReadBytes(size_t size, double& value);
  bool ReadDecimal(int digits, double& value);
  bool ReadHistograms(SampleColumns& columns);
};

bool TakeColumn(std::string_view& in, uint64_t size, std::string_view& column) {
  if (size > in.size()) return false;
  column = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

bool BlockReader::ReadHeader(std::string_view block) {
  if (block.empty()) return false;
  const auto version = static_cast<uint8_t>(block.front());
  has_decimals = version == kBlockVersion || version == kBlockVersionWithStarts;
  const bool has_starts = version == kPlainVersionWithStarts || version == kBlockVersionWithStarts;
  if (version != kPlainVersion && !has_decimals && !has_starts) return false;
  block.remove_prefix(1);
  uint64_t entries = 0, ids_bytes = 0, times_bytes = 0, value_bytes = 0, histogram_bytes = 0;
  uint64_t starts_bytes = 0;
  if (!GetVarint64(block, entries) || !GetVarint64(block, ids_bytes) ||
      !GetVarint64(block, times_bytes) || !GetVarint64(block, value_bytes) ||
      !GetVarint64(block, histogram_bytes) || (has_starts && !GetVarint64(block, starts_bytes))) {
    return false;
  }
  entry_count = entries;
  if (!TakeColumn(block, ids_bytes, ids) || !TakeColumn(block, times_bytes, times)) return false;
  size_t size_bytes = block.size();
  for (const uint64_t behind : {value_bytes, histogram_bytes, starts_bytes}) {
    if (behind > size_bytes) return false;
    size_bytes -= behind;
  }
  return TakeColumn(block, size_bytes, value_sizes) && TakeColumn(block, value_bytes, values) &&
         TakeColumn(block, histogram_bytes, histograms) &&
         TakeColumn(block, starts_bytes, starts) && FindStarts();
}

// Finds the starts of the next entry that has some.
bool BlockReader::FindStarts() {
  uint64_t skipped = 0;
  if (starts.empty()) {
    next_start_entry = kNoEntry;
    return true;
  }
  if (!GetVarint64(starts, skipped) || skipped >= entry_count - next_entry) return false;
  next_start_entry = next_entry + skipped;
  return true;
}

bool BlockReader::ReadEntry(SeriesId& id, SampleColumns& columns) {
  int64_t id_delta = 0;
  uint64_t counts = 0;
  if (!GetVarintSigned64(ids, id_delta) || !GetVarint64(ids, counts)) return false;
  last_id = static_cast<int64_t>(static_cast<uint64_t>(last_id) + static_cast<uint64_t>(id_delta));
  if (last_id < 0 || last_id > INT64_C(0xffffffff)) return false;
  id = static_cast<SeriesId>(last_id);
  columns.Clear();
  last_decimal.reset();
  for (uint64_t left = counts >> 1; left > 0; --left) {
    if (!ReadFloat(columns)) return false;
  }
  if ((counts & 1) != 0 && !ReadHistograms(columns)) return false;
  return next_entry++ != next_start_entry || ReadStarts(columns);
}

bool BlockReader::ReadStarts(SampleColumns& columns) {
  uint64_t start_ms = 0;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    int64_t difference = 0;
    if (!GetVarintSigned64(starts, difference)) return false;
    start_ms += static_cast<uint64_t>(difference);
    columns.start_timestamps_ms.push_back(static_cast<int64_t>(start_ms));
  }
  return FindStarts();
}

bool BlockReader::ReadFloat(SampleColumns& columns) {
  int64_t time_delta = 0;
  if (!GetVarintSigned64(times, time_delta)) return false;
  last_time_ms =
      static_cast<int64_t>(static_cast<uint64_t>(last_time_ms) + static_cast<uint64_t>(time_delta));
  if (next_float / 2 >= value_sizes.size()) return false;
  const auto pair = static_cast<uint8_t>(value_sizes[next_float / 2]);
  const size_t code = next_float % 2 == 0 ? pair & 15 : pair >> 4;
  ++next_float;
  double value = 0;
  const bool is_read =
      code < kDecimalCode
          ? ReadBytes(code, value)
          : has_decimals && ReadDecimal(static_cast<int>(code) - kDecimalCode, value);
  if (!is_read) return false;
  columns.Append(last_time_ms, value);
  return true;
}

bool BlockReader::ReadBytes(size_t size, double& value) {
  last_decimal.reset();
  if (size > values.size()) return false;
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) {
    bits |= uint64_t{static_cast<uint8_t>(values[i])} << (56 - 8 * i);
  }
  values.remove_prefix(size);
  value = std::bit_cast<double>(bits);
  return true;
}

bool BlockReader::ReadDecimal(int digits, double& value) {
  int64_t number = 0;
  if (!GetVarintSigned64(values, number)) return false;
  if (last_decimal.has_value() && last_decimal->digits == digits) {
    number = static_cast<int64_t>(static_cast<uint64_t>(number) +
                                  static_cast<uint64_t>(last_decimal->number));
  }
  last_decimal = {number, digits};
  IntegersToDecimals({&number, 1}, digits, &value);
  return true;
}

bool BlockReader::ReadHistograms(SampleColumns& columns) {
  return DecodeHistogramSeries(histograms, columns.histograms).ok();
}

// The block as the content of a compressed one, if that is smaller.
std::string Compress(ZSTD_CCtx& compressor, std::string block) {
  std::string compressed(1, static_cast<char>(kCompressedVersion));
  PutVarint64(compressed, block.size());
  const size_t head_bytes = compressed.size();
  // No room to become larger: zstd gives up where it would.
  compressed.resize(block.size());
  const size_t frame_bytes =
      ZSTD_compressCCtx(&compressor, compressed.data() + head_bytes, block.size() - head_bytes,
                        block.data(), block.size(), kCompressionLevel);
  if (ZSTD_isError(frame_bytes) != 0) return block;
  compressed.resize(head_bytes + frame_bytes);
  return compressed;
}

// The content of a compressed block, whose version byte is gone.
absl::StatusOr<std::string> Decompress(std::string_view in) {
  const absl::Status malformed = absl::DataLossError("a compressed journal block is malformed");
  uint64_t byte_count = 0;
  if (!GetVarint64(in, byte_count) || byte_count > kv::kMaxValueBytes) return malformed;
  std::string block(byte_count, '\0');
  const size_t found = ZSTD_decompress(block.data(), block.size(), in.data(), in.size());
  if (ZSTD_isError(found) != 0 || found != block.size()) return malformed;
  return block;
}

bool IsCompressed(std::string_view block) {
  return !block.empty() && static_cast<uint8_t>(block.front()) == kCompressedVersion;
}

}  // namespace

void JournalBlockBuilder::FreeCompressor::operator()(ZSTD_CCtx* compressor) const {
  ZSTD_freeCCtx(compressor);
}

JournalBlockBuilder::JournalBlockBuilder() : compressor_(ZSTD_createCCtx()) {
  LOCKSTEP_CHECK(compressor_ != nullptr);
}

JournalBlockBuilder::~JournalBlockBuilder() = default;

void JournalBlockBuilder::AddEntry(SeriesId id, size_t float_count, bool has_histograms) {
  PutVarintSigned64(ids_, static_cast<int64_t>(id) - static_cast<int64_t>(last_id_));
  PutVarint64(ids_, uint64_t{float_count} << 1 | (has_histograms ? 1 : 0));
  last_id_ = id;
  last_decimal_.reset();
  ++entry_count_;
}

void JournalBlockBuilder::AddTimeAndValue(int64_t timestamp_ms, double value) {
  // Wraps for times at both ends of the range, and wraps back when read.
  PutVarintSigned64(times_, static_cast<int64_t>(static_cast<uint64_t>(timestamp_ms) -
                                                 static_cast<uint64_t>(last_time_ms_)));
  last_time_ms_ = timestamp_ms;
  const auto bits = std::bit_cast<uint64_t>(value);
  const int size = SignificantBytes(bits);
  if (size > 1 && AddDecimal(value, static_cast<size_t>(size))) return;
  last_decimal_.reset();
  AddValueCode(size);
  char bytes[sizeof(bits)];
  const uint64_t big_endian = __builtin_bswap64(bits);
  std::memcpy(bytes, &big_endian, sizeof(bytes));
  values_.append(bytes, static_cast<size_t>(size));
}

// Adds the value as a decimal if it is one that takes at most `max_bytes`.
bool JournalBlockBuilder::AddDecimal(double value, size_t max_bytes) {
  std::optional<Decimal> decimal = DecimalOf(value);
  if (!decimal.has_value()) return false;
  int64_t number = decimal->number;
  if (last_decimal_.has_value()) {
    decimal = WithDigits(*decimal, last_decimal_->digits);
    number = decimal->number;
    if (decimal->digits == last_decimal_->digits) number -= last_decimal_->number;
  }
  if (SignedVarintLength(number) > max_bytes) return false;
  AddValueCode(kDecimalCode + decimal->digits);
  PutVarintSigned64(values_, number);
  last_decimal_ = decimal;
  return true;
}

void JournalBlockBuilder::AddValueCode(int code) {
  if (float_count_ % 2 == 0) {
    value_sizes_.push_back(static_cast<char>(code));
  } else {
    value_sizes_.back() = static_cast<char>(static_cast<uint8_t>(value_sizes_.back()) | code << 4);
  }
  ++float_count_;
}

// Begins the starts of the entry that was added last.
void JournalBlockBuilder::BeginStarts() {
  const size_t entry = entry_count_ - 1;
  PutVarint64(starts_, entry - next_start_entry_);
  next_start_entry_ = entry + 1;
}

// One start for each value, whether it is known or not.
void JournalBlockBuilder::AddStarts(const SampleColumns& columns) {
  BeginStarts();
  int64_t before_ms = 0;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    PutVarintSigned64(starts_, static_cast<int64_t>(static_cast<uint64_t>(columns.StartOf(i)) -
                                                    static_cast<uint64_t>(before_ms)));
    before_ms = columns.StartOf(i);
  }
}

void JournalBlockBuilder::Add(SeriesId id, const SampleColumns& columns) {
  AddEntry(id, columns.values.size(), !columns.histograms.empty());
  for (size_t i = 0; i < columns.values.size(); ++i) {
    AddTimeAndValue(columns.timestamps_ms[i], columns.values[i]);
  }
  if (!columns.histograms.empty()) EncodeHistogramSeries(histograms_, columns.histograms);
  if (!columns.start_timestamps_ms.empty()) AddStarts(columns);
}

void JournalBlockBuilder::Add(SeriesId id, Sample sample, int64_t start_timestamp_ms) {
  AddEntry(id, 1, false);
  AddTimeAndValue(sample.timestamp_ms, sample.value);
  if (start_timestamp_ms == 0) return;
  BeginStarts();
  PutVarintSigned64(starts_, start_timestamp_ms);
}

size_t JournalBlockBuilder::byte_count() const {
  return kMaxHeaderBytes + ids_.size() + times_.size() + value_sizes_.size() + values_.size() +
         histograms_.size() + starts_.size();
}

std::string JournalBlockBuilder::Finish() {
  std::string block = TakeColumns();
  return block.size() < kMinCompressedBytes ? block : Compress(*compressor_, std::move(block));
}

std::string JournalBlockBuilder::TakeColumns() {
  std::string block;
  block.reserve(byte_count());
  block.push_back(static_cast<char>(starts_.empty() ? kBlockVersion : kBlockVersionWithStarts));
  PutVarint64(block, entry_count_);
  PutVarint64(block, ids_.size());
  PutVarint64(block, times_.size());
  PutVarint64(block, values_.size());
  PutVarint64(block, histograms_.size());
  if (!starts_.empty()) PutVarint64(block, starts_.size());
  for (std::string* column : {&ids_, &times_, &value_sizes_, &values_, &histograms_, &starts_}) {
    block += *column;
    column->clear();
  }
  entry_count_ = 0;
  next_start_entry_ = 0;
  float_count_ = 0;
  last_id_ = 0;
  last_time_ms_ = 0;
  return block;
}

absl::Status ReadJournalBlock(
    std::string_view block,
    absl::FunctionRef<absl::Status(SeriesId id, const SampleColumns& columns)> entry) {
  const absl::Status malformed = absl::DataLossError("a journal block is malformed");
  std::string content;
  if (IsCompressed(block)) {
    LOCKSTEP_ASSIGN_OR_RETURN(content, Decompress(block.substr(1)));
    block = content;
  }
  BlockReader reader;
  if (!reader.ReadHeader(block)) return malformed;
  SeriesId id = 0;
  SampleColumns columns;
  for (size_t i = 0; i < reader.entry_count; ++i) {
    if (!reader.ReadEntry(id, columns)) return malformed;
    LOCKSTEP_RETURN_IF_ERROR(entry(id, columns));
  }
  const bool all_read = reader.ids.empty() && reader.times.empty() && reader.values.empty() &&
                        reader.histograms.empty() && reader.starts.empty() &&
                        (reader.next_float + 1) / 2 == reader.value_sizes.size();
  return all_read ? absl::OkStatus() : malformed;
}

}  // namespace lockstep
