#include "ingest/otlp/protobuf/plain_points.h"

#include <bit>

#include "ingest/remote_write/wire_bytes.h"

namespace lockstep::otlp {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint8_t kStartTag = WireTag(2, WireType::kFixed64);
constexpr uint8_t kTimeTag = WireTag(3, WireType::kFixed64);

// Reads after the tag.
template <typename Number>
bool TakeFixed64(WireBytes& in, Number& number) {
  static_assert(sizeof(number) == 8);
  if (in.size() < sizeof(number)) return false;
  std::memcpy(&number, in.at, sizeof(number));
  in.at += sizeof(number);
  return true;
}

bool TakeNumbers(WireBytes& in, PlainNumbers& numbers) {
  WireBytes packed{};
  if (numbers.size() != 0 || !TakeMessage(in, packed) || packed.size() % 8 != 0) return false;
  numbers = PlainNumbers(TextOf(packed));
  return true;
}

// Takes consecutive attributes, starting with the tag at `in`; not plain if there were others
// before.
bool TakeAttributes(WireBytes& in, uint8_t tag, std::string_view& attributes) {
  if (!attributes.empty()) return false;
  const uint8_t* const begin = in.at;
  // At least two bytes remain, so a tag and a one-byte length need no bounds check.
  while (in.size() >= 2 && in.at[0] == tag && in.at[1] < 0x80 && in.size() - 2 >= in.at[1]) {
    in.at += 2 + in.at[1];
  }
  while (in.StartsWith(tag)) {
    ++in.at;
    WireBytes attribute{};
    if (!TakeMessage(in, attribute)) return false;
  }
  attributes = {reinterpret_cast<const char*>(begin), static_cast<size_t>(in.at - begin)};
  return true;
}

// Senders write zero flags for points with a value.
bool TakeNoFlags(WireBytes& in) {
  uint64_t flags = 0;
  return TakeVarint(in, flags) && flags == 0;
}

}  // namespace

bool ReadPlainPoint(std::string_view message, PlainNumberPoint& point) {
  constexpr uint8_t kDoubleTag = WireTag(4, WireType::kFixed64);
  constexpr uint8_t kIntegerTag = WireTag(6, WireType::kFixed64);
  constexpr uint8_t kAttributeTag = WireTag(7, WireType::kLengthDelimited);
  constexpr uint8_t kFlagsTag = WireTag(8, WireType::kVarint);
  point = PlainNumberPoint();
  WireBytes in = WireBytes::Of(message);
  int64_t integer = 0;
  bool is_plain = true;
  while (is_plain && !in.empty()) {
    if (*in.at == kAttributeTag) {
      is_plain = TakeAttributes(in, kAttributeTag, point.attributes);
      continue;
    }
    switch (*in.at++) {
      case kStartTag:
        is_plain = TakeFixed64(in, point.start_ns);
        break;
      case kTimeTag:
        is_plain = TakeFixed64(in, point.time_ns);
        break;
      case kDoubleTag:
        is_plain = TakeFixed64(in, point.value);
        break;
      case kIntegerTag:
        is_plain = TakeFixed64(in, integer);
        point.value = static_cast<double>(integer);
        break;
      case kFlagsTag:
        is_plain = TakeNoFlags(in);
        break;
      default:
        is_plain = false;
    }
  }
  return is_plain;
}

bool ReadPlainPoint(std::string_view message, PlainHistogramPoint& point) {
  constexpr uint8_t kCountTag = WireTag(4, WireType::kFixed64);
  constexpr uint8_t kSumTag = WireTag(5, WireType::kFixed64);
  constexpr uint8_t kBucketCountsTag = WireTag(6, WireType::kLengthDelimited);
  constexpr uint8_t kBoundsTag = WireTag(7, WireType::kLengthDelimited);
  constexpr uint8_t kAttributeTag = WireTag(9, WireType::kLengthDelimited);
  constexpr uint8_t kFlagsTag = WireTag(10, WireType::kVarint);
  constexpr uint8_t kMinTag = WireTag(11, WireType::kFixed64);
  constexpr uint8_t kMaxTag = WireTag(12, WireType::kFixed64);
  point = PlainHistogramPoint();
  WireBytes in = WireBytes::Of(message);
  double ignored = 0;
  bool is_plain = true;
  while (is_plain && !in.empty()) {
    if (*in.at == kAttributeTag) {
      is_plain = TakeAttributes(in, kAttributeTag, point.attributes);
      continue;
    }
    switch (*in.at++) {
      case kStartTag:
        is_plain = TakeFixed64(in, point.start_ns);
        break;
      case kTimeTag:
        is_plain = TakeFixed64(in, point.time_ns);
        break;
      case kCountTag:
        is_plain = TakeFixed64(in, point.count);
        break;
      case kSumTag:
        point.has_sum = true;
        is_plain = TakeFixed64(in, point.sum);
        break;
      case kBucketCountsTag:
        is_plain = TakeNumbers(in, point.bucket_counts);
        break;
      case kBoundsTag:
        is_plain = TakeNumbers(in, point.bounds);
        break;
      case kFlagsTag:
        is_plain = TakeNoFlags(in);
        break;
      case kMinTag:
      case kMaxTag:
        is_plain = TakeFixed64(in, ignored);
        break;
      default:
        is_plain = false;
    }
  }
  return is_plain;
}

}  // namespace lockstep::otlp
