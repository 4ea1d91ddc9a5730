#include "profile/profile_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep::profile
