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

}  // namespace
}  // namespace lockstep::identity
