#include "scrape/config/relabel.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

// Rules omit fields whose defaults they use.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace lockstep::scrape {
namespace {

using enum RelabelAction;

LabelSet Input() {
  return LabelSet::Of({{"a", "foo"}, {"b", "bar"}, {"c", "baz"}, {"__meta_rack", "R1"}});
}

// The resulting labels, "dropped", or "error: ...".
std::string Applied(RelabelSpec spec, const LabelSet& input = Input()) {
  const absl::StatusOr<RelabelRule> rule = RelabelRule::Make(std::move(spec));
  if (!rule.ok()) return "error: " + std::string(Message(rule.status()));
  LabelSetBuilder builder(input);
  return rule->Apply(builder) ? builder.Build().ToString() : "dropped";
}

struct RuleRow {
  RelabelSpec spec;
  std::string_view expected;
};

constexpr std::string_view kUnchanged = R"({__meta_rack="R1", a="foo", b="bar", c="baz"})";

// The expected values follow from the description of relabel_config in Prometheus' documentation.
TEST(RelabelTest, Replaces) {
  for (const RuleRow& row : {
           // The joined sources must match completely; the separator is ';'.
           RuleRow{{.source_labels = {"a"},
           .regex = "f(.*)",
           .replacement = "ch$1-ch$1",
           .target_label = "d"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", d="choo-choo"})"},
           RuleRow{{.source_labels = {"a", "b"},
           .regex = "f(.*);(.*)r",
           .replacement = "b${1}${2}m",
           .target_label = "a"},
                   R"({__meta_rack="R1", a="boobam", b="bar", c="baz"})"},
           RuleRow{{.source_labels = {"a", "b"}, .separator = "", .target_label = "d"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", d="foobar"})"},
           RuleRow{{.source_labels = {"a"}, .regex = "o", .replacement = "x", .target_label = "d"},
                   kUnchanged},
           RuleRow{
               {.source_labels = {"a"}, .regex = "fo|x", .replacement = "x", .target_label = "d"},
               kUnchanged},
           // A constant; an empty value deletes; a missing label is empty.
           RuleRow{{.replacement = "x", .target_label = "b"},
                   R"({__meta_rack="R1", a="foo", b="x", c="baz"})"},
           RuleRow{{.replacement = "", .target_label = "b"},
                   R"({__meta_rack="R1", a="foo", c="baz"})"},
           RuleRow{{.source_labels = {"none"}, .target_label = "b"},
                   R"({__meta_rack="R1", a="foo", c="baz"})"},
           // References in the target; named ones; to missing groups; an escaped dollar.
           RuleRow{{.source_labels = {"a"},
           .regex = "(f).*",
           .replacement = "v",
           .target_label = "x_${1}"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", x_f="v"})"},
           RuleRow{{.source_labels = {"a"},
           .regex = "(?P<first>.).*",
           .replacement = "$first",
           .target_label = "d"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", d="f"})"},
           RuleRow{{.source_labels = {"a"}, .replacement = "$1x$2$$1$", .target_label = "d"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", d="$1$"})"},
           RuleRow{{.source_labels = {"a"},
           .regex = "(x)?.*",
           .replacement = "$1",
           .target_label = "a"},
                   R"({__meta_rack="R1", b="bar", c="baz"})"},
       }) {
    EXPECT_EQ(Applied(row.spec), row.expected);
  }
  EXPECT_EQ(
      Applied({.source_labels = {"a"}, .regex = "x.y", .replacement = "z", .target_label = "a"},
              LabelSet::Of({{"a", "x\ny"}})),
      R"({a="z"})");
}

TEST(RelabelTest, KeepsAndDrops) {
  for (const RuleRow& row : {
           RuleRow{{.action = kKeep, .source_labels = {"a"}, .regex = "foo"}, kUnchanged},
           RuleRow{{.action = kKeep, .source_labels = {"a"}, .regex = "fo"}, "dropped"},
           RuleRow{{.action = kDrop, .source_labels = {"a", "b"}, .regex = "foo;b.*"}, "dropped"},
           RuleRow{{.action = kDrop, .source_labels = {"a"}, .regex = "o"}, kUnchanged},
           RuleRow{{.action = kKeepEqual, .source_labels = {"a"}, .target_label = "b"}, "dropped"},
           RuleRow{{.action = kKeepEqual, .source_labels = {"a"}, .target_label = "a"}, kUnchanged},
           RuleRow{{.action = kDropEqual, .source_labels = {"a"}, .target_label = "b"}, kUnchanged},
           RuleRow{{.action = kDropEqual, .source_labels = {"none"}, .target_label = "other"},
                   "dropped"},
       }) {
    EXPECT_EQ(Applied(row.spec), row.expected);
  }
}

TEST(RelabelTest, RewritesNamesAndCase) {
  for (const RuleRow& row : {
           RuleRow{{.action = kLabelMap, .regex = "__meta_(.*)"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", rack="R1"})"},
           RuleRow{{.action = kLabelMap, .regex = "a|b", .replacement = "same"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", same="bar"})"},
           RuleRow{{.action = kLabelDrop, .regex = "a|__.*"}, R"({b="bar", c="baz"})"},
           RuleRow{{.action = kLabelKeep, .regex = "a|b"}, R"({a="foo", b="bar"})"},
           RuleRow{{.action = kLowercase, .source_labels = {"__meta_rack"}, .target_label = "r"},
                   R"({__meta_rack="R1", a="foo", b="bar", c="baz", r="r1"})"},
           RuleRow{{.action = kUppercase, .source_labels = {"a", "b"}, .target_label = "a"},
                   R"({__meta_rack="R1", a="FOO;BAR", b="bar", c="baz"})"},
       }) {
    EXPECT_EQ(Applied(row.spec), row.expected);
  }
}

// md5("foo") is acbd18db4cc2f85cedef654fccc4a4d8: its last eight bytes as a number.
TEST(RelabelTest, HashesAsPrometheusDoes) {
  EXPECT_EQ(
      Applied({.action = kHashMod, .source_labels = {"a"}, .target_label = "d", .modulus = 1000}),
      absl::StrFormat(R"({__meta_rack="R1", a="foo", b="bar", c="baz", d="%d"})",
                      uint64_t{0xedef654fccc4a4d8} % 1000));
}

TEST(RelabelTest, RefusesFieldsThatDoNotGoTogether) {
  for (const RuleRow& row : {
           RuleRow{{}, "error: action replace needs target_label"},
           RuleRow{{.target_label = "\xff"},
                   "error: action replace has a target_label that is not a label name"},
           RuleRow{{.action = kHashMod, .target_label = "d"},
                   "error: action hashmod needs a nonzero modulus"},
           RuleRow{{.action = kLowercase, .replacement = "x", .target_label = "d"},
                   "error: action lowercase does not take replacement"},
           RuleRow{{.action = kLabelDrop, .source_labels = {"a"}, .regex = "x"},
                   "error: action labeldrop takes only regex"},
           RuleRow{{.action = kKeepEqual, .regex = "x", .target_label = "d"},
                   "error: action keepequal takes only source_labels and target_label"},
           RuleRow{{.action = kLabelMap, .replacement = ""},
                   "error: action labelmap has a replacement that is not a label name"},
           RuleRow{{.action = kUppercase, .replacement = "x", .target_label = "d"},
                   "error: action uppercase does not take replacement"},
           RuleRow{{.action = kLowercase}, "error: action lowercase needs target_label"},
           RuleRow{{.action = kKeepEqual}, "error: action keepequal needs target_label"},
           RuleRow{{.action = kHashMod, .target_label = "\xff", .modulus = 2},
                   "error: action hashmod has a target_label that is not a label name"},
           RuleRow{{.action = kLabelKeep, .regex = "x", .target_label = "d"},
                   "error: action labelkeep takes only regex"},
           RuleRow{{.action = kLabelDrop, .separator = ",", .regex = "x"},
                   "error: action labeldrop takes only regex"},
           RuleRow{{.action = kLabelDrop, .regex = "x", .replacement = "y"},
                   "error: action labeldrop takes only regex"},
           RuleRow{{.action = kLabelDrop, .regex = "x", .modulus = 1},
                   "error: action labeldrop takes only regex"},
           RuleRow{{.action = kDropEqual, .separator = ",", .target_label = "d"},
                   "error: action dropequal takes only source_labels and target_label"},
           RuleRow{{.action = kLabelMap, .replacement = "\xff"},
                   "error: action labelmap has a replacement that is not a label name"},
           // What has its default is as if not given.
           RuleRow{{.action = kLabelDrop, .separator = ";", .regex = "none", .replacement = "$1"},
                   kUnchanged},
           RuleRow{
               {.action = kKeepEqual, .source_labels = {"a"}, .regex = "(.*)", .target_label = "a"},
               kUnchanged},
           RuleRow{{.action = kLowercase,
           .source_labels = {"a"},
           .replacement = "$1",
           .target_label = "a"},
                   kUnchanged},
           RuleRow{{.action = kKeep, .regex = "("},
                   "error: \"(\" is not a regular expression: missing closing ): `(`"},
       }) {
    EXPECT_EQ(Applied(row.spec), row.expected);
  }
}

TEST(RelabelTest, NamesThatAreNoneAreNotSet) {
  EXPECT_EQ(Applied({.source_labels = {"a"}, .regex = "(x)?.*", .target_label = "$1"}), kUnchanged);
  EXPECT_EQ(Applied({.action = kLabelMap, .regex = "(x)?a", .replacement = "$1"}), kUnchanged);
  EXPECT_EQ(Applied({.source_labels = {"a"}, .regex = "f", .target_label = "b"}), kUnchanged);
}

TEST(RelabelTest, ActionsHaveTheirNamesInAnyCase) {
  for (const char* name : {"replace", "keep", "drop", "keepequal", "dropequal", "hashmod",
                           "labelmap", "labeldrop", "labelkeep", "lowercase", "uppercase"}) {
    const auto action = ParseRelabelAction(name);
    ASSERT_TRUE(action.has_value()) << name;
    EXPECT_EQ(Name(*action), name);
  }
  EXPECT_EQ(ParseRelabelAction("LabelDrop"), kLabelDrop);
  EXPECT_FALSE(ParseRelabelAction("").has_value());
}

TEST(RelabelTest, RulesWorkInTurn) {
  std::vector<RelabelRule> rules;
  rules.push_back(*RelabelRule::Make({.source_labels = {"a"}, .target_label = "d"}));
  rules.push_back(*RelabelRule::Make({.action = kDrop, .source_labels = {"d"}, .regex = "foo"}));
  rules.push_back(*RelabelRule::Make({.replacement = "never", .target_label = "a"}));
  LabelSetBuilder builder(Input());
  EXPECT_FALSE(Relabel(rules, builder));
  EXPECT_EQ(builder.Get("d"), "foo");
  EXPECT_EQ(builder.Get("a"), "foo");
}

}  // namespace
}  // namespace lockstep::scrape
