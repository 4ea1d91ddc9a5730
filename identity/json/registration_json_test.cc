#include "identity/json/registration_json.h"

#include <gtest/gtest.h>

namespace lockstep::identity {
namespace {

// The series stored for it, or the error.
std::string Describe(std::string_view text) {
  const auto registrations = ParseRegistrations(text);
  if (!registrations.ok()) return std::string(registrations.status().message());
  std::string out;
  for (const Registration& registration : *registrations) {
    const auto series = SeriesOf(registration, 7000);
    if (!series.ok()) return std::string(series.status().message());
    for (const InfoSeries& one : *series) {
      out += one.labels.ToString();
      for (const Sample& sample : one.samples) out += " " + std::to_string(sample.timestamp_ms);
      out += "\n";
    }
  }
  return out;
}

TEST(RegistrationJson, ObjectsListsAndLines) {
  constexpr std::string_view kFirst =
      "lockstep_rank_info{attempt=\"0\", gpu=\"1\", job=\"j\", rank=\"0\"} 7000\n";
  constexpr std::string_view kSecond =
      "lockstep_rank_info{attempt=\"2\", job=\"42\", rank=\"1\"} 1500 2000\n";
  const std::string both = std::string(kFirst) + std::string(kSecond);
  EXPECT_EQ(Describe(R"({"job":"j",
                         "rank":0,"gpu":1,"uuid":null})"),
            kFirst);
  EXPECT_EQ(
      Describe(
          R"([{"job":"j","rank":0,"gpu":"1"},{"job":42,"attempt":2,"rank":1,"from":1.5,"to":2}])"),
      both);
  EXPECT_EQ(Describe("{\"job\":\"j\",\"rank\":0,\"gpu\":1}\r\n\n"
                     "{\"job\":42,\"attempt\":2,\"rank\":1,\"from\":1.5,\"to\":2}\n"),
            both);
}

TEST(RegistrationJson, WhatAJobIs) {
  EXPECT_EQ(
      Describe(R"({"job":"j","world_size":8,"parallelism":{"tp":4},
                         "model":{"name":"llm","layers":16,"moe":{"experts":8},)"
               R"("dropout":0.1,"tied":true}})"),
      "lockstep_job_info{attempt=\"0\", job=\"j\", model_dropout=\"0.1\", model_layers=\"16\", "
      "model_moe_experts=\"8\", model_name=\"llm\", model_tied=\"true\", parallelism_tp=\"4\", "
      "world_size=\"8\"} 7000\n");
}

TEST(RegistrationJson, TimesAreSecondsOrMilliseconds) {
  EXPECT_EQ(ParseRegistrations(R"({"job":"j","rank":0,"from":1795242155.1})")->front().from_ms,
            1795242155100);
  EXPECT_EQ(ParseRegistrations(R"({"job":"j","rank":0,"from":1795242155100})")->front().from_ms,
            1795242155100);
}

TEST(RegistrationJson, Errors) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "the request has no registrations"},
      {"[]", "the request has no registrations"},
      {"7", "registration 1: not a JSON object"},
      {R"({"job":"j","rnak":0})", "registration 1: unknown member \"rnak\""},
      {R"([{"job":"j","rank":0},{"job":"j","rank":-1}])",
       "registration 2: \"rank\" must be an integer from 0 to 2^31"},
      {R"({"job":"j","rank":1.5})", "registration 1: \"rank\" must be an integer from 0 to 2^31"},
      {R"({"job":["j"]})", "registration 1: \"job\" must be a string or an integer"},
      {R"({"job":"j","from":"now"})",
       "registration 1: \"from\" must be a Unix time in seconds or milliseconds"},
      {R"({"job":"j","model":"llm"})", "registration 1: \"model\" must be an object"},
      {R"({"job":"j","model":{"sizes":[1,2]}})",
       "registration 1: \"sizes\" must be a string or an integer"},
      {R"({"job":"j","model":{"a":{"b":{"c":{"d":{"e":1}}}}}})",
       "registration 1: \"a_b_c_d\" nests objects too deeply"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Describe(text), error) << text;
  EXPECT_EQ(Describe("{\"job\":\"j\",\"rank\":0}\n{\"job\"").substr(0, 8), "line 2: ");
  EXPECT_EQ(Describe("{\"job\":\"" + std::string(1025, 'j') + "\"}"),
            "registration 1: \"job\" has 1025 bytes, more than the limit of 1024");
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// The only registration with these members.
Registration One(const std::string& members) {
  const auto registrations = ParseRegistrations("{" + members + "}");
  EXPECT_TRUE(registrations.ok()) << registrations.status();
  return registrations.ok() && registrations->size() == 1 ? registrations->front() : Registration();
}

TEST(RegistrationJson, EveryMemberHasItsPlace) {
  const Registration one =
      One(R"("job":"j","attempt":1,"rank":2,"host":"n","gpu":"3","uuid":"A","gpu_model":"H200",)"
          R"("stage":10,"tp":11,"dp":12,"ep":13,"pp":14,"cp":15,"world_size":16,"from":1,"to":2,)"
          R"("alive":3,"exit_code":4)");
  EXPECT_EQ(one.job, "j");
  EXPECT_EQ(one.attempt, 1);
  EXPECT_EQ(one.rank, 2);
  EXPECT_EQ(one.seat, (Seat{"n", "3", "A", "H200"}));
  for (size_t i = 0; i < one.coordinates.size(); ++i) {
    EXPECT_EQ(one.coordinates[i], static_cast<int64_t>(10 + i)) << kCoordinateNames[i];
  }
  EXPECT_EQ(one.world_size, 16);
  EXPECT_EQ(one.from_ms, 1'000);
  EXPECT_EQ(one.to_ms, 2'000);
  EXPECT_EQ(one.alive_ms, 3'000);
  EXPECT_EQ(one.exit_code, 4);
}

TEST(RegistrationJson, MembersThatAreNullAreAbsent) {
  const Registration one =
      One(R"("job":"j","attempt":null,"rank":null,"from":null,"model":null,"frob":null)");
  EXPECT_EQ(one.attempt, 0);
  EXPECT_FALSE(one.rank.has_value());
  EXPECT_FALSE(one.from_ms.has_value());
  EXPECT_TRUE(one.model.empty());
}

TEST(RegistrationJson, NumbersGoTo2To31) {
  EXPECT_EQ(One(R"("rank":2147483648)").rank, int64_t{1} << 31);
  EXPECT_EQ(One(R"("rank":0)").rank, 0);
  EXPECT_EQ(Describe(R"({"rank":2147483649})"),
            "registration 1: \"rank\" must be an integer from 0 to 2^31");
  EXPECT_EQ(Describe(R"({"attempt":"1"})"),
            "registration 1: \"attempt\" must be an integer from 0 to 2^31");
}

TEST(RegistrationJson, TimesEndIn5138) {
  EXPECT_EQ(One(R"("from":99999999999)").from_ms, 99'999'999'999'000);
  EXPECT_EQ(One(R"("from":100000000000)").from_ms, 100'000'000'000);
  EXPECT_EQ(One(R"("from":99999999999999)").from_ms, 99'999'999'999'999);
  EXPECT_EQ(One(R"("from":0)").from_ms, 0);
  EXPECT_EQ(One(R"("from":0.0006)").from_ms, 1);
  for (const char* time : {"100000000000000", "-1", "\"1\"", "[]"}) {
    EXPECT_EQ(Describe("{\"to\":" + std::string(time) + "}"),
              "registration 1: \"to\" must be a Unix time in seconds or milliseconds");
  }
}

TEST(RegistrationJson, TextsHaveAtMost1024Bytes) {
  EXPECT_EQ(One("\"host\":\"" + std::string(1024, 'h') + "\"").seat.host, std::string(1024, 'h'));
  EXPECT_EQ(Describe("{\"host\":\"" + std::string(1025, 'h') + "\"}"),
            "registration 1: \"host\" has 1025 bytes, more than the limit of 1024");
  EXPECT_EQ(One("\"model\":{\"" + std::string(1024, 'n') + "\":1}").model.at(0).first,
            std::string(1024, 'n'));
  for (const std::string& name : {std::string(), std::string(1025, 'n')}) {
    EXPECT_EQ(Describe("{\"model\":{\"" + name + "\":1}}"),
              "registration 1: \"model\" has a member whose name is empty or too long");
  }
}

TEST(RegistrationJson, AModelHasAtMost24ValuesFourLevelsDeep) {
  const auto with = [](int count) {
    std::string members;
    for (int i = 0; i < count; ++i) {
      members += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
    }
    return "\"model\":{" + members + "}";
  };
  const Registration one = One(with(24));
  ASSERT_EQ(one.model.size(), 24u);
  EXPECT_EQ(one.model[23], (std::pair<std::string, std::string>("k23", "23")));
  EXPECT_EQ(Describe("{" + with(25) + "}"), "registration 1: \"model\" has more than 24 values");
  const Registration deep =
      One(R"("parallelism":{"a":{"b":{"c":{"d":1}}},"e":null,"f":false,"g":-2,"h":1e-7})");
  EXPECT_EQ(deep.parallelism,
            (Entries{{"a_b_c_d", "1"}, {"f", "false"}, {"g", "-2"}, {"h", "1e-07"}}));
  EXPECT_TRUE(deep.model.empty());
}

TEST(RegistrationJson, ARequestHasAtMost131072Registrations) {
  std::string list = "[{}";
  for (int i = 1; i < 131'072; ++i) list += ",{}";
  EXPECT_EQ(ParseRegistrations(list + "]")->size(), size_t{131'072});
  EXPECT_EQ(Message(ParseRegistrations(list + ",{}]").status()),
            "registration 131073: a request may have at most 131072 registrations");
}

TEST(RegistrationJson, LinesAreCountedWithThoseThatAreEmpty) {
  EXPECT_EQ(ParseRegistrations("{}\n \t\r\n\n{}")->size(), 2u);
  EXPECT_EQ(Describe("{}\n\n{\n").substr(0, 8), "line 3: ");
  EXPECT_EQ(Describe("{}\n7\n"), "registration 2: not a JSON object");
  EXPECT_EQ(Describe("[{}, 7]"), "registration 2: not a JSON object");
}

}  // namespace
}  // namespace lockstep::identity
