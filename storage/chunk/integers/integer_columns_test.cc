#include "storage/chunk/integers/integer_columns.h"

#include <gtest/gtest.h>

#include <random>

#include "storage/chunk/codec_testing.h"
#include "storage/chunk/integers/bin_plan.h"
#include "storage/chunk/integers/bits.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

using Column = std::vector<int64_t>;

std::string Write(const std::vector<Column>& columns, uint64_t unit_hint = 1) {
  IntegerColumnsWriter writer;
  for (const Column& column : columns) writer.Add(column);
  std::string bytes;
  writer.Finish(unit_hint, bytes);
  return bytes;
}

std::vector<uint32_t> Counts(const std::vector<Column>& columns) {
  std::vector<uint32_t> counts;
  for (const Column& column : columns) counts.push_back(static_cast<uint32_t>(column.size()));
  return counts;
}

absl::Status Read(std::string_view in, const std::vector<uint32_t>& counts,
                  std::vector<Column>& columns) {
  IntegerColumnsReader reader;
  if (!reader.Open(in, counts)) return absl::DataLossError("open");
  for (size_t i = 0; i < counts.size(); ++i) {
    columns.emplace_back(counts[i]);
    if (!reader.Read(i, 0, columns.back())) return absl::DataLossError("read");
  }
  return absl::OkStatus();
}

void ExpectColumnsRoundTrip(const std::vector<Column>& columns, uint64_t unit_hint = 1) {
  // Once with nothing after them, and once with enough for the loops that look ahead.
  for (const std::string& behind : {std::string(), std::string(200, '\xa5')}) {
    const std::string bytes = Write(columns, unit_hint) + behind;
    std::string_view in = bytes;
    IntegerColumnsReader reader;
    ASSERT_TRUE(reader.Open(in, Counts(columns)));
    EXPECT_EQ(in, behind);
    // Backwards: no column needs another.
    for (size_t i = columns.size(); i-- > 0;) {
      Column read(columns[i].size(), 4711);
      ASSERT_TRUE(reader.Read(i, 0, read)) << "column " << i;
      ASSERT_EQ(read, columns[i]);
    }
  }
}

TEST(IntegerColumns, RoundTripEdges) {
  ExpectColumnsRoundTrip({{0}});
  ExpectColumnsRoundTrip({{kMin}, {kMax}});
  ExpectColumnsRoundTrip({{kMin, kMax, kMin, kMax, 0}, {5}, {1, 2}});
  ExpectColumnsRoundTrip({{7, 7, 7, 7}, Column(500, 7)});
  ExpectColumnsRoundTrip({{1, 2, 3, 4, 5, 6}, {10, 20, 30}, {3}});
  ExpectColumnsRoundTrip({{0, 1, 4, 9, 16, 25, 36}});
}

TEST(IntegerColumns, RoundTripWhateverTheWidth) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<Column> columns(1 + random() % 10);
    const int width = static_cast<int>(random() % 65);
    const uint64_t unit = round % 4 == 0 ? 1 + random() % 1'000'000 : 1;
    for (Column& column : columns) {
      column.resize(1 + random() % (round % 5 == 0 ? 700 : 150));
      uint64_t sum = random(), slope = LowBits(random(), width);
      for (int64_t& integer : column) {
        const uint64_t noise = LowBits(random(), width) * unit;
        slope += noise;
        sum += round % 3 == 2 ? slope : noise;
        integer = static_cast<int64_t>(round % 3 == 0 ? noise : sum);
        if (random() % 100 == 0) integer ^= static_cast<int64_t>(random());
      }
    }
    ExpectColumnsRoundTrip(columns, round % 2 == 0 ? unit : 1);
  }
}

// 0: noise, 1: a walk, 2: a counter at an even pace.
std::vector<Column> OfOrder(int order) {
  std::mt19937_64 random(8);
  std::vector<Column> columns(8, Column(100));
  for (Column& column : columns) {
    int64_t sum = 0, pace = 1000;
    for (int64_t& integer : column) {
      const auto noise = static_cast<int64_t>(random() % 16);
      pace += noise - 8;
      sum += order == 2 ? pace * 100 : noise;
      integer = order == 0 ? noise : sum;
    }
  }
  return columns;
}

TEST(IntegerColumns, TheOrderIsTheCheapestOne) {
  for (int order = 0; order <= kMaxOrder; ++order) {
    EXPECT_EQ(Write(OfOrder(order)).front(), order);
    ExpectColumnsRoundTrip(OfOrder(order));
  }
}

TEST(IntegerColumns, AnEvenPaceTakesNoBitsPerInteger) {
  std::vector<Column> columns(8, Column(10'000));
  for (Column& column : columns) {
    for (size_t i = 0; i < column.size(); ++i) column[i] = 15'000 * static_cast<int64_t>(i);
  }
  EXPECT_LT(Write(columns).size(), 24u);
  ExpectColumnsRoundTrip(columns);
}

TEST(IntegerColumns, TheBaseIsAdded) {
  for (int order = 0; order <= kMaxOrder; ++order) {
    const std::vector<Column> columns = OfOrder(order);
    const std::string bytes = Write(columns);
    std::string_view in = bytes;
    IntegerColumnsReader reader;
    ASSERT_TRUE(reader.Open(in, Counts(columns)));
    Column read(columns[3].size());
    ASSERT_TRUE(reader.Read(3, 1'000'000, read));
    for (size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], columns[3][i] + 1'000'000);
  }
}

TEST(IntegerColumns, TheFirstOnesAreReadAlone) {
  std::mt19937_64 random(3);
  for (int order = 0; order <= kMaxOrder; ++order) {
    for (const size_t count : {1u, 2u, 31u, 40u, 130u, 600u}) {
      Column column;
      for (size_t i = 0; i < count; ++i) {
        const auto n = static_cast<int64_t>(i);
        const auto noise = static_cast<int64_t>(random() % 5003);
        column.push_back(order == 0 ? noise : order == 1 ? 5 * n + noise : 3 * n * n + noise);
      }
      const std::string bytes = Write({column, column});
      std::string_view in = bytes;
      IntegerColumnsReader reader;
      ASSERT_TRUE(reader.Open(in, Counts({column, column})));
      for (size_t first = 1; first <= count; ++first) {
        Column read(first, 4711);
        ASSERT_TRUE(reader.ReadFirst(1, 0, count, read)) << first << " of " << count;
        ASSERT_EQ(read, Column(column.begin(), column.begin() + static_cast<ptrdiff_t>(first)));
      }
    }
  }
}

TEST(IntegerColumns, DamageIsSurvived) {
  const std::vector<std::vector<Column>> cases = {
      OfOrder(0), OfOrder(1), OfOrder(2), {{kMin, kMax, 0, 5, -77, 1'000'000'000'000, 3}}};
  for (const std::vector<Column>& columns : cases) {
    const std::vector<Column> few(
        columns.begin(),
        columns.begin() + static_cast<ptrdiff_t>(std::min<size_t>(2, columns.size())));
    const auto read = [counts = Counts(few)](std::string_view in) {
      std::vector<Column> ignored;
      return Read(in, counts, ignored);
    };
    ExpectEveryTruncationFails(Write(few), read);
    ExpectDamageIsSurvived(Write(few), read);
  }
}

// Runs both builds of the loops on good streams and on noise: both accept and refuse the same, with
// the same result.
TEST(ResidualReader, BothBuildsAreEqual) {
  if (!HasAvx2()) return;
  std::mt19937_64 random(9);
  ResidualReader portable_reader(CodecBuild::kPortable), bmi2_reader(CodecBuild::kAvx2);
  for (int round = 0; round < 2000; ++round) {
    Column residuals(1 + random() % 600);
    const int width = static_cast<int>(random() % 65);
    for (int64_t& residual : residuals) {
      uint64_t bits = LowBits(random(), random() % 4 == 0 ? width : width / 3);
      if (round % 3 == 0 && random() % 5 != 0) bits *= 1000;
      residual = static_cast<int64_t>(bits);
    }
    const BinSet set = PlanBins(residuals, round % 3 == 0 ? 1000 : 1).set;
    std::string stream;
    ResidualWriter(set).Write(residuals, stream);
    if (round % 2 == 0) {
      for (char& byte : stream) byte = static_cast<char>(random());
    }
    const std::string readable = stream + std::string(300, 'x');
    const int order = round % 3;
    Column portable(residuals.size() + static_cast<size_t>(order), 17), bmi2 = portable;
    const std::string_view in = std::string_view(readable).substr(0, stream.size());
    portable_reader.Reset(set);
    bmi2_reader.Reset(set);
    const bool is_good = portable_reader.Read(in, 300, order, portable);
    EXPECT_EQ(bmi2_reader.Read(in, 300, order, bmi2), is_good);
    ASSERT_EQ(bmi2, portable);
    // Bytes that can be read after the stream make no difference either.
    Column careful(portable.size(), 17);
    if (bmi2_reader.Read(stream, 0, order, careful)) {
      EXPECT_EQ(careful, portable);
    }
    if (round % 2 != 0) {
      EXPECT_TRUE(is_good);
    }
  }
}

TEST(IntegerColumns, OnlyThreeOrdersAreKnown) {
  BinSet set;
  set.bins = {{0, 0, 1}};
  set.plain_count = 1;
  std::string numbers, bins;
  PutPackedIntegers(numbers, std::vector<int64_t>{7});
  PutBinSet(bins, set);
  for (int order = 0; order <= 3; ++order) {
    std::string bytes(1, static_cast<char>(order));
    for (int i = 0; i < std::min(order, 2); ++i) bytes += numbers;
    std::vector<Column> columns;
    EXPECT_EQ(Read(bytes + bins, {3}, columns).ok(), order <= 2) << order;
  }
}

// Without bins there are only the numbers that an order has in advance.
TEST(IntegerColumns, ResidualsNeedBins) {
  const auto opens = [](std::string bytes, uint32_t count) {
    bytes += std::string(2, '\0');  // no bins
    std::string_view in = bytes;
    IntegerColumnsReader reader;
    return reader.Open(in, std::vector<uint32_t>{count, 1});
  };
  std::string numbers;
  PutPackedIntegers(numbers, std::vector<int64_t>{7, 7});
  EXPECT_FALSE(opens(std::string(1, '\0'), 1));
  EXPECT_TRUE(opens('\1' + numbers, 1));
  EXPECT_FALSE(opens('\1' + numbers, 2));
  EXPECT_TRUE(opens('\2' + numbers + numbers, 2));
  EXPECT_FALSE(opens('\2' + numbers + numbers, 3));
}

TEST(IntegerColumns, StreamsLieInTheInput) {
  // A bin with offsets of eight bits: a stream of a byte for each integer.
  BinSet set;
  set.bins = {{0, 8, 1}};
  set.plain_count = 1;
  std::string begin(1, '\0');
  PutBinSet(begin, set);
  const auto read = [&](std::vector<int64_t> sizes, const std::string& streams) {
    std::string bytes = begin;
    PutPackedIntegers(bytes, sizes);
    std::vector<Column> columns;
    const absl::Status status = Read(bytes + streams, {2, 1}, columns);
    return status.ok() ? columns : std::vector<Column>();
  };
  EXPECT_EQ(read({2, 1}, "ABC"), (std::vector<Column>{{'A', 'B'}, {'C'}}));
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{2, 2}, {3, 1}, {-1, 1}, {2, -1}, {1, 2}, {3, 0}, {2, 0}}) {
    EXPECT_TRUE(read(sizes, "ABC").empty()) << sizes[0] << " " << sizes[1];
  }
}

}  // namespace
}  // namespace lockstep
