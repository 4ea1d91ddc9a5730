#include "storage/chunk/value_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "model/sample.h"
#include "storage/chunk/codec_test_support.h"
#include "storage/chunk/decimal_codec.h"
#include "storage/chunk/xor_codec.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

double FromBits(uint64_t bits) { return std::bit_cast<double>(bits); }

std::vector<uint64_t> AllBits(const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<uint64_t>(value));
  return bits;
}

std::string Encode(const std::vector<double>& values) {
  std::string bytes;
  EncodeValues(bytes, values);
  return bytes;
}

// Through the chooser, and through every form that can hold the values.
void ExpectRoundTrip(const std::vector<double>& values) {
  const auto expect = [&](const std::string& bytes, auto decode) {
    std::string_view in = bytes;
    std::vector<double> decoded = {4711};
    const absl::Status status = decode(in, values.size(), decoded);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(AllBits(decoded), AllBits(values));
    EXPECT_EQ(in, "rest");
  };
  expect(Encode(values) + "rest", DecodeValues);
  std::string bytes;
  EncodeXor(bytes, values);
  expect(bytes + "rest", DecodeXor);
  std::string decimal;
  if (EncodeDecimal(decimal, values)) expect(decimal + "rest", DecodeDecimal);
}

std::vector<std::vector<double>> Cases() {
  return {
      {},
      {0.0},
      {-0.0},
      {0.0, -0.0, 0.0, -0.0},
      {StaleNan()},
      {1.5, 2.5, 3.5, StaleNan()},
      {FromBits(0x7ff8000000000001), FromBits(0xfff8dead0000beef), FromBits(0x7ff0000000000001)},
      {kInf, -kInf, kInf, 1, -1},
      {kDenormal, -kDenormal, kLargest, -kLargest},
      {1e308, 1e-308, 1e22, 1e23, 0.1, 0.2, 0.30000000000000004},
      {9007199254740991, 9007199254740992, 9007199254740994, -9007199254740992},
      {0.01, 0.02, 123456.78, 99.99, 0.1, 1e-16, 1e-17},
      {1.0 / 3, 2.0 / 3, 4.0 / 3, 1e300 / 7},
      {FromBits(0), FromBits(~uint64_t{0}), FromBits(0), FromBits(1)},
      {1, 1, 1, 1, 2, 1, 1, 1, 1},
  };
}

TEST(ValueCodec, RoundTripsEdges) {
  for (const auto& values : Cases()) ExpectRoundTrip(values);
}

TEST(ValueCodec, RoundTripsRandomBitPatterns) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values(random() % 50);
    for (double& value : values) value = FromBits(random() >> (random() % 64) << (random() % 64));
    ExpectRoundTrip(values);
  }
}

TEST(ValueCodec, RoundTripsRandomDecimalsWithMarkersAmongThem) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const double scale = std::pow(10, static_cast<double>(random() % 18));
    std::vector<double> values(random() % 50);
    for (double& value : values) {
      value = static_cast<double>(static_cast<int64_t>(random() >> (11 + random() % 40))) / scale;
      if (random() % 20 == 0) value = StaleNan();
      if (random() % 20 == 0) value = -value;
    }
    ExpectRoundTrip(values);
  }
}

ValueForm FormOf(const std::vector<double>& values) {
  return static_cast<ValueForm>(Encode(values).front());
}

TEST(ValueCodec, ChoosesTheFormThatFits) {
  EXPECT_EQ(FormOf(std::vector<double>(100, FromBits(0x7ff8000000000001))), ValueForm::kConstant);
  std::vector<double> watts, halves, noise;
  std::mt19937_64 random(6);
  for (int i = 0; i < 120; ++i) {
    watts.push_back(static_cast<double>(500000 + random() % 100000) / 1000);
    halves.push_back(std::ldexp(1.0, -60 - i % 3));
    noise.push_back(FromBits(random()));
  }
  EXPECT_EQ(FormOf(watts), ValueForm::kDecimal);
  EXPECT_EQ(FormOf(halves), ValueForm::kXor);
  EXPECT_EQ(FormOf(noise), ValueForm::kRaw);
  watts.push_back(StaleNan());
  EXPECT_EQ(FormOf(watts), ValueForm::kDecimal);
}

TEST(ValueCodec, NeverMuchLongerThanRaw) {
  for (const auto& values : Cases()) EXPECT_LE(Encode(values).size(), 8 * values.size() + 1);
}

TEST(ValueCodec, DecimalRefusesWhatIsNoDecimal) {
  std::string bytes = "before";
  EXPECT_FALSE(EncodeDecimal(bytes, std::vector<double>(100, 1.0 / 3000)));
  EXPECT_EQ(bytes, "before");
}

TEST(ValueCodec, DamageIsAStatus) {
  for (const auto& values : Cases()) {
    const auto decode = [&](std::string_view in) {
      std::vector<double> decoded;
      return DecodeValues(in, values.size(), decoded);
    };
    ExpectEveryTruncationFails(Encode(values), decode);
    ExpectDamageIsSurvived(Encode(values), decode);
    std::string xors;
    EncodeXor(xors, values);
    ExpectDamageIsSurvived(xors, [&](std::string_view in) {
      std::vector<double> decoded;
      return DecodeXor(in, values.size(), decoded);
    });
  }
}

TEST(ValueCodec, UnknownFormIsRefused) {
  std::string_view in = "\x04 and more";
  std::vector<double> decoded;
  EXPECT_EQ(DecodeValues(in, 1, decoded).code(), absl::StatusCode::kDataLoss);
}

TEST(ValueCodec, WritesTheDecimalExampleOfTheFormatPage) {
  const std::vector<double> values = {0.5, StaleNan(), 1.5};
  const std::string page = FormatPageExample("chunk.md", "decimal");
  std::string_view in = page;
  std::vector<double> decoded;
  ASSERT_TRUE(DecodeValues(in, 3, decoded).ok());
  EXPECT_EQ(AllBits(decoded), AllBits(values));
  std::string bytes(1, static_cast<char>(ValueForm::kDecimal));
  ASSERT_TRUE(EncodeDecimal(bytes, values));
  EXPECT_EQ(bytes, page);
}

TEST(ValueCodec, WritesTheXorExampleOfTheFormatPage) {
  std::string bytes;
  EncodeXor(bytes, std::vector<double>{1, 1, 2});
  EXPECT_EQ(bytes, FormatPageExample("chunk.md", "xor"));
}

}  // namespace
}  // namespace lockstep
