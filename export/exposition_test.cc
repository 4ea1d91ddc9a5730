// The expected texts are the output of Prometheus 3.5 on /federate for the same samples.
#include "export/exposition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <protozero/pbf_reader.hpp>

#include "base/coding.h"

namespace lockstep {
namespace {

constexpr std::string_view kProtobufAccept =
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
constexpr int64_t kTimeMs = 1795308967835;

ExposedSample Of(std::initializer_list<LabelView> labels, double value) {
  return {LabelSet::Of(labels), kTimeMs, value, nullptr};
}

std::string Text(const std::vector<ExposedSample>& samples,
                 NameEscaping escaping = NameEscaping::kUnderscores) {
  return WriteExposition({ExpositionFormat::kText, escaping}, samples);
}

TEST(ExpositionTest, OneLineASample) {
  EXPECT_EQ(
      Text({Of({{"__name__", "odd"}, {"a", "quote \" back \\ nl\n e"}, {"k", "nan"}}, NAN),
            Of({{"__name__", "odd"}, {"k", "big"}}, 1e6),
            Of({{"__name__", "odd"}, {"k", "big2"}}, 123456789),
            Of({{"__name__", "odd"}, {"k", "neg0"}}, -0.0),
            Of({{"__name__", "odd"}, {"k", "ninf"}}, -std::numeric_limits<double>::infinity()),
            Of({{"__name__", "odd"}, {"k", "small"}}, 1e-5),
            Of({{"__name__", "up"}, {"instance", "a:1"}, {"job", "api"}}, 0),
            Of({{"__name__", "up"}, {"job", "b"}}, 3.5)}),
      "# TYPE odd untyped\n"
      "odd{a=\"quote \\\" back \\\\ nl\\n e\",k=\"nan\",instance=\"\"} NaN 1795308967835\n"
      "odd{k=\"big\",instance=\"\"} 1e+06 1795308967835\n"
      "odd{k=\"big2\",instance=\"\"} 1.23456789e+08 1795308967835\n"
      "odd{k=\"neg0\",instance=\"\"} 0 1795308967835\n"
      "odd{k=\"ninf\",instance=\"\"} -Inf 1795308967835\n"
      "odd{k=\"small\",instance=\"\"} 1e-05 1795308967835\n"
      "# TYPE up untyped\n"
      "up{instance=\"a:1\",job=\"api\"} 0 1795308967835\n"
      "up{job=\"b\",instance=\"\"} 3.5 1795308967835\n");
  EXPECT_EQ(Text({}), "");
}

TEST(ExpositionTest, NamesAreEscapedAsTheReaderAsks) {
  const std::vector<ExposedSample> samples = {
      Of({{"__name__", "dotted.name"}, {"l.b", "x"}, {"ok", "y"}}, 1),
      Of({{"__name__", "zürich"}, {"é", "x"}}, 1)};
  EXPECT_EQ(Text(samples),
            "# TYPE dotted_name untyped\n"
            "dotted_name{l_b=\"x\",ok=\"y\",instance=\"\"} 1 1795308967835\n"
            "# TYPE z_rich untyped\nz_rich{_=\"x\",instance=\"\"} 1 1795308967835\n");
  EXPECT_EQ(Text(samples, NameEscaping::kNone),
            "# TYPE \"dotted.name\" untyped\n"
            "{\"dotted.name\",\"l.b\"=\"x\",ok=\"y\",instance=\"\"} 1 1795308967835\n"
            "# TYPE \"zürich\" untyped\n{\"zürich\",\"é\"=\"x\",instance=\"\"} 1 1795308967835\n");
  EXPECT_EQ(Text(samples, NameEscaping::kDots),
            "# TYPE dotted_dot_name untyped\n"
            "dotted_dot_name{l_dot_b=\"x\",ok=\"y\",instance=\"\"} 1 1795308967835\n"
            "# TYPE z__rich untyped\nz__rich{__=\"x\",instance=\"\"} 1 1795308967835\n");
  EXPECT_EQ(Text(samples, NameEscaping::kValues),
            "# TYPE U__dotted_2e_name untyped\n"
            "U__dotted_2e_name{U__l_2e_b=\"x\",ok=\"y\",instance=\"\"} 1 1795308967835\n"
            "# TYPE U__z_fc_rich untyped\nU__z_fc_rich{U___e9_=\"x\",instance=\"\"} 1 "
            "1795308967835\n");
  EXPECT_EQ(EscapeName("1a_b.c", NameEscaping::kDots), "__a__b_dot_c");
  EXPECT_EQ(EscapeName("a_b", NameEscaping::kDots), "a_b");
}

TEST(ExpositionTest, TheReaderChoosesTheFormat) {
  const auto type = [](std::string_view accept) {
    return ContentTypeOf(NegotiateExposition(accept));
  };
  constexpr std::string_view kText =
      "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
  constexpr std::string_view kProtobuf =
      "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
      "encoding=delimited; escaping=underscores";
  EXPECT_EQ(type(""), kText);
  EXPECT_EQ(type("*/*"), kText);
  EXPECT_EQ(type("application/openmetrics-text;version=1.0.0,*/*;q=0.1"), kText);
  EXPECT_EQ(type(kProtobufAccept), kProtobuf);
  EXPECT_EQ(type("text/plain;version=0.0.4;q=0.3, " + std::string(kProtobufAccept) + ";q=0.5"),
            kProtobuf);
  EXPECT_EQ(type("text/plain;version=0.0.4;q=0.7, " + std::string(kProtobufAccept) + ";q=0.5"),
            kText);
  EXPECT_EQ(type("text/plain;version=0.0.4;escaping=allow-utf-8"),
            "text/plain; version=0.0.4; charset=utf-8; escaping=allow-utf-8");
  EXPECT_EQ(type("text/plain; escaping=nonsense"), kText);
}

TEST(ExpositionTest, HistogramsAreFamiliesOfTheirOwnAndNotInText) {
  const auto histogram = [](CounterResetHint hint, int32_t schema) {
    Histogram h;
    h.reset_hint = hint;
    h.schema = schema;
    h.count = 3;
    h.positive_spans = {{0, 1}};
    h.positive_counts = {3};
    return std::make_shared<const Histogram>(h);
  };
  std::vector<ExposedSample> samples = {Of({{"__name__", "a"}}, 1), Of({{"__name__", "h"}}, 1),
                                        Of({{"__name__", "h"}, {"x", "1"}}, 0),
                                        Of({{"__name__", "h"}, {"x", "2"}}, 0),
                                        Of({{"__name__", "h"}, {"x", "3"}}, 0)};
  samples[2].histogram = histogram(CounterResetHint::kUnknown, 0);
  samples[3].histogram = histogram(CounterResetHint::kGauge, 0);
  samples[4].histogram = histogram(CounterResetHint::kUnknown, kCustomBucketsSchema);
  EXPECT_EQ(Text(samples),
            "# TYPE a untyped\na{instance=\"\"} 1 1795308967835\n"
            "# TYPE h untyped\nh{instance=\"\"} 1 1795308967835\n");
  const std::string bytes = WriteExposition(NegotiateExposition(kProtobufAccept), samples);
  std::string families;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    std::string_view message;
    ASSERT_TRUE(GetLengthPrefixed(rest, message));
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      if (reader.tag() == 1)
        families += std::string(reader.get_view()) + ":";
      else if (reader.tag() == 3)
        families += std::to_string(reader.get_enum()) + " ";
      else
        reader.skip();
    }
  }
  EXPECT_EQ(families, "a:3 h:3 h:4 h:5 ");
}

}  // namespace
}  // namespace lockstep
