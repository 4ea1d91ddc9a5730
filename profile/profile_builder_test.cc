#include "profile/profile_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "profile/read_profile.h"

namespace lockstep::profile {
namespace {

using testing::ElementsAre;

TEST(ProfileBuilderTest, WritesNames) {
  ProfileBuilder builder({{"count", "one"}, {"space", "bytes"}});
  const int64_t first[] = {1, 300};
  const int64_t second[] = {2, -1};
  builder.AddNames(std::vector<std::string_view>{"inner", "outer"}, first);
  builder.AddNames(std::vector<std::string_view>{"outer"}, second);
  builder.AddComment("a comment");
  const ReadProfile profile = ParseProfile(builder.Finish());
  EXPECT_THAT(profile.sample_types, ElementsAre("count/one", "space/bytes"));
  EXPECT_THAT(profile.comments, ElementsAre("a comment"));
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_THAT(profile.samples[0].functions, ElementsAre("inner", "outer"));
  EXPECT_THAT(profile.samples[0].values, ElementsAre(1, 300));
  EXPECT_THAT(profile.samples[1].functions, ElementsAre("outer"));
  EXPECT_THAT(profile.samples[1].values, ElementsAre(2, -1));
}

// The expected bytes were written by hand from profile.proto: a sample type (1, 2), the default
// one, and the string table.
TEST(ProfileBuilderTest, WritesTheBytesOfTheFormat) {
  EXPECT_EQ(Gunzip(ProfileBuilder(std::vector<ValueType>{{"t", "u"}}).Finish()),
            std::string("\x0a\x04\x08\x01\x10\x02"
                        "\x70\x01"
                        "\x32\x00\x32\x01t\x32\x01u",
                        16));
}

TEST(ProfileBuilderTest, AnAddressThatIsNowhereStays) {
  const SymbolTable table = SymbolTable::OfProcess();
  ProfileBuilder builder(std::vector<ValueType>{{"count", "one"}});
  const uint64_t stack[] = {1};
  const int64_t values[] = {1};
  builder.AddStack(stack, values, table);
  const ReadProfile profile = ParseProfile(builder.Finish());
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_THAT(profile.samples[0].functions, ElementsAre("?"));
  EXPECT_TRUE(profile.files.empty());
}

// The numbers in the fields `number`, in order.
std::vector<uint64_t> NumbersIn(std::string_view message, uint64_t number) {
  std::vector<uint64_t> numbers;
  const auto fields = FieldsOf(message);
  for (auto [at, end] = fields.equal_range(number); at != end; ++at) {
    numbers.push_back(at->second.number);
  }
  return numbers;
}
std::vector<std::string_view> MessagesIn(std::string_view message, uint64_t number) {
  std::vector<std::string_view> messages;
  const auto fields = FieldsOf(message);
  for (auto [at, end] = fields.equal_range(number); at != end; ++at) {
    messages.push_back(at->second.bytes);
  }
  return messages;
}

// Field numbers from profile.proto.
TEST(ProfileBuilderTest, TimesAndPeriods) {
  ProfileBuilder builder(std::vector<ValueType>{{"samples", "count"}, {"cpu", "nanoseconds"}});
  builder.SetTime(1'700'000'000'000'000'000, 300);
  builder.SetPeriod({"cpu", "nanoseconds"}, 10'000'000);
  const std::string profile = Gunzip(builder.Finish());
  EXPECT_THAT(NumbersIn(profile, 9), ElementsAre(1'700'000'000'000'000'000u));
  EXPECT_THAT(NumbersIn(profile, 10), ElementsAre(300u));
  EXPECT_THAT(NumbersIn(profile, 12), ElementsAre(10'000'000u));
  // The texts are "", samples, count, cpu, nanoseconds; a reader shows the last type.
  EXPECT_THAT(NumbersIn(profile, 14), ElementsAre(3u));
  ASSERT_EQ(MessagesIn(profile, 11).size(), 1u);
  EXPECT_THAT(NumbersIn(MessagesIn(profile, 11)[0], 1), ElementsAre(3u));
  EXPECT_THAT(NumbersIn(MessagesIn(profile, 11)[0], 2), ElementsAre(4u));
  EXPECT_THAT(MessagesIn(profile, 6), ElementsAre("", "samples", "count", "cpu", "nanoseconds"));
}

TEST(ProfileBuilderTest, ALocationIsWrittenOnce) {
  ProfileBuilder builder(std::vector<ValueType>{{"count", "one"}});
  const int64_t values[] = {1};
  builder.AddNames(std::vector<std::string_view>{"a", "b"}, values);
  builder.AddNames(std::vector<std::string_view>{"b", "a", "c"}, values);
  const std::string profile = Gunzip(builder.Finish());
  const auto locations = MessagesIn(profile, 4);
  const auto functions = MessagesIn(profile, 5);
  ASSERT_EQ(locations.size(), 3u);
  ASSERT_EQ(functions.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(NumbersIn(locations[i], 1), ElementsAre(i + 1));
    EXPECT_THAT(NumbersIn(functions[i], 1), ElementsAre(i + 1));
    // Its name and the linker's name are the same.
    EXPECT_EQ(NumbersIn(functions[i], 2), NumbersIn(functions[i], 3));
  }
  const auto samples = MessagesIn(profile, 2);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_THAT(NumbersIn(samples[0], 1), ElementsAre(1u, 2u));
  EXPECT_THAT(NumbersIn(samples[1], 1), ElementsAre(2u, 1u, 3u));
}

int LocalFunction(int number) {
  asm volatile("");
  return number + 1;
}

TEST(ProfileBuilderTest, AddressesHaveAMappingAndReturnAddressesTheCallBeforeThem) {
  const SymbolTable table = SymbolTable::OfProcess();
  const auto address = reinterpret_cast<uint64_t>(&LocalFunction);
  ProfileBuilder builder(std::vector<ValueType>{{"count", "one"}});
  // The address where a thread was; and a return address, one behind a call there.
  const uint64_t stack[] = {address, address + 1};
  const int64_t values[] = {1};
  builder.AddStack(stack, values, table);
  const std::string packed = builder.Finish();
  const std::string profile = Gunzip(packed);
  const auto locations = MessagesIn(profile, 4);
  ASSERT_EQ(locations.size(), 1u);
  EXPECT_THAT(NumbersIn(locations[0], 3), ElementsAre(address));
  const size_t mapping = table.MappingOf(address);
  ASSERT_LT(mapping, table.mappings().size());
  EXPECT_THAT(NumbersIn(locations[0], 2), ElementsAre(mapping + 1));
  EXPECT_THAT(NumbersIn(MessagesIn(profile, 2).at(0), 1), ElementsAre(1u, 1u));
  const auto mappings = MessagesIn(profile, 3);
  ASSERT_EQ(mappings.size(), 1u);
  EXPECT_THAT(NumbersIn(mappings[0], 1), ElementsAre(mapping + 1));
  EXPECT_THAT(NumbersIn(mappings[0], 2), ElementsAre(table.mappings()[mapping].begin));
  EXPECT_THAT(NumbersIn(mappings[0], 3), ElementsAre(table.mappings()[mapping].end));
  EXPECT_THAT(NumbersIn(mappings[0], 4), ElementsAre(table.mappings()[mapping].offset));
  EXPECT_THAT(NumbersIn(mappings[0], 7), ElementsAre(1u));
  const ReadProfile read = ParseProfile(packed);
  EXPECT_THAT(read.files, ElementsAre(table.mappings()[mapping].path));
  EXPECT_THAT(read.samples.at(0).functions.at(0), testing::HasSubstr("LocalFunction(int)"));
}

TEST(ProfileBuilderTest, AFileWithAnUnknownFunctionIsSaidToLackNames) {
  const SymbolTable table = SymbolTable::OfProcess();
  const auto known = reinterpret_cast<uint64_t>(&LocalFunction);
  const Mapping& mapping = table.mappings()[table.MappingOf(known)];
  // Padding between functions.
  uint64_t unknown = mapping.begin;
  while (unknown < mapping.end && !table.FunctionAt(unknown).empty()) ++unknown;
  ASSERT_LT(unknown, mapping.end);
  for (const bool is_known_last : {false, true}) {
    ProfileBuilder builder(std::vector<ValueType>{{"count", "one"}});
    const int64_t values[] = {1};
    const uint64_t first[] = {is_known_last ? unknown : known};
    const uint64_t second[] = {is_known_last ? known : unknown};
    builder.AddStack(first, values, table);
    builder.AddStack(second, values, table);
    const std::string profile = Gunzip(builder.Finish());
    ASSERT_EQ(MessagesIn(profile, 3).size(), 1u);
    EXPECT_THAT(NumbersIn(MessagesIn(profile, 3)[0], 7), ElementsAre(0u));
  }
}

}  // namespace
}  // namespace lockstep::profile
