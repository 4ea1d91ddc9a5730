#include "base/yaml/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

// What reading a map with the keys `name`, `is_on` and `list` gives: the error, or the values that
// were there.
std::string ReadAs(std::string_view yaml, std::string_view where = "") {
  const auto root = ParseYamlMap(yaml, "a.yml");
  if (!root.ok()) return std::string(Message(root.status()));
  std::string read;
  const absl::Status status = ReadYamlMap(
      "a.yml", *root, where,
      {{"name",
        [&](const YAML::Node& node) -> absl::Status {
          LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText("a.yml", node, "name"));
          read += "name=" + text + ";";
          return absl::OkStatus();
        }},
       {"is_on",
        [&](const YAML::Node& node) -> absl::Status {
          LOCKSTEP_ASSIGN_OR_RETURN(const bool is_on, YamlBool("a.yml", node, "is_on"));
          read += is_on ? "on;" : "off;";
          return absl::OkStatus();
        }},
       {"list", [&](const YAML::Node& node) -> absl::Status {
          LOCKSTEP_ASSIGN_OR_RETURN(const auto texts, YamlTexts("a.yml", node, "list"));
          for (const std::string& text : texts) read += text + ",";
          return absl::OkStatus();
        }}});
  EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kInvalidArgument);
  return status.ok() ? read : std::string(Message(status));
}

TEST(YamlReaderTest, ReadsEachKeyThatIsThere) {
  EXPECT_EQ(ReadAs("name: x\nis_on: true\nlist: [a, b]\n"), "name=x;on;a,b,");
  EXPECT_EQ(ReadAs("list: []\nis_on: false\n"), "off;");
  EXPECT_EQ(ReadAs("name: 15\n"), "name=15;");
}

TEST(YamlReaderTest, NothingIsAnEmptyMap) {
  for (const char* yaml : {"", "\n", "# only a comment\n", "---\n", "~\n", "{}\n"}) {
    EXPECT_EQ(ReadAs(yaml), "") << yaml;
  }
  EXPECT_TRUE(ParseYamlMap("", "a.yml")->IsMap());
  // Nor does a key without a value.
  EXPECT_TRUE(ReadYamlMap("a.yml", YAML::Load("k:")["k"], "k", {}).ok());
}

TEST(YamlReaderTest, WhatIsNoMapIsAnError) {
  EXPECT_EQ(ReadAs("- a\n"), "a.yml line 1: expected keys and values");
  EXPECT_EQ(ReadAs("\n\nword\n"), "a.yml line 3: expected keys and values");
  EXPECT_THAT(ReadAs("name: x\nis_on: [\n"), testing::StartsWith("a.yml line 3: invalid YAML: "));
  const YAML::Node root = YAML::Load("a: b\nk: [x]\n");
  EXPECT_EQ(ReadYamlMap("a.yml", root["k"], "k", {}),
            absl::InvalidArgumentError("a.yml line 2: k has to hold keys and values"));
}

TEST(YamlReaderTest, UnknownKeysAreNamedWithTheKnownOnes) {
  EXPECT_EQ(ReadAs("name: x\nother: y\n"),
            "a.yml line 2: unknown key \"other\"; the known keys are name, is_on, list");
  EXPECT_EQ(ReadAs("other: y\n", "outer"),
            "a.yml line 1: unknown key \"other\" in outer; the known keys are name, is_on, list");
}

// A value may be secret, and it is a part of the key where the colon is missing.
TEST(YamlReaderTest, ValuesAreNotShown) {
  EXPECT_EQ(ReadAs("? password hush\n: x\n"),
            "a.yml line 1: unknown key \"password\"; the known keys are name, is_on, list");
  EXPECT_EQ(ReadAs("\"password\\thush\": x\n"),
            "a.yml line 1: unknown key \"password\"; the known keys are name, is_on, list");
}

TEST(YamlReaderTest, KeysAreWordsThatComeOnce) {
  EXPECT_EQ(ReadAs("name: x\n[a]: y\n"), "a.yml line 2: a key has to be a word");
  EXPECT_EQ(ReadAs("name: x\nis_on: true\nname: y\n"), "a.yml line 3: duplicate key \"name\"");
}

TEST(YamlReaderTest, ValuesHaveTheirTypes) {
  EXPECT_EQ(ReadAs("name: [x]\n"), "a.yml line 1: name has to be a string");
  for (const char* yaml : {"is_on: yes", "is_on: 1", "is_on: True", "is_on: [true]", "is_on:"}) {
    EXPECT_EQ(ReadAs(yaml), "a.yml line 1: is_on has to be true or false") << yaml;
  }
  EXPECT_EQ(ReadAs("list: x\n"), "a.yml line 1: list has to be a list");
  EXPECT_EQ(ReadAs("list:\n- a\n- {b: c}\n"), "a.yml line 3: list has to be a string");
}

}  // namespace
}  // namespace lockstep
