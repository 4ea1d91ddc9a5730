#include "import/traces/tensorboard/tensor_scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <protozero/pbf_writer.hpp>
#include <string>

namespace lockstep::traces {
namespace {

// A TensorProto of type `type`, with what `put` adds.
template <typename Put>
std::string TensorOf(int type, const Put& put) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_enum(1, type);
  put(writer);
  return message;
}

template <typename T>
std::string ContentOf(int type, T value) {
  return TensorOf(type, [&](protozero::pbf_writer& writer) {
    writer.add_bytes(4, std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
  });
}

void Check(const std::string& tensor, std::optional<double> expected) {
  const std::optional<double> read = ReadTensorScalar(tensor);
  ASSERT_EQ(read.has_value(), expected.has_value());
  if (!read.has_value()) return;
  if (std::isnan(*expected)) {
    EXPECT_TRUE(std::isnan(*read));
  } else {
    EXPECT_EQ(*read, *expected);
  }
}

TEST(TensorScalarTest, ReadsTheContentOfEveryType) {
  Check(ContentOf<float>(1, 1.5f), 1.5);
  Check(ContentOf<double>(2, -0.1), -0.1);
  Check(ContentOf<int32_t>(3, -7), -7);
  Check(ContentOf<uint8_t>(4, 200), 200);
  Check(ContentOf<int16_t>(5, -300), -300);
  Check(ContentOf<int8_t>(6, -3), -3);
  Check(ContentOf<int64_t>(9, int64_t{1} << 40), 1099511627776.0);
  Check(ContentOf<uint8_t>(10, 1), 1);
  Check(ContentOf<uint16_t>(14, 0x4049), 3.140625);  // bfloat16 of pi
  Check(ContentOf<uint16_t>(17, 65535), 65535);
  Check(ContentOf<uint16_t>(19, 0x4248), 3.140625);  // half of pi
  Check(ContentOf<uint16_t>(19, 0x0001), 0x1p-24);
  Check(ContentOf<uint16_t>(19, 0xfc00), -std::numeric_limits<double>::infinity());
  Check(ContentOf<uint16_t>(19, 0x7e00), std::numeric_limits<double>::quiet_NaN());
  Check(ContentOf<uint32_t>(22, 4'000'000'000), 4e9);
  Check(ContentOf<uint64_t>(23, uint64_t{1} << 60), 0x1p60);
}

TEST(TensorScalarTest, ReadsTheFieldsOfEveryType) {
  const float one_float[] = {2.5f};
  const int32_t half[] = {0x3c00};
  Check(TensorOf(1, [&](auto& w) { w.add_packed_float(5, one_float, one_float + 1); }), 2.5);
  Check(TensorOf(1, [](auto& w) { w.add_float(5, 0.25f); }), 0.25);
  Check(TensorOf(1, [](auto& w) { w.add_float(5, std::nanf("")); }),
        std::numeric_limits<double>::quiet_NaN());
  Check(TensorOf(2, [](auto& w) { w.add_double(6, 1e300); }), 1e300);
  Check(TensorOf(3, [](auto& w) { w.add_int32(7, -5); }), -5);
  Check(TensorOf(9, [](auto& w) { w.add_int64(10, -6); }), -6);
  Check(TensorOf(10, [](auto& w) { w.add_bool(11, true); }), 1);
  Check(TensorOf(19, [&](auto& w) { w.add_packed_int32(13, half, half + 1); }), 1);
  Check(TensorOf(14, [](auto& w) { w.add_int32(13, 0x3f80); }), 1);
  Check(TensorOf(22, [](auto& w) { w.add_uint32(16, 9); }), 9);
  Check(TensorOf(23, [](auto& w) { w.add_uint64(17, 10); }), 10);
}

void PutShape(protozero::pbf_writer& tensor, std::initializer_list<int64_t> sizes) {
  protozero::pbf_writer shape(tensor, 2);
  for (const int64_t size : sizes) {
    protozero::pbf_writer dimension(shape, 2);
    dimension.add_int64(1, size);
  }
}

TEST(TensorScalarTest, TakesOneElementAlone) {
  const auto shaped = [](std::initializer_list<int64_t> sizes) {
    return TensorOf(1, [&](auto& w) {
      PutShape(w, sizes);
      w.add_float(5, 1);
    });
  };
  Check(shaped({}), 1);
  Check(shaped({1}), 1);
  Check(shaped({1, 1}), 1);
  // Repeated elements may be written once: this tensor has three.
  Check(shaped({3}), std::nullopt);
  Check(shaped({0}), std::nullopt);
  Check(shaped({int64_t{1} << 62, 4}), std::nullopt);
  const float two[] = {1, 2};
  Check(TensorOf(1, [&](auto& w) { w.add_packed_float(5, two, two + 2); }), std::nullopt);
  Check(TensorOf(7, [](auto& w) { w.add_string(8, "text"); }), std::nullopt);
  Check(ContentOf<uint64_t>(1, 0), std::nullopt);  // two floats
  Check(ContentOf<uint64_t>(8, 0), std::nullopt);  // a complex number
  Check("", std::nullopt);
}

}  // namespace
}  // namespace lockstep::traces
