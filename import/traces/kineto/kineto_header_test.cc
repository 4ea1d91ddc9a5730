#include "import/traces/kineto/kineto_header.h"

#include <gtest/gtest.h>

namespace lockstep::traces {
namespace {

TEST(KinetoHeaderTest, ReadsWhatDistributedTrainingIs) {
  KinetoHeader header;
  EXPECT_TRUE(ReadHeaderMember(
      "distributedInfo",
      R"({"rank":3,"world_size":8,"backend":"nccl","nccl_version":"2.27.3","more":[1]})", header));
  EXPECT_EQ(header.rank, 3);
  EXPECT_EQ(header.world_size, 8);
  EXPECT_EQ(header.backend, "nccl");
  EXPECT_EQ(header.nccl_version, "2.27.3");
  // A later one replaces it.
  EXPECT_TRUE(ReadHeaderMember("distributedInfo", R"({"backend":7})", header));
  EXPECT_EQ(header.rank, std::nullopt);
  EXPECT_EQ(header.world_size, std::nullopt);
  EXPECT_EQ(header.backend, "");
}

TEST(KinetoHeaderTest, RanksFitInto31Bits) {
  const auto rank_of = [](const std::string& rank) {
    KinetoHeader header;
    EXPECT_TRUE(ReadHeaderMember("distributedInfo", "{\"rank\":" + rank + "}", header));
    return header.rank;
  };
  EXPECT_EQ(rank_of("0"), 0);
  EXPECT_EQ(rank_of("2147483647"), 2'147'483'647);
  EXPECT_EQ(rank_of("2147483648"), std::nullopt);
  EXPECT_EQ(rank_of("-1"), std::nullopt);
  EXPECT_EQ(rank_of("\"0\""), std::nullopt);
}

TEST(KinetoHeaderTest, TheFirstDeviceIsNamed) {
  KinetoHeader header;
  EXPECT_TRUE(
      ReadHeaderMember("deviceProperties", R"([{"id":0,"name":"H200"},{"name":"H100"}])", header));
  EXPECT_EQ(header.device_name, "H200");
  KinetoHeader none;
  EXPECT_TRUE(ReadHeaderMember("deviceProperties", "[]", none));
  EXPECT_EQ(none.device_name, "");
}

TEST(KinetoHeaderTest, TheBaseTimeIsNotBefore1970) {
  KinetoHeader header;
  EXPECT_FALSE(ReadHeaderMember("baseTimeNanoseconds", "-1", header));
  EXPECT_EQ(header.base_time_ns, std::nullopt);
  EXPECT_TRUE(ReadHeaderMember("baseTimeNanoseconds", "0", header));
  EXPECT_EQ(header.base_time_ns, 0);
  EXPECT_TRUE(ReadHeaderMember("baseTimeNanoseconds", "1772442931000000000", header));
  EXPECT_EQ(header.base_time_ns, 1'772'442'931'000'000'000);
}

TEST(KinetoHeaderTest, MembersOfAnotherTypeAreRefused) {
  KinetoHeader header;
  EXPECT_FALSE(ReadHeaderMember("distributedInfo", "7", header));
  EXPECT_FALSE(ReadHeaderMember("distributedInfo", "{", header));
  EXPECT_FALSE(ReadHeaderMember("deviceProperties", "{}", header));
  EXPECT_FALSE(ReadHeaderMember("baseTimeNanoseconds", "\"now\"", header));
  // What has no meaning here is not read at all.
  EXPECT_TRUE(ReadHeaderMember("schemaVersion", "{", header));
}

}  // namespace
}  // namespace lockstep::traces
