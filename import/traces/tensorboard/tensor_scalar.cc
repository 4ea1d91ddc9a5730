#include "import/traces/tensorboard/tensor_scalar.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <protozero/pbf_reader.hpp>

namespace lockstep::traces {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

enum DataType : int32_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

// IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction.
double HalfValue(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// The upper half of a float.
double Bfloat16Value(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

template <typename T>
std::optional<double> OneOf(std::string_view content) {
  if (content.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, content.data(), sizeof(value));
  return static_cast<double>(value);
}

std::optional<double> ReadContent(std::string_view content, int32_t type) {
  switch (type) {
    case kFloat:
      return OneOf<float>(content);
    case kDouble:
      return OneOf<double>(content);
    case kInt32:
      return OneOf<int32_t>(content);
    case kUint8:
    case kBool:
      return OneOf<uint8_t>(content);
    case kInt16:
      return OneOf<int16_t>(content);
    case kInt8:
      return OneOf<int8_t>(content);
    case kInt64:
      return OneOf<int64_t>(content);
    case kUint16:
      return OneOf<uint16_t>(content);
    case kUint32:
      return OneOf<uint32_t>(content);
    case kUint64:
      return OneOf<uint64_t>(content);
    case kHalf:
      if (const auto bits = OneOf<uint16_t>(content)) {
        return HalfValue(static_cast<uint16_t>(*bits));
      }
      return std::nullopt;
    case kBfloat16:
      if (const auto bits = OneOf<uint16_t>(content)) {
        return Bfloat16Value(static_cast<uint16_t>(*bits));
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// The elements of the typed fields.
struct Elements {
  size_t count = 0;
  double last = 0;

  void Add(double value) {
    ++count;
    last = value;
  }
};

// Reads the current field: a packed list, or one element of wire type `single_type`.
template <typename Packed, typename Single, typename Convert>
void AddElements(protozero::pbf_reader& reader, Packed packed, pbf_wire_type single_type,
                 Single single, const Convert& convert, Elements& elements) {
  if (reader.wire_type() == pbf_wire_type::length_delimited) {
    for (const auto value : (reader.*packed)()) elements.Add(convert(value));
  } else if (reader.wire_type() == single_type) {
    elements.Add(convert((reader.*single)()));
  } else {
    reader.skip();
  }
}

template <typename Packed, typename Single>
void AddElements(protozero::pbf_reader& reader, Packed packed, pbf_wire_type single_type,
                 Single single, Elements& elements) {
  AddElements(
      reader, packed, single_type, single, [](auto value) { return static_cast<double>(value); },
      elements);
}

double SmallFloatValue(int32_t bits, int32_t type) {
  const auto low = static_cast<uint16_t>(bits);
  return type == kBfloat16 ? Bfloat16Value(low) : HalfValue(low);
}

// The element count of the shape; a scalar has no dimension.
uint64_t ElementsOfShape(std::string_view shape) {
  uint64_t count = 1;
  protozero::pbf_reader reader(shape);
  while (reader.next(2, pbf_wire_type::length_delimited)) {
    uint64_t size = 0;
    protozero::pbf_reader dimension(reader.get_view());
    while (dimension.next(1, pbf_wire_type::varint)) size = dimension.get_uint64();
    // Only "more than one" matters, which avoids overflow of products.
    count = size == 0 ? 0 : (size == 1 ? count : 2);
    if (count == 0) break;
  }
  return count;
}

int32_t TypeOf(std::string_view tensor_proto) {
  int32_t type = 0;
  protozero::pbf_reader reader(tensor_proto);
  while (reader.next(1, pbf_wire_type::varint)) type = reader.get_int32();
  return type;
}

// Reads the current field if it holds elements.
void ReadElements(protozero::pbf_reader& reader, int32_t type, Elements& elements) {
  using Reader = protozero::pbf_reader;
  constexpr auto kVarint = pbf_wire_type::varint;
  switch (reader.tag()) {
    case 5:
      return AddElements(reader, &Reader::get_packed_float, pbf_wire_type::fixed32,
                         &Reader::get_float, elements);
    case 6:
      return AddElements(reader, &Reader::get_packed_double, pbf_wire_type::fixed64,
                         &Reader::get_double, elements);
    case 7:
      return AddElements(reader, &Reader::get_packed_int32, kVarint, &Reader::get_int32, elements);
    case 10:
      return AddElements(reader, &Reader::get_packed_int64, kVarint, &Reader::get_int64, elements);
    case 11:
      return AddElements(reader, &Reader::get_packed_bool, kVarint, &Reader::get_bool, elements);
    case 13:
      return AddElements(
          reader, &Reader::get_packed_int32, kVarint, &Reader::get_int32,
          [type](int32_t bits) { return SmallFloatValue(bits, type); }, elements);
    case 16:
      return AddElements(reader, &Reader::get_packed_uint32, kVarint, &Reader::get_uint32,
                         elements);
    case 17:
      return AddElements(reader, &Reader::get_packed_uint64, kVarint, &Reader::get_uint64,
                         elements);
    default:
      reader.skip();
  }
}

}  // namespace

std::optional<double> ReadTensorScalar(std::string_view tensor_proto) {
  const int32_t type = TypeOf(tensor_proto);
  Elements elements;
  std::string_view content;
  protozero::pbf_reader reader(tensor_proto);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(2, pbf_wire_type::length_delimited):
        if (ElementsOfShape(reader.get_view()) != 1) return std::nullopt;
        break;
      case tag_and_type(4, pbf_wire_type::length_delimited):
        content = reader.get_view();
        break;
      default:
        ReadElements(reader, type, elements);
    }
  }
  if (!content.empty()) return ReadContent(content, type);
  if (elements.count != 1) return std::nullopt;
  return elements.last;
}

}  // namespace lockstep::traces
