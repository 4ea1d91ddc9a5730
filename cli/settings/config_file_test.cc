#include "cli/settings/config_file.h"

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

TEST(ConfigFileTest, FlattensNestingAndRemembersLines) {
  const absl::StatusOr<std::vector<GivenValue>> values = ParseConfig(
      "# a comment\n"
      "http: 127.0.0.1:0\n"
      "storage:\n"
      "  retention: {time: 3d}\n"
      "  shards: 2\n"
      "query.timeout: 1m\n",
      "a.yml");
  ASSERT_TRUE(values.ok());
  ASSERT_EQ(values->size(), 4u);
  struct Row {
    std::string_view name, text, origin;
  };
  const Row rows[] = {{"http", "127.0.0.1:0", "a.yml line 2"},
                      {"storage.retention.time", "3d", "a.yml line 4"},
                      {"storage.shards", "2", "a.yml line 5"},
                      {"query.timeout", "1m", "a.yml line 6"}};
  for (size_t i = 0; i < values->size(); ++i) {
    EXPECT_EQ((*values)[i].name, rows[i].name);
    EXPECT_EQ((*values)[i].text, rows[i].text);
    EXPECT_EQ((*values)[i].origin, rows[i].origin);
  }
}

TEST(ConfigFileTest, ListsHaveNumbers) {
  const absl::StatusOr<std::vector<GivenValue>> values =
      ParseConfig("a:\n  b: [x,\n    {c: y}]\n", "a.yml");
  ASSERT_TRUE(values.ok());
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ((*values)[0].name, "a.b[0]");
  EXPECT_EQ((*values)[0].text, "x");
  EXPECT_EQ((*values)[0].origin, "a.yml line 2");
  EXPECT_EQ((*values)[1].name, "a.b[1].c");
  EXPECT_EQ((*values)[1].origin, "a.yml line 3");
}

TEST(ConfigFileTest, AnEmptyFileSetsNothing) {
  const absl::StatusOr<std::vector<GivenValue>> values = ParseConfig("\n# nothing\n", "a.yml");
  ASSERT_TRUE(values.ok());
  EXPECT_TRUE(values->empty());
}

TEST(ConfigFileTest, SaysWhereTheFileIsWrong) {
  struct Row {
    std::string_view yaml, error;
  };
  for (const Row& row : {Row{"http: [1, [2]]\n", "a.yml line 1: \"http\" needs a single value"},
                         Row{"a:\n  b:\n", "a.yml line 2: \"a.b\" needs a single value"},
                         Row{"- a\n", "a.yml line 1: expected keys and values"},
                         Row{"a: b: c\n", "a.yml line 1: invalid YAML: illegal map value"}}) {
    EXPECT_EQ(Message(ParseConfig(row.yaml, "a.yml").status()), row.error);
  }
}

TEST(ConfigFileTest, WritesWhatItReads) {
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"http", ":9009"},  {"web.cors.origin", ".*"}, {"web.config.file", "w.yml"},
      {"web.max-x", "3"}, {"otlp.a[0]", "b"},        {"otlp.a[1]", "c"}};
  const std::string yaml = ToYaml(settings);
  EXPECT_EQ(yaml,
            "http: :9009\n"
            "web:\n"
            "  cors:\n"
            "    origin: .*\n"
            "  config:\n"
            "    file: w.yml\n"
            "  max-x: 3\n"
            "otlp:\n"
            "  a:\n"
            "    - b\n"
            "    - c\n");
  const absl::StatusOr<std::vector<GivenValue>> values = ParseConfig(yaml, "a.yml");
  ASSERT_TRUE(values.ok());
  ASSERT_EQ(values->size(), settings.size());
  for (size_t i = 0; i < settings.size(); ++i) {
    EXPECT_EQ((*values)[i].name, settings[i].first);
    EXPECT_EQ((*values)[i].text, settings[i].second);
  }
}

TEST(ConfigFileTest, LeavesOutWhatOthersRead) {
  const absl::StatusOr<std::vector<GivenValue>> values = ParseConfig(
      "global: {scrape_interval: 5s}\nscrape_configs: [[1]]\nrule_files: [[1]]\n"
      "alerting: [[1]]\nremediation: [[1]]\nhttp: ':1'\n",
      "a.yml");
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_EQ(values->size(), 1u);
  EXPECT_EQ((*values)[0].name, "http");
}

TEST(ConfigFileTest, KeysMustBeScalars) {
  EXPECT_EQ(Message(ParseConfig("? [a, b]\n: c\n", "a.yml").status()),
            "a.yml line 1: keys must be scalars");
  EXPECT_EQ(Message(ParseConfig("a: [{b: [[1]]}]\n", "a.yml").status()),
            "a.yml line 1: \"a[0].b\" needs a single value");
}

TEST(ConfigFileTest, FlagsOverrideTheFile) {
  const TestFolder folder;
  const std::string path = folder.Write("l.yml", "query: {timeout: 7s, max-samples: 5}\n");
  const absl::StatusOr<ServeOptions> options =
      ReadServeOptions(path, {{"query.timeout", "8s", "flag --query.timeout"}});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->query_timeout_ms, 8000);
  EXPECT_EQ(options->max_query_samples, 5);
  EXPECT_EQ(options->config_file, path);
  ASSERT_EQ(options->flags.size(), 1u);
  EXPECT_EQ(options->flags[0].text, "8s");
}

TEST(ConfigFileTest, AFileIsNotNeeded) {
  const absl::StatusOr<ServeOptions> options = ReadServeOptions("", {});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->config_file, "");
  EXPECT_EQ(Message(ReadServeOptions("/does/not/exist", {}).status()),
            "cannot read \"/does/not/exist\"");
}

}  // namespace
}  // namespace lockstep::cli
