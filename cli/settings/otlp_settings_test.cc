#include "cli/settings/otlp_settings.h"

#include <gtest/gtest.h>

#include "cli/settings/config_file.h"

namespace lockstep::cli {
namespace {

absl::StatusOr<ServeOptions> ReadOtlp(const std::string& section) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<GivenValue> given,
                            ParseConfig("otlp:\n" + section, "a.yml"));
  return MakeServeOptions(given);
}

TEST(OtlpSettingsTest, DefaultsAreThoseOfPrometheus) {
  const absl::StatusOr<ServeOptions> options = MakeServeOptions({});
  ASSERT_TRUE(options.ok()) << options.status();
  const otlp::Translation& otlp = options->otlp;
  EXPECT_EQ(otlp.names, otlp::NameTranslation::kUnderscoreEscapingWithSuffixes);
  EXPECT_FALSE(otlp.promotion.promotes_all);
  EXPECT_TRUE(otlp.promotion.attributes.empty());
  EXPECT_FALSE(otlp.keeps_identifying_attributes);
  EXPECT_EQ(otlp.histograms, otlp::HistogramForm::kClassic);
  EXPECT_FALSE(otlp.promotes_scope);
  // The one difference from Prometheus' defaults.
  EXPECT_EQ(otlp.deltas, otlp::DeltaPolicy::kAddUp);
}

TEST(OtlpSettingsTest, EverythingCanBeSet) {
  const absl::StatusOr<ServeOptions> options = ReadOtlp(
      "  translation_strategy: NoUTF8EscapingWithSuffixes\n"
      "  promote_resource_attributes: [host.name, \" k8s.pod.name\"]\n"
      "  keep_identifying_resource_attributes: true\n"
      "  convert_histograms_to_nhcb: true\n"
      "  promote_scope_metadata: true\n"
      "  deltas: keep\n");
  ASSERT_TRUE(options.ok()) << options.status();
  const otlp::Translation& otlp = options->otlp;
  EXPECT_EQ(otlp.names, otlp::NameTranslation::kNoUtf8EscapingWithSuffixes);
  EXPECT_EQ(otlp.promotion.attributes, (StringSet{"host.name", "k8s.pod.name"}));
  EXPECT_TRUE(otlp.keeps_identifying_attributes);
  EXPECT_EQ(otlp.histograms, otlp::HistogramForm::kCustomBuckets);
  EXPECT_TRUE(otlp.promotes_scope);
  EXPECT_EQ(otlp.deltas, otlp::DeltaPolicy::kKeep);
  // The displayed configuration includes it.
  EXPECT_NE(ToYaml(options->texts).find("promote_resource_attributes:\n    - host.name\n"),
            std::string::npos);
}

TEST(OtlpSettingsTest, AllButTheIgnoredAttributesArePromoted) {
  const absl::StatusOr<ServeOptions> options = ReadOtlp(
      "  promote_all_resource_attributes: true\n"
      "  ignore_resource_attributes: [process.pid]\n");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->otlp.promotion.promotes_all);
  EXPECT_EQ(options->otlp.promotion.attributes, StringSet{"process.pid"});
}

TEST(OtlpSettingsTest, SaysWhatIsWrongAndWhere) {
  struct Row {
    const char* section;
    const char* error;
  };
  for (const Row& row : {
           Row{"  color: red\n", "a.yml line 2: unknown key \"otlp.color\""},
           Row{"  translation_strategy: None\n",
               "a.yml line 2: otlp.translation_strategy: \"None\" is not one of "
               "UnderscoreEscapingWithSuffixes, UnderscoreEscapingWithoutSuffixes, "
               "NoUTF8EscapingWithSuffixes, NoTranslation"},
           Row{"  promote_scope_metadata: yes\n",
               "a.yml line 2: otlp.promote_scope_metadata: \"yes\" is neither true nor false"},
           Row{"  promote_resource_attributes: [a, a]\n",
               "a.yml line 2: otlp.promote_resource_attributes[1]: \"a\" is listed twice"},
           Row{"  promote_resource_attributes: [\" \"]\n",
               "a.yml line 2: otlp.promote_resource_attributes[0]: an attribute name is empty"},
           Row{"  promote_resource_attributes: a\n",
               "a.yml line 2: unknown key \"otlp.promote_resource_attributes\""},
           Row{"  ignore_resource_attributes: [a]\n",
               "a.yml line 2: otlp.ignore_resource_attributes[0] requires "
               "promote_all_resource_attributes: true"},
           Row{"  promote_resource_attributes: [a]\n  promote_all_resource_attributes: true\n",
               "a.yml line 2: otlp.promote_resource_attributes[0] cannot be combined with "
               "promote_all_resource_attributes: true"},
       }) {
    EXPECT_EQ(Message(ReadOtlp(row.section).status()), row.error);
  }
}

}  // namespace
}  // namespace lockstep::cli
