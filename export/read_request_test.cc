#include "export/read_request.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <string>

namespace lockstep {
namespace {

struct RawMatcher {
  int type;
  std::string name;
  std::string value;
};

std::string Query(int64_t start_ms, int64_t end_ms, const std::vector<RawMatcher>& matchers) {
  std::string bytes;
  protozero::pbf_writer query(bytes);
  query.add_int64(1, start_ms);
  query.add_int64(2, end_ms);
  for (const RawMatcher& matcher : matchers) {
    protozero::pbf_writer writer(query, 3);
    writer.add_enum(1, matcher.type);
    writer.add_string(2, matcher.name);
    writer.add_string(3, matcher.value);
  }
  protozero::pbf_writer hints(query, 4);
  hints.add_int64(1, 15'000);
  return bytes;
}

std::string Request(const std::vector<std::string>& queries, const std::vector<int32_t>& accepted) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  for (const std::string& query : queries) request.add_message(1, query);
  for (const int32_t type : accepted) request.add_enum(2, type);
  return bytes;
}

TEST(ReadRequestTest, QueriesAndTheirMatchers) {
  const auto request = ParseReadRequest(Request(
      {Query(-5, 10, {{0, "__name__", "up"}, {1, "a", "b"}, {2, "c", "d.*"}, {3, "e", "f|g"}}),
       Query(1, 2, {})},
      {}));
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->response_type, ReadResponseType::kSamples);
  ASSERT_EQ(request->queries.size(), 2u);
  EXPECT_EQ(request->queries[0].range.min_ms, -5);
  EXPECT_EQ(request->queries[0].range.max_ms, 10);
  std::string matchers;
  for (const Matcher& matcher : request->queries[0].matchers) matchers += matcher.ToString() + " ";
  EXPECT_EQ(matchers, R"(__name__="up" a!="b" c=~"d.*" e!~"f|g" )");
  EXPECT_TRUE(request->queries[1].matchers.empty());
}

TEST(ReadRequestTest, TheFirstAcceptedTypeThatWeGive) {
  const auto type = [](const std::vector<int32_t>& accepted) {
    const auto request = ParseReadRequest(Request({}, accepted));
    return request.ok() ? static_cast<int>(request->response_type) : -1;
  };
  EXPECT_EQ(type({}), 0);
  EXPECT_EQ(type({0}), 0);
  EXPECT_EQ(type({1, 0}), 1);
  EXPECT_EQ(type({7, 0, 1}), 0);
  EXPECT_EQ(type({7}), -1);
  std::string packed;
  protozero::pbf_writer writer(packed);
  const int32_t types[] = {1, 0};
  writer.add_packed_enum(2, std::begin(types), std::end(types));
  EXPECT_EQ(ParseReadRequest(packed)->response_type, ReadResponseType::kStreamedChunks);
}

TEST(ReadRequestTest, WhatIsWrongIsSaid) {
  const auto error = [](const std::string& bytes) {
    return std::string(Message(ParseReadRequest(bytes).status()));
  };
  EXPECT_EQ(error(Request({Query(0, 1, {{4, "a", "b"}})}, {})), "invalid matcher type 4");
  EXPECT_EQ(error(Request({Query(0, 1, {{2, "a", "("}})}, {})),
            "error parsing regexp: missing closing ): `(`");
  EXPECT_EQ(error(Request(std::vector<std::string>(kMaxReadQueries + 1), {})),
            "more than 1000 queries in one request");
  const std::string whole = Request({Query(5, 10, {{0, "a", "b"}})}, {});
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseReadRequest(whole.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace lockstep
