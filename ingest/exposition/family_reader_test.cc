// Builds messages byte by byte, as prometheus/client_model describes them.
#include "ingest/exposition/family_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace lockstep::exposition {
namespace {

constexpr HistogramChoice kClassic = {};
constexpr HistogramChoice kNative = {.takes_native = true};
constexpr HistogramChoice kBoth = {.takes_native = true, .takes_both = true};

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Tag(int field, int wire_type) {
  return Varint(static_cast<uint64_t>(field << 3 | wire_type));
}
std::string Number(int field, uint64_t value) { return Tag(field, 0) + Varint(value); }
std::string Double(int field, double value) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  return Tag(field, 1) + std::string(bytes, sizeof(bytes));
}
std::string Bytes(int field, const std::string& value) {
  return Tag(field, 2) + Varint(value.size()) + value;
}
// Encodes a sint32 or sint64.
uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
std::string Delimited(const std::string& message) { return Varint(message.size()) + message; }

std::string Label(const std::string& name, const std::string& value) {
  return Bytes(1, Bytes(1, name) + Bytes(2, value));
}
std::string Exemplar(const std::string& trace, double value, int64_t seconds, int64_t nanoseconds) {
  return Label("trace", trace) + Double(2, value) +
         Bytes(3, Number(1, static_cast<uint64_t>(seconds)) +
                      Number(2, static_cast<uint64_t>(nanoseconds)));
}
enum Type { kCounter, kGauge, kSummary, kUntyped, kHistogram, kGaugeHistogram };
// A family of one metric with `content` in its type's field.
std::string Family(const std::string& name, Type type, const std::string& labels, int field,
                   const std::string& content) {
  return Delimited(Bytes(1, name) + Number(3, type) + Bytes(4, labels + Bytes(field, content)));
}
std::string Span(int field, int64_t offset, uint64_t length) {
  return Bytes(field, Number(1, ZigZag(offset)) + Number(2, length));
}

std::string Counts(const std::vector<BucketSpan>& spans, const std::vector<double>& counts) {
  std::string text;
  for (const BucketSpan& span : spans)
    absl::StrAppendFormat(&text, "%d:%d ", span.offset, span.length);
  return text + absl::StrJoin(counts, ",");
}

std::string TextOf(const TextEntry& entry) {
  std::string time;
  if (entry.timestamp_ms.has_value()) time = absl::StrFormat(" @%d", *entry.timestamp_ms);
  switch (entry.kind) {
    case EntryKind::kType:
      return absl::StrFormat("type %s %s", entry.metric, entry.text);
    case EntryKind::kHelp:
      return absl::StrFormat("help %s %s", entry.metric, entry.text);
    case EntryKind::kUnit:
      return absl::StrFormat("unit %s %s", entry.metric, entry.text);
    case EntryKind::kSample:
      return absl::StrFormat("%s %g%s", entry.series, entry.value, time);
    case EntryKind::kHistogram: {
      const Histogram& h = *entry.histogram;
      return absl::StrFormat("%s schema %d hint %d count %g sum %g zero %g <= %g [%s] -[%s]%s",
                             entry.series, h.schema, static_cast<int>(h.reset_hint), h.count, h.sum,
                             h.zero_count, h.zero_threshold,
                             Counts(h.positive_spans, h.positive_counts),
                             Counts(h.negative_spans, h.negative_counts), time);
    }
    case EntryKind::kExemplar:
      return absl::StrFormat("# %s %s", entry.series, entry.exemplar);
    default:
      return "?";
  }
}

// The entries of `body`, and the error at the end if any.
std::vector<std::string> Read(std::string_view body, const HistogramChoice& choice) {
  FamilyReader reader(body, choice);
  std::vector<std::string> entries;
  TextEntry entry;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(entry);
    if (!more.ok()) entries.push_back(std::string(Message(more.status())));
    if (!more.ok() || !*more) return entries;
    entries.push_back(TextOf(entry));
  }
}

void Check(const std::string& body, const HistogramChoice& choice,
           const std::vector<std::string>& expected) {
  EXPECT_EQ(absl::StrJoin(Read(body, choice), "\n"), absl::StrJoin(expected, "\n"));
}

TEST(FamilyReaderTest, NumbersAndWhatIsSaidOfThem) {
  Check("", kClassic, {});
  Check(Delimited(Bytes(1, "x_bytes_total") + Bytes(2, "a \"b\"\n\\") + Number(3, kCounter) +
                  Bytes(4, Label("a", "1") + Label("b", "q\"\\\n") + Bytes(3, Double(1, 2.5)) +
                               Number(6, 1700)) +
                  Bytes(4, Bytes(3, Double(1, 3) + Bytes(2, Exemplar("t", 0.5, 17, 250'000'000)))) +
                  Bytes(5, "bytes")),
        kClassic,
        {"type x_bytes_total counter", R"(help x_bytes_total a \"b\"\n\\)",
         "unit x_bytes_total bytes", R"(x_bytes_total{a="1",b="q\"\\\n"} 2.5 @1700)",
         "x_bytes_total 3", R"(# x_bytes_total {trace="t"} 0.5 17.250)"});
  Check(Family("g", kGauge, "", 2, Double(1, -1)) + Family("u", kUntyped, "", 5, Double(1, 7)),
        kClassic, {"type g gauge", "g -1", "type u unknown", "u 7"});
  // UTF-8 names; a family without metrics; an omitted value is 0.
  Check(Family("a.b", kGauge, Label("c.d", "e"), 2, "") + Delimited(Bytes(1, "none")) +
            Family("rule:x", kGauge, "", 2, ""),
        kClassic, {"type a.b gauge", R"({"a.b","c.d"="e"} 0)", "type rule:x gauge", "rule:x 0"});
}

TEST(FamilyReaderTest, Summaries) {
  Check(Family("s", kSummary, Label("a", "b"), 4,
               Number(1, 5) + Double(2, 1.5) + Bytes(3, Double(1, 0.5) + Double(2, 0.25)) +
                   Bytes(3, Double(1, 1) + Double(2, 3))),
        kClassic,
        {"type s summary", R"(s_count{a="b"} 5)", R"(s_sum{a="b"} 1.5)",
         R"(s{a="b",quantile="0.5"} 0.25)", R"(s{a="b",quantile="1.0"} 3)"});
}

std::string ClassicBuckets() {
  return Number(1, 4) + Double(2, 2.5) + Bytes(3, Number(1, 1) + Double(2, 1)) +
         Bytes(3, Number(1, 3) + Double(2, 1e6) + Bytes(3, Exemplar("c", 9, 5, 0)));
}
// Schema 3: a bucket of 1 at 0, then one of 2; 1 around zero.
std::string NativeBuckets() {
  return Number(5, ZigZag(3)) + Double(6, 0.001) + Number(7, 1) + Span(12, 0, 2) +
         Bytes(13, Varint(ZigZag(1)) + Varint(ZigZag(1)));
}

TEST(FamilyReaderTest, ClassicHistograms) {
  const std::vector<std::string> classic = {"type h histogram",
                                            "h_count 4",
                                            "h_sum 2.5",
                                            R"(h_bucket{le="1.0"} 1)",
                                            R"(h_bucket{le="1e+06"} 3)",
                                            R"(# h_bucket{le="1e+06"} {trace="c"} 9 5)",
                                            R"(h_bucket{le="+Inf"} 4)"};
  for (const HistogramChoice& choice : {kClassic, kNative}) {
    Check(Family("h", kHistogram, "", 7, ClassicBuckets()), choice, classic);
  }
  Check(Family("h", kHistogram, "", 7, ClassicBuckets() + NativeBuckets()), kClassic, classic);
  Check(Family("h", kHistogram, "", 7,
               Number(1, 2) +
                   Bytes(3, Number(1, 2) + Double(2, std::numeric_limits<double>::infinity()))),
        kClassic, {"type h histogram", "h_count 2", "h_sum 0", R"(h_bucket{le="+Inf"} 2)"});
}

TEST(FamilyReaderTest, NativeHistograms) {
  const std::string native = "h schema 3 hint 0 count 4 sum 2.5 zero 1 <= 0.001 [0:2 1,2] -[]";
  const std::string both = ClassicBuckets() + NativeBuckets();
  Check(Family("h", kHistogram, "", 7, both), kNative,
        {"type h histogram", native, R"(# h {trace="c"} 9 5)"});
  // Native exemplars win; those without a timestamp are ignored.
  Check(Family("h", kHistogram, "", 7,
               both + Bytes(16, Exemplar("n", 1, 6, 0)) + Bytes(16, Label("trace", "timeless")) +
                   Bytes(16, Exemplar("m", 2, 7, 0))),
        kNative, {"type h histogram", native, R"(# h {trace="n"} 1 6)", R"(# h {trace="m"} 2 7)"});
  Check(Family("h", kHistogram, "", 7, both), kBoth,
        {"type h histogram", native, R"(# h {trace="c"} 9 5)", "h_count 4", "h_sum 2.5",
         R"(h_bucket{le="1.0"} 1)", R"(h_bucket{le="1e+06"} 3)",
         R"(# h_bucket{le="1e+06"} {trace="c"} 9 5)", R"(h_bucket{le="+Inf"} 4)"});
  // A float gauge histogram with negative buckets.
  Check(Family("h", kGaugeHistogram, "", 7,
               Double(4, 2.5) + Double(2, 1) + Span(9, -1, 1) + Double(11, 2.5)),
        kNative,
        {"type h gaugehistogram", "h schema 0 hint 3 count 2.5 sum 1 zero 0 <= 0 [] -[-1:1 2.5]"});
  // Without observations: an empty span marks it as native.
  Check(Family("h", kHistogram, "", 7, Span(12, 0, 0)), kNative,
        {"type h histogram", "h schema 0 hint 0 count 0 sum 0 zero 0 <= 0 [0:0 ] -[]"});
}

TEST(FamilyReaderTest, SaysWhatIsWrong) {
  const std::string good = Family("g", kGauge, "", 2, "");
  const auto error = [](const std::string& body) { return Read(body, kNative).back(); };
  EXPECT_EQ(
      error(good + Family("h", kHistogram, "", 7, Number(1, 1) + Span(12, 0, 1))),
      "metric family 2: 0 observations found in buckets, but the Count field is 1: histogram's "
      "observation count should equal the number of observations found in the buckets (in "
      "absence of NaN)");
  EXPECT_EQ(error(Delimited(Bytes(1, "a_total") + Bytes(4, "") + Bytes(5, "seconds"))),
            "metric family 1: the metric name \"a_total\" does not end with its unit \"seconds\"");
  EXPECT_EQ(error(Delimited(Bytes(2, "\xff") + Bytes(4, ""))),
            "metric family 1: the help text is not valid UTF-8");
  // Truncated anywhere except between families.
  const std::string body = good + Family("h", kHistogram, "", 7, ClassicBuckets());
  for (size_t size = 1; size < body.size(); ++size) {
    if (size == good.size()) continue;
    EXPECT_TRUE(error(body.substr(0, size)).find("not a MetricFamily message") != std::string::npos)
        << size;
  }
}

TEST(FamilyReaderTest, ANativeHistogramIsKnownByAnyOfItsFields) {
  const auto native = [](const std::string& fields) {
    return Read(Family("h", kHistogram, "", 7, fields), kNative).at(1);
  };
  EXPECT_EQ(native(Double(6, 0.001)), "h schema 0 hint 0 count 0 sum 0 zero 0 <= 0.001 [] -[]");
  EXPECT_EQ(native(Number(1, 2) + Number(7, 2)),
            "h schema 0 hint 0 count 2 sum 0 zero 2 <= 0 [] -[]");
  EXPECT_EQ(native(Double(4, 2.5) + Double(8, 2.5)),
            "h schema 0 hint 0 count 2.5 sum 0 zero 2.5 <= 0 [] -[]");
  EXPECT_EQ(native(Span(9, 3, 0)), "h schema 0 hint 0 count 0 sum 0 zero 0 <= 0 [] -[3:0 ]");
  EXPECT_EQ(native(Double(2, 5)), "h_count 0");
}

TEST(FamilyReaderTest, FloatsOfClassicHistograms) {
  Check(Family("h", kHistogram, "", 7, Double(4, 2.5) + Bytes(3, Double(4, 1.5) + Double(2, 1))),
        kClassic,
        {"type h histogram", "h_count 2.5", "h_sum 0", R"(h_bucket{le="1.0"} 1.5)",
         R"(h_bucket{le="+Inf"} 2.5)"});
}

TEST(FamilyReaderTest, WithoutClassicBucketsTheNativeHistogramIsAll) {
  Check(Family("h", kHistogram, "", 7, Number(1, 4) + NativeBuckets()), kBoth,
        {"type h histogram", "h schema 3 hint 0 count 4 sum 0 zero 1 <= 0.001 [0:2 1,2] -[]"});
}

TEST(FamilyReaderTest, ExemplarsOfNativeHistogramsNeedATime) {
  const std::string timeless = Label("trace", "x") + Double(2, 1);
  // Without a time, a classic exemplar is one of its bucket only.
  Check(Family("h", kHistogram, "", 7,
               Number(1, 4) + NativeBuckets() +
                   Bytes(3, Number(1, 3) + Double(2, 1) + Bytes(3, timeless))),
        kBoth,
        {"type h histogram", "h schema 3 hint 0 count 4 sum 0 zero 1 <= 0.001 [0:2 1,2] -[]",
         "h_count 4", "h_sum 0", R"(h_bucket{le="1.0"} 3)", R"(# h_bucket{le="1.0"} {trace="x"} 1)",
         R"(h_bucket{le="+Inf"} 4)"});
}

TEST(FamilyReaderTest, TimesOfMetricsAndExemplars) {
  const auto metric = [](const std::string& fields) { return Bytes(4, Bytes(3, fields)); };
  const auto exemplar = [&](int64_t seconds, int64_t nanoseconds) {
    return metric(Double(1, 1) + Bytes(2, Exemplar("t", 0.5, seconds, nanoseconds)));
  };
  Check(Delimited(Bytes(1, "c") + Bytes(4, Bytes(3, Double(1, 1)) + Number(6, 0)) +
                  Bytes(4, Bytes(3, Double(1, 2)) + Number(6, static_cast<uint64_t>(-5))) +
                  exemplar(17, 1'999'999) + exemplar(-2, 0) +
                  exemplar(std::numeric_limits<int64_t>::max(), 0) +
                  metric(Double(1, 3) + Bytes(2, Label("trace", "t") + Double(2, 0.5)))),
        kClassic,
        {"type c counter", "c 1", "c 2 @-5", "c 1", R"(# c {trace="t"} 0.5 17.001)", "c 1",
         R"(# c {trace="t"} 0.5 -2)", "c 1", R"(# c {trace="t"} 0.5 4503599627370496)", "c 3",
         R"(# c {trace="t"} 0.5)"});
}

TEST(FamilyReaderTest, UnknownTypesAreUntyped) {
  for (const uint64_t type : {uint64_t{6}, uint64_t{99}, static_cast<uint64_t>(-1)}) {
    Check(Delimited(Bytes(1, "x") + Number(3, type) + Bytes(4, Bytes(5, Double(1, 7)))), kClassic,
          {"type x unknown", "x 7"});
  }
  Check(Family("g", kGaugeHistogram, "", 7, ""), kClassic,
        {"type g gaugehistogram", "g_count 0", "g_sum 0", R"(g_bucket{le="+Inf"} 0)"});
}

TEST(FamilyReaderTest, AUnitIsTheEndOfTheName) {
  const auto last = [](Type type, const std::string& name) {
    return Read(Delimited(Bytes(1, name) + Number(3, type) + Bytes(4, "") + Bytes(5, "bytes")),
                kClassic)
        .at(0);
  };
  EXPECT_EQ(last(kGauge, "x_bytes"), "type x_bytes gauge");
  EXPECT_EQ(last(kCounter, "x_bytes"), "type x_bytes counter");
  EXPECT_EQ(last(kCounter, "x_bytes_total"), "type x_bytes_total counter");
  for (const std::string name : {"bytes", "xbytes", "x_bytes_total", "x_byte"}) {
    EXPECT_EQ(last(kGauge, name), "metric family 1: the metric name \"" + name +
                                      "\" does not end with its unit \"bytes\"");
  }
}

TEST(FamilyReaderTest, ANameThatIsNoneIsQuoted) {
  Check(Family("1a", kGauge, Label("a:b", "c") + Label("9", ""), 2, "") +
            Family("", kGauge, "", 2, "") + Family("s.x", kSummary, "", 4, ""),
        kClassic,
        {"type 1a gauge", R"({"1a","a:b"="c","9"=""} 0)", "type  gauge", R"({""} 0)",
         "type s.x summary", R"({"s.x_count"} 0)", R"({"s.x_sum"} 0)"});
}

}  // namespace
}  // namespace lockstep::exposition
