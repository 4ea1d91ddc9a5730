#include "storage/chunk/value_columns.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/coding.h"
#include "model/sample.h"
#include "storage/chunk/codec_testing.h"
#include "storage/chunk/decimals.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

double FromBits(uint64_t bits) { return std::bit_cast<double>(bits); }

std::vector<uint64_t> AllBits(const Values& values) {
  std::vector<uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<uint64_t>(value));
  return bits;
}

std::string Write(const std::vector<Values>& series) {
  ValueColumnsWriter writer;
  for (const Values& values : series) writer.Add(values);
  std::string bytes;
  writer.Finish(bytes);
  return bytes;
}

std::vector<uint32_t> Counts(const std::vector<Values>& series) {
  std::vector<uint32_t> counts;
  for (const Values& values : series) counts.push_back(static_cast<uint32_t>(values.size()));
  return counts;
}

void ExpectValuesRoundTrip(const std::vector<Values>& series) {
  const std::string bytes = Write(series) + "rest";
  std::string_view in = bytes;
  ValueColumnsReader reader;
  ASSERT_TRUE(reader.Open(in, Counts(series)));
  EXPECT_EQ(in, "rest");
  for (size_t i = series.size(); i-- > 0;) {
    for (const size_t count : {series[i].size(), series[i].size() / 2 + 1}) {
      Values read(count, 4711);
      ASSERT_TRUE(reader.ReadFirst(i, read)) << "series " << i;
      const Values first(series[i].begin(), series[i].begin() + static_cast<ptrdiff_t>(count));
      EXPECT_EQ(AllBits(read), AllBits(first)) << "series " << i;
    }
  }
}

absl::Status Read(std::string_view in, const std::vector<uint32_t>& counts) {
  ValueColumnsReader reader;
  if (!reader.Open(in, counts)) return absl::DataLossError("open");
  for (size_t i = 0; i < counts.size(); ++i) {
    Values read(counts[i]);
    if (!reader.ReadFirst(i, read)) return absl::DataLossError("read");
  }
  return absl::OkStatus();
}

const std::vector<Values>& ValueCases() {
  static const auto& cases = *new std::vector<Values>{
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
      {StaleNan(), 1, 2, 3, 4, 5, 6, 7, 8, 9, StaleNan()},
      {4e18, 5e18, -5e18, 9.3e18, 1e19},
      {14636600755, 2096.137872, 11709364881, 3144.282234, 11709015647},
  };
  return cases;
}

TEST(ValueColumns, RoundTripEdgesAloneAndTogether) {
  for (const Values& values : ValueCases()) ExpectValuesRoundTrip({values});
  ExpectValuesRoundTrip(ValueCases());
}

TEST(ValueColumns, RoundTripRandomBitPatterns) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<Values> series(1 + random() % 6);
    for (Values& values : series) {
      values.resize(1 + random() % 80);
      for (double& value : values) value = FromBits(random() >> (random() % 64) << (random() % 64));
    }
    ExpectValuesRoundTrip(series);
  }
}

TEST(ValueColumns, RoundTripDecimalsWithAllKindsOfOthersAmongThem) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const double scale = std::pow(10, static_cast<double>(random() % 18));
    std::vector<Values> series(1 + random() % 6);
    for (Values& values : series) {
      values.resize(1 + random() % 120);
      for (double& value : values) {
        value = static_cast<double>(static_cast<int64_t>(random() >> (11 + random() % 40))) / scale;
        if (random() % 20 == 0) value = StaleNan();
        if (random() % 20 == 0) value = -value;
        if (random() % 40 == 0) value = FromBits(random());
      }
    }
    ExpectValuesRoundTrip(series);
  }
}

double BytesPerValue(const std::vector<Values>& series) {
  size_t count = 0;
  for (const Values& values : series) count += values.size();
  return static_cast<double>(Write(series).size()) / static_cast<double>(count);
}

TEST(ValueColumns, EachKindTakesAboutWhatItIsWorth) {
  std::mt19937_64 random(6);
  const auto make = [&random](auto value_at) {
    std::vector<Values> series(16, Values(200));
    for (size_t s = 0; s < series.size(); ++s) {
      for (size_t i = 0; i < 200; ++i) series[s][i] = value_at(s, i, random());
    }
    return series;
  };
  // The same bits in every value, of one kind or several.
  EXPECT_LT(BytesPerValue(make([](size_t, size_t, uint64_t) { return StaleNan(); })), 0.01);
  EXPECT_LT(BytesPerValue(
                make([](size_t s, size_t, uint64_t) { return 1000.0 + static_cast<double>(s); })),
            0.01);
  // 16 bits of noise in thousandths.
  EXPECT_LT(BytesPerValue(make([](size_t, size_t, uint64_t noise) {
              return static_cast<double>(500'000 + noise % 65536) / 1000;
            })),
            2.1);
  // The same with stale markers, each of which is an exception.
  EXPECT_LT(BytesPerValue(make([](size_t, size_t i, uint64_t noise) {
              return i == 199 ? StaleNan() : static_cast<double>(500'000 + noise % 65536) / 1000;
            })),
            2.15);
  // 32-bit floats: 8 bits of noise in the mantissa, at any exponent.
  EXPECT_LT(BytesPerValue(make([](size_t, size_t, uint64_t noise) {
              return static_cast<double>(
                  std::bit_cast<float>(static_cast<uint32_t>(0x3dcccccd + (noise % 256))));
            })),
            1.2);
  // One value in a hundred changes.
  EXPECT_LT(BytesPerValue(make([](size_t s, size_t i, uint64_t) {
              return static_cast<double>(s + (i > 100 ? 1 : 0));
            })),
            0.1);
  // Whole numbers except for a few: those with six digits do not make the others longer.
  EXPECT_LT(BytesPerValue(make([](size_t, size_t, uint64_t noise) {
              const auto number = static_cast<double>(noise % 65536);
              return noise >> 60 == 0 ? number / 1e6 : number + 1e10;
            })),
            2.5);
  // No more than the raw size, and little above it.
  EXPECT_LT(BytesPerValue(make([](size_t, size_t, uint64_t noise) { return FromBits(noise); })),
            8.1);
}

TEST(ValueColumns, DamageIsSurvived) {
  const std::vector<Values> mixed = {
      ValueCases()[4], ValueCases()[5], ValueCases()[8], ValueCases()[14], {7, 7}};
  for (const std::vector<Values>& series : {mixed, {ValueCases()[16]}, {ValueCases()[7]}}) {
    const auto read = [counts = Counts(series)](std::string_view in) { return Read(in, counts); };
    ExpectEveryTruncationFails(Write(series), read);
    ExpectDamageIsSurvived(Write(series), read);
  }
}

TEST(ValueColumns, AnExceptionIsOneOfThePatterns) {
  const double pattern = FromBits(0x7ff8'1234'5678'9abc);
  Values values;
  for (int i = 0; i < 100; ++i) values.push_back(i == 50 ? pattern : i / 10.0);
  const std::string bytes = Write({values});
  std::string patterns;
  PutFixed64(patterns, std::bit_cast<uint64_t>(pattern));
  const size_t begin = bytes.find(patterns);
  ASSERT_NE(begin, bytes.npos);
  const size_t which = begin + patterns.size();
  const auto numbers = [](int64_t number) {
    std::string packed;
    PutPackedIntegers(packed, std::vector<int64_t>{number});
    return packed;
  };
  ASSERT_EQ(bytes.substr(which, numbers(0).size()), numbers(0));
  for (const int64_t number : {0, 1, 7, -1}) {
    const std::string changed =
        bytes.substr(0, which) + numbers(number) + bytes.substr(which + numbers(0).size());
    std::string_view in = changed;
    ValueColumnsReader reader;
    EXPECT_EQ(reader.Open(in, Counts({values})), number == 0) << number;
  }
}

TEST(Decimals, BothBuildsAreEqual) {
  if (!HasAvx2()) return;
  std::mt19937_64 random(7);
  std::vector<int64_t> integers = {0,
                                   1,
                                   -1,
                                   9007199254740993,
                                   std::numeric_limits<int64_t>::max(),
                                   -9007199254740993,
                                   std::numeric_limits<int64_t>::min()};
  for (int i = 0; i < 200'000; ++i) {
    integers.push_back(static_cast<int64_t>(random()) >> (random() % 64));
  }
  Values portable(integers.size()), avx2(integers.size());
  for (int exponent = 0; exponent <= kMaxExponent; ++exponent) {
    IntegersToDecimals(integers, exponent, portable.data(), CodecBuild::kPortable);
    IntegersToDecimals(integers, exponent, avx2.data(), CodecBuild::kAvx2);
    ASSERT_EQ(AllBits(avx2), AllBits(portable)) << exponent;
  }
  OrderedBitsToValues(integers, portable.data(), CodecBuild::kPortable);
  OrderedBitsToValues(integers, avx2.data(), CodecBuild::kAvx2);
  ASSERT_EQ(AllBits(avx2), AllBits(portable));
}

TEST(Decimals, AreTakenOnlyIfTheyComeBack) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 100'000; ++round) {
    const double value =
        round % 2 == 0 ? FromBits(random()) : static_cast<double>(random() % 1'000'000) / 1000;
    const int exponent = static_cast<int>(random() % (kMaxExponent + 1));
    const std::optional<int64_t> integer = AsDecimal(value, exponent);
    if (round % 2 == 1 && exponent >= 3 && exponent <= 12) {
      EXPECT_TRUE(integer.has_value());
    }
    if (!integer) continue;
    double back = 0;
    IntegersToDecimals({&*integer, 1}, exponent, &back);
    EXPECT_EQ(AllBits({back}), AllBits({value}));
  }
}

TEST(OrderedBits, AscendAsTheFloatsDo) {
  const Values ascending = {-kInf, -kLargest, -1.5, -kDenormal, -0.0, 0.0, kDenormal, 1.5, kInf};
  for (size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(AsOrderedBits(ascending[i - 1]), AsOrderedBits(ascending[i]));
  }
}

// A group of whole numbers: form 0, no exceptions, and these columns.
std::string WholeNumbers(const std::vector<std::vector<int64_t>>& columns, char form = 0) {
  std::string bytes(1, form);
  PutPackedIntegers(bytes, std::vector<int64_t>(columns.size(), 0));
  IntegerColumnsWriter writer;
  for (const std::vector<int64_t>& column : columns) writer.Add(column);
  writer.Finish(1, bytes);
  return bytes;
}

std::string GroupsOf(const std::vector<int64_t>& groups) {
  std::string bytes;
  PutPackedIntegers(bytes, groups);
  return bytes;
}

TEST(ValueColumns, GroupsAreNumberedWithoutGaps) {
  const std::string one = WholeNumbers({{5, 6}}), two = WholeNumbers({{5, 6}, {7, 8}});
  EXPECT_TRUE(Read(GroupsOf({1, 1}) + two, {2, 2}).ok());
  EXPECT_TRUE(Read(GroupsOf({2, 1}) + one + one, {2, 2}).ok());
  EXPECT_FALSE(Read(GroupsOf({2, 2}) + one + two, {2, 2}).ok());
  EXPECT_FALSE(Read(GroupsOf({1, 3}) + one + one + one, {2, 2}).ok());
  EXPECT_FALSE(Read(GroupsOf({1, -1}) + one + one, {2, 2}).ok());
}

TEST(ValueColumns, OnlySomeFormsAreKnown) {
  for (const char form : {0, 16}) {
    EXPECT_TRUE(Read(GroupsOf({1}) + WholeNumbers({{5, 6}}, form), {2}).ok());
  }
  std::string ordered_bits = WholeNumbers({{5, 6}}, 17);
  ordered_bits.erase(1, 2);  // that form has no exceptions
  EXPECT_TRUE(Read(GroupsOf({1}) + ordered_bits, {2}).ok());
  ordered_bits[0] = 18;
  EXPECT_FALSE(Read(GroupsOf({1}) + ordered_bits, {2}).ok());
  // Constants.
  for (const char form : {0, 16, 17, 18}) {
    EXPECT_EQ(Read(GroupsOf({0}) + form + GroupsOf({5}), {2}).ok(), form <= 17) << int{form};
  }
}

TEST(ValueColumns, ExceptionsLieInTheirColumn) {
  const auto read = [](int64_t count, const std::vector<uint64_t>& steps) {
    std::string bytes = GroupsOf({1}) + '\0' + GroupsOf({count});
    for (const uint64_t step : steps) PutVarint64(bytes, step);
    PutVarint64(bytes, 1);
    PutFixed64(bytes, 77);
    PutPackedIntegers(bytes, std::vector<int64_t>(steps.size(), 0));
    IntegerColumnsWriter writer;
    writer.Add(std::vector<int64_t>{5, 6, 7});
    writer.Finish(1, bytes);
    return Read(bytes, {3}).ok();
  };
  EXPECT_TRUE(read(1, {0}));
  EXPECT_TRUE(read(1, {2}));
  EXPECT_FALSE(read(1, {3}));
  EXPECT_TRUE(read(2, {1, 1}));
  EXPECT_FALSE(read(2, {1, 2}));
  EXPECT_TRUE(read(3, {0, 1, 1}));
  EXPECT_FALSE(read(4, {0, 1, 1, 0}));
  EXPECT_FALSE(read(-1, {}));
}

}  // namespace
}  // namespace lockstep
