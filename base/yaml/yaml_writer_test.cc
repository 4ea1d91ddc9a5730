#include "base/yaml/yaml_writer.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(YamlWriterTest, WritesBlocks) {
  YamlWriter yaml;
  yaml.BeginMap();
  yaml.Text("interval", "15s");
  yaml.Bool("follow", true);
  yaml.Number("limit", 7);
  yaml.Texts("targets", {"a:1", "b:2"});
  yaml.Key("inner");
  yaml.BeginMap();
  yaml.Text("k", "v");
  yaml.EndMap();
  yaml.EndMap();
  EXPECT_EQ(yaml.TakeText(),
            "interval: 15s\n"
            "follow: true\n"
            "limit: 7\n"
            "targets:\n"
            "  - a:1\n"
            "  - b:2\n"
            "inner:\n"
            "  k: v\n");
}

TEST(YamlWriterTest, ATextStaysOne) {
  for (const std::string_view text :
       {"",     "1",          "-1.5e3", "0x1F",     "1_000", "0o17", "2026-11-24", "190:20:30",
        "true", "Yes",        "NULL",   "~",        ".inf",  ".NaN", "- a",        "a: b",
        "#",    "two\nlines", "\"",     "<secret>", "a",     "ü"}) {
    YamlWriter yaml;
    yaml.BeginMap();
    yaml.Text("k", text);
    yaml.EndMap();
    const std::string written = yaml.TakeText();
    const YAML::Node value = YAML::Load(written)["k"];
    EXPECT_EQ(value.Scalar(), text) << written;
    bool as_bool = false;
    double as_number = 0;
    const bool is_quoted = written.find('"') != std::string::npos;
    EXPECT_TRUE(is_quoted || !(YAML::convert<bool>::decode(value, as_bool) ||
                               YAML::convert<double>::decode(value, as_number) || value.IsNull()))
        << written;
  }
}

}  // namespace
}  // namespace lockstep
