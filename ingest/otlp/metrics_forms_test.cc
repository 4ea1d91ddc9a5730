// All forms that a field of a request may have, in protobuf and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "ingest/otlp/metrics_request.h"
#include "ingest/write/ingest_testing.h"
#include "model/sample.h"
#include "protozero/pbf_writer.hpp"

namespace lockstep::otlp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Writer = protozero::pbf_writer;
using Fill = std::function<void(Writer&)>;

constexpr uint64_t kSecond = 1'000'000'000;

// Field `tag` with the message that `fill` writes.
void Put(Writer& out, uint32_t tag, const Fill& fill) {
  Writer message(out, tag);
  fill(message);
}

void PutAttribute(Writer& out, uint32_t tag, std::string_view key, std::string_view value) {
  Put(out, tag, [&](Writer& attribute) {
    attribute.add_string(1, key.data(), key.size());
    Put(attribute, 2, [&](Writer& any) { any.add_string(1, value.data(), value.size()); });
  });
}

// A request of service "s" with one metric "m", whose data is in field `kind`.
std::string RequestWith(
    uint32_t kind, const Fill& data, const Fill& scope = [](Writer&) {}) {
  std::string bytes;
  Writer request(bytes);
  Put(request, 1, [&](Writer& resource_metrics) {
    Put(resource_metrics, 1,
        [&](Writer& resource) { PutAttribute(resource, 1, "service.name", "s"); });
    Put(resource_metrics, 2, [&](Writer& scope_metrics) {
      scope(scope_metrics);
      Put(scope_metrics, 2, [&](Writer& metric) {
        metric.add_string(1, "m");
        metric.add_uint64(99, 1);
        Put(metric, kind, data);
      });
    });
  });
  return bytes;
}

constexpr uint32_t kGaugeField = 5, kSumField = 7, kHistogramField = 9, kExponentialField = 10,
                   kSummaryField = 11;

DecodedWrite Got(absl::StatusOr<DecodedWrite> decoded) {
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}
DecodedWrite OfProtobuf(const std::string& message, const Translation& translation = {},
                        const IngestLimits& limits = {}) {
  return Got(MetricsDecoder(translation).DecodeProtobuf(message, limits, nullptr));
}
// As RequestWith(), of a metric with these members.
DecodedWrite OfJson(std::string_view data, std::string_view scope = "{}",
                    const Translation& translation = {}) {
  return Got(
      MetricsDecoder(translation)
          .DecodeJson(
              absl::StrFormat(
                  R"({"resourceMetrics": [{"resource": {"attributes": [{"key": "service.name",)"
                  R"( "value": {"stringValue": "s"}}]}, "scopeMetrics": [{"scope": %s, )"
                  R"("schemaUrl": "u", "metrics": [{"name": "m", %s}]}]}]})",
                  scope, data),
              {}));
}

// "labels value@time", and of native histograms their counts.
std::vector<std::string> RowsOf(const DecodedWrite& decoded) {
  std::vector<std::string> rows;
  EXPECT_TRUE(decoded.refusals.empty()) << decoded.refusals.ToString();
  for (const SeriesWrite& series : decoded.request.series) {
    std::string row = series.labels.ToString();
    for (const Sample& sample : series.samples) {
      absl::StrAppendFormat(&row, " %s@%d",
                            IsStaleNan(sample.value) ? "stale" : FormatSampleValue(sample.value),
                            sample.timestamp_ms);
    }
    for (const HistogramSample& sample : series.histograms) {
      const Histogram& h = *sample.histogram;
      absl::StrAppendFormat(&row, " %s of %g, zero %g <= %g, schema %d:",
                            IsStaleNan(h.sum) ? "stale" : FormatSampleValue(h.sum), h.count,
                            h.zero_count, h.zero_threshold, h.schema);
      for (const double count : h.positive_counts) absl::StrAppendFormat(&row, " %g", count);
      for (const double count : h.negative_counts) absl::StrAppendFormat(&row, " -%g", count);
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(MetricsForms, NumbersAreDoublesOrIntegers) {
  const auto gauge = [](const Fill& value) {
    return RowsOf(OfProtobuf(RequestWith(kGaugeField, [&](Writer& data) {
      Put(data, 1, [&](Writer& point) {
        point.add_fixed64(3, 2 * kSecond);
        point.add_uint32(99, 1);
        value(point);
      });
    })));
  };
  EXPECT_THAT(gauge([](Writer& point) { point.add_double(4, 1.5); }),
              ElementsAre("m{job=\"s\"} 1.5@2000"));
  EXPECT_THAT(gauge([](Writer& point) { point.add_sfixed64(6, -7); }),
              ElementsAre("m{job=\"s\"} -7@2000"));
  EXPECT_THAT(gauge([](Writer& point) { point.add_uint32(8, 1); }),
              ElementsAre("m{job=\"s\"} stale@2000"));
  // Other flags mean nothing yet.
  EXPECT_THAT(gauge([](Writer& point) { point.add_uint32(8, 2); }),
              ElementsAre("m{job=\"s\"} 0@2000"));
  const auto json = [](std::string_view value) {
    return RowsOf(OfJson(absl::StrFormat(
        R"("gauge": {"dataPoints": [{"timeUnixNano": "2000000000", %s}]})", value)));
  };
  EXPECT_THAT(json(R"("asDouble": 1.5)"), ElementsAre("m{job=\"s\"} 1.5@2000"));
  EXPECT_THAT(json(R"("asDouble": "1.5")"), ElementsAre("m{job=\"s\"} 1.5@2000"));
  EXPECT_THAT(json(R"("asDouble": "NaN")"), ElementsAre("m{job=\"s\"} NaN@2000"));
  EXPECT_THAT(json(R"("asDouble": "Infinity")"), ElementsAre("m{job=\"s\"} +Inf@2000"));
  EXPECT_THAT(json(R"("asDouble": "-Infinity")"), ElementsAre("m{job=\"s\"} -Inf@2000"));
  EXPECT_THAT(json(R"("asDouble": "1.5x")"), ElementsAre("m{job=\"s\"} 0@2000"));
  EXPECT_THAT(json(R"("asDouble": [])"), ElementsAre("m{job=\"s\"} 0@2000"));
  EXPECT_THAT(json(R"("asInt": "-7")"), ElementsAre("m{job=\"s\"} -7@2000"));
  EXPECT_THAT(json(R"("asInt": 7)"), ElementsAre("m{job=\"s\"} 7@2000"));
  EXPECT_THAT(json(R"("asInt": "7.5")"), ElementsAre("m{job=\"s\"} 0@2000"));
  EXPECT_THAT(json(R"("asInt": {})"), ElementsAre("m{job=\"s\"} 0@2000"));
  EXPECT_THAT(json(R"("flags": 1)"), ElementsAre("m{job=\"s\"} stale@2000"));
  EXPECT_THAT(json(R"("flags": "3")"), ElementsAre("m{job=\"s\"} stale@2000"));
  EXPECT_THAT(json(R"("flags": 2)"), ElementsAre("m{job=\"s\"} 0@2000"));
  EXPECT_THAT(json(R"("flags": "x")"), ElementsAre("m{job=\"s\"} 0@2000"));
}

TEST(MetricsForms, HistogramsMayBeUnpacked) {
  const std::vector<std::string> rows = {"m_sum{job=\"s\"} 4.5@2000", "m_count{job=\"s\"} 6@2000",
                                         "m_bucket{job=\"s\", le=\"0.5\"} 1@2000",
                                         "m_bucket{job=\"s\", le=\"2\"} 3@2000",
                                         "m_bucket{job=\"s\", le=\"+Inf\"} 6@2000"};
  for (const bool is_packed : {true, false}) {
    const std::vector<uint64_t> counts = {1, 2, 3};
    const std::vector<double> bounds = {0.5, 2};
    EXPECT_EQ(RowsOf(OfProtobuf(RequestWith(kHistogramField,
                                            [&](Writer& data) {
                                              data.add_enum(2, 2);
                                              data.add_uint32(99, 1);
                                              Put(data, 1, [&](Writer& point) {
                                                point.add_fixed64(3, 2 * kSecond);
                                                point.add_fixed64(4, 6);
                                                point.add_double(5, 4.5);
                                                point.add_double(11, 0.1);
                                                point.add_double(12, 9);
                                                if (is_packed) {
                                                  point.add_packed_fixed64(6, counts.begin(),
                                                                           counts.end());
                                                  point.add_packed_double(7, bounds.begin(),
                                                                          bounds.end());
                                                  return;
                                                }
                                                for (const uint64_t n : counts) {
                                                  point.add_fixed64(6, n);
                                                }
                                                for (const double bound : bounds) {
                                                  point.add_double(7, bound);
                                                }
                                              });
                                            }))),
              rows);
  }
  EXPECT_EQ(RowsOf(OfJson(R"("histogram": {"aggregationTemporality": 2, "dataPoints": [{)"
                          R"("timeUnixNano": 2000000000, "count": 6, "sum": "4.5", )"
                          R"("bucketCounts": [1, "2", 3], "explicitBounds": ["0.5", 2]}]})")),
            rows);
}

TEST(MetricsForms, ABoundOfInfinityIsTheLastBucket) {
  EXPECT_THAT(RowsOf(OfJson(R"("histogram": {"aggregationTemporality": 2, "dataPoints": [{)"
                            R"("timeUnixNano": 2000000000, "count": 3, )"
                            R"("bucketCounts": [1, 2], "explicitBounds": [0.5, "Infinity"]}]})")),
              ElementsAre("m_count{job=\"s\"} 3@2000", "m_bucket{job=\"s\", le=\"0.5\"} 1@2000",
                          "m_bucket{job=\"s\", le=\"+Inf\"} 3@2000"));
}

TEST(MetricsForms, ExponentialHistogramsHaveTwoSides) {
  const std::vector<std::string> rows = {
      "m{job=\"s\"} 4.5 of 10, zero 4 <= 0.25, schema -1: 1 2 -3"};
  for (const bool is_packed : {true, false}) {
    const std::vector<uint64_t> positive = {1, 2};
    const auto data = [&](Writer& out) {
      out.add_enum(2, 2);
      Put(out, 1, [&](Writer& point) {
        point.add_fixed64(3, 2 * kSecond);
        point.add_fixed64(4, 10);
        point.add_double(5, 4.5);
        point.add_sint32(6, -1);
        point.add_fixed64(7, 4);
        point.add_double(14, 0.25);
        Put(point, 8, [&](Writer& buckets) {
          buckets.add_sint32(1, -3);
          if (is_packed) {
            buckets.add_packed_uint64(2, positive.begin(), positive.end());
          } else {
            for (const uint64_t count : positive) buckets.add_uint64(2, count);
          }
        });
        Put(point, 9, [&](Writer& buckets) {
          buckets.add_sint32(1, 5);
          buckets.add_uint64(2, 3);
          buckets.add_uint64(99, 3);
        });
      });
    };
    const DecodedWrite got = OfProtobuf(RequestWith(kExponentialField, data));
    EXPECT_EQ(RowsOf(got), rows);
    const Histogram& h = *got.request.series.at(0).histograms.at(0).histogram;
    EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{-2, 2}));
    EXPECT_THAT(h.negative_spans, ElementsAre(BucketSpan{6, 1}));
  }
  const DecodedWrite got = OfJson(
      R"("exponentialHistogram": {"aggregationTemporality": 2, "dataPoints": [{)"
      R"("timeUnixNano": 2000000000, "count": 10, "sum": 4.5, "scale": "-1", "zeroCount": 4,)"
      R"("zeroThreshold": 0.25, "positive": {"offset": "-3", "bucketCounts": [1, "2"]},)"
      R"("negative": {"offset": 5, "bucketCounts": ["3"]}}]})");
  EXPECT_EQ(RowsOf(got), rows);
  const Histogram& h = *got.request.series.at(0).histograms.at(0).histogram;
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{-2, 2}));
  EXPECT_THAT(h.negative_spans, ElementsAre(BucketSpan{6, 1}));
}

TEST(MetricsForms, EveryKindMayEndItsSeries) {
  const auto end = [](uint32_t kind, uint32_t flags_field) {
    return RowsOf(OfProtobuf(RequestWith(kind, [&](Writer& data) {
      data.add_enum(2, 2);
      Put(data, 1, [&](Writer& point) {
        point.add_fixed64(3, 2 * kSecond);
        point.add_uint32(flags_field, 1);
      });
    })));
  };
  EXPECT_THAT(end(kSumField, 8), ElementsAre("m{job=\"s\"} stale@2000"));
  EXPECT_THAT(end(kHistogramField, 10), ElementsAre("m_count{job=\"s\"} stale@2000",
                                                    "m_bucket{job=\"s\", le=\"+Inf\"} stale@2000"));
  EXPECT_THAT(end(kExponentialField, 10),
              ElementsAre("m{job=\"s\"} stale of 0, zero 0 <= 0, schema 0:"));
  EXPECT_THAT(end(kSummaryField, 8),
              ElementsAre("m_sum{job=\"s\"} stale@2000", "m_count{job=\"s\"} stale@2000"));
}

TEST(MetricsForms, TemporalityAndMonotonicity) {
  const auto type = [](uint32_t temporality, uint64_t is_monotonic) {
    Translation translation;
    translation.deltas = DeltaPolicy::kKeep;
    const DecodedWrite got =
        OfProtobuf(RequestWith(kSumField,
                               [&](Writer& data) {
                                 data.add_enum(2, static_cast<int>(temporality));
                                 data.add_uint64(3, is_monotonic);
                                 Put(data, 1, [](Writer& point) { point.add_fixed64(3, kSecond); });
                               }),
                   translation);
    return got.metadata.empty() ? "refused"
                                : got.metadata[0].metadata.type + " " + got.metadata[0].metric;
  };
  EXPECT_EQ(type(2, 1), "counter m_total");
  EXPECT_EQ(type(2, 0), "gauge m");
  EXPECT_EQ(type(1, 1), "unknown m_total");
  EXPECT_EQ(type(0, 1), "refused");
  EXPECT_EQ(type(3, 1), "refused");
  const auto json = [](std::string_view members) {
    Translation translation;
    translation.deltas = DeltaPolicy::kKeep;
    const DecodedWrite got = OfJson(
        absl::StrFormat(R"("sum": {%s, "dataPoints": [{"timeUnixNano": 1000000000}]})", members),
        "{}", translation);
    return got.metadata.empty() ? "refused"
                                : got.metadata[0].metadata.type + " " + got.metadata[0].metric;
  };
  EXPECT_EQ(json(R"("aggregationTemporality": 2, "isMonotonic": true)"), "counter m_total");
  EXPECT_EQ(json(R"("aggregationTemporality": "AGGREGATION_TEMPORALITY_CUMULATIVE")"), "gauge m");
  EXPECT_EQ(json(R"("aggregationTemporality": "AGGREGATION_TEMPORALITY_DELTA")"), "unknown m");
  EXPECT_EQ(json(R"("aggregationTemporality": "1", "isMonotonic": 1)"), "unknown m");
  EXPECT_EQ(json(R"("aggregationTemporality": "OTHER")"), "refused");
  EXPECT_EQ(json(R"("isMonotonic": true)"), "refused");
}

TEST(MetricsForms, ExemplarsHaveAValueAndIds) {
  const auto exemplars = [](const DecodedWrite& decoded) {
    std::string text;
    for (const SeriesExemplars& of_series : decoded.exemplars) {
      for (const Exemplar& one : of_series.exemplars) {
        absl::StrAppendFormat(&text, "%s %g@%d;", one.labels.ToString(), one.value,
                              one.timestamp_ms);
      }
    }
    return text;
  };
  const auto protobuf = [&](const Fill& fill) {
    return exemplars(OfProtobuf(RequestWith(kSumField, [&](Writer& data) {
      data.add_enum(2, 2);
      Put(data, 1, [&](Writer& point) {
        point.add_fixed64(3, 2 * kSecond);
        Put(point, 5, fill);
      });
    })));
  };
  EXPECT_EQ(protobuf([](Writer& out) {
              out.add_fixed64(2, kSecond);
              out.add_sfixed64(6, -3);
              out.add_bytes(4, std::string("\x00\xab", 2));
              out.add_bytes(5, std::string("\x01\x02", 2));
              out.add_uint32(99, 1);
              PutAttribute(out, 7, "k", "v");
            }),
            "{k=\"v\", span_id=\"00ab\", trace_id=\"0102\"} -3@1000;");
  EXPECT_EQ(protobuf([](Writer& out) {
              out.add_double(3, 0.5);
              out.add_bytes(4, std::string(8, '\0'));
              out.add_bytes(5, std::string(16, '\0'));
            }),
            "{} 0.5@0;");
  EXPECT_EQ(protobuf([](Writer& out) { out.add_fixed64(2, kSecond); }), "");
  const auto json = [&](std::string_view members) {
    return exemplars(OfJson(absl::StrFormat(
        R"("sum": {"aggregationTemporality": 2, "dataPoints": [{"timeUnixNano": 2000000000, )"
        R"("exemplars": [{%s}]}]})",
        members)));
  };
  EXPECT_EQ(json(R"("timeUnixNano": "1000000000", "asInt": "-3", "spanId": "00AB", "traceId": )"
                 R"("0102", "filteredAttributes": [{"key": "k", "value": {"stringValue": "v"}}])"),
            "{k=\"v\", span_id=\"00ab\", trace_id=\"0102\"} -3@1000;");
  for (const std::string_view id : {"", "0000", "abc", "xy", "0g", "/0", ":0", "@0", "G0", "`0"}) {
    EXPECT_EQ(json(absl::StrFormat(R"("asDouble": 0.5, "traceId": "%s")", id)), "{} 0.5@0;") << id;
  }
  EXPECT_EQ(json(R"("asDouble": 0.5, "traceId": "09afAF")"), "{trace_id=\"09afaf\"} 0.5@0;");
  EXPECT_EQ(json(R"("timeUnixNano": 1)"), "");
}

TEST(MetricsForms, AThousandExemplarsOfAPointAreRead) {
  const DecodedWrite got = OfProtobuf(RequestWith(kSumField, [](Writer& data) {
    data.add_enum(2, 2);
    Put(data, 1, [](Writer& point) {
      point.add_fixed64(3, kSecond);
      for (uint64_t i = 0; i < kMaxExemplarsPerPoint + 1; ++i) {
        Put(point, 5, [i](Writer& exemplar) {
          exemplar.add_fixed64(2, i * 1'000'000);
          exemplar.add_double(3, 1);
        });
      }
    });
  }));
  ASSERT_THAT(got.exemplars, SizeIs(1));
  EXPECT_EQ(got.exemplars[0].exemplars.size(), kMaxExemplarsPerPoint);
  std::string members;
  for (uint64_t i = 0; i < kMaxExemplarsPerPoint + 1; ++i) {
    absl::StrAppendFormat(&members, "%s{\"timeUnixNano\": %d, \"asInt\": 1}", i == 0 ? "" : ",",
                          i * 1'000'000);
  }
  const DecodedWrite json = OfJson(absl::StrFormat(
      R"("sum": {"aggregationTemporality": 2, "dataPoints": [{"exemplars": [%s]}]})", members));
  ASSERT_THAT(json.exemplars, SizeIs(1));
  EXPECT_EQ(json.exemplars[0].exemplars.size(), kMaxExemplarsPerPoint);
}

TEST(MetricsForms, ScopesHaveAttributesAndASchema) {
  Translation translation;
  translation.promotes_scope = true;
  const std::vector<std::string> rows = {
      "m{job=\"s\", otel_scope_a=\"b\", otel_scope_name=\"lib\", otel_scope_schema_url=\"u\", "
      "otel_scope_version=\"1.2\"} 1@0"};
  EXPECT_EQ(RowsOf(OfProtobuf(RequestWith(
                                  kGaugeField,
                                  [](Writer& data) {
                                    Put(data, 1, [](Writer& point) { point.add_double(4, 1); });
                                  },
                                  [](Writer& scope_metrics) {
                                    Put(scope_metrics, 1, [](Writer& scope) {
                                      scope.add_string(1, "lib");
                                      scope.add_string(2, "1.2");
                                      PutAttribute(scope, 3, "a", "b");
                                      scope.add_uint32(4, 7);
                                    });
                                    scope_metrics.add_string(3, "u");
                                  }),
                              translation)),
            rows);
  EXPECT_EQ(RowsOf(OfJson(R"("gauge": {"dataPoints": [{"asInt": 1}]})",
                          R"({"name": "lib", "version": "1.2", "attributes": [{"key": "a", )"
                          R"("value": {"stringValue": "b"}}]})",
                          translation)),
            rows);
}

TEST(MetricsForms, LongPointsAreRefusedOneByOne) {
  const auto request = [](size_t text_bytes) {
    return RequestWith(kGaugeField, [&](Writer& data) {
      for (const size_t bytes : {text_bytes, size_t{1}}) {
        Put(data, 1, [&](Writer& point) {
          point.add_double(4, 1);
          PutAttribute(point, 7, "k", std::string(bytes, 'x'));
        });
      }
    });
  };
  // 9 bytes of value, and 9 of tags, lengths and the key.
  const IngestLimits limits = {.max_point_bytes = 9 + 9 + 50};
  EXPECT_THAT(OfProtobuf(request(50), {}, limits).request.series, SizeIs(2));
  const DecodedWrite got = OfProtobuf(request(51), {}, limits);
  EXPECT_THAT(got.request.series, SizeIs(1));
  EXPECT_EQ(got.sample_count, 2u);
  EXPECT_THAT(
      got.refusals.ToString(),
      HasSubstr("{__name__=\"m\"}: a data point of 69 bytes is longer than the limit of 68"));
}

TEST(MetricsForms, LongValuesOfTheResourceRefuseItsPoints) {
  const auto refusal = [](const Translation& translation, size_t max_bytes) {
    const std::string request = RequestWith(
        kGaugeField,
        [](Writer& data) { Put(data, 1, [](Writer& point) { point.add_double(4, 1); }); },
        [](Writer& scope_metrics) {
          Put(scope_metrics, 1, [](Writer& scope) { scope.add_string(1, "a library"); });
        });
    return OfProtobuf(request, translation, {.max_label_value_bytes = max_bytes})
        .refusals.ToString();
  };
  Translation scopes;
  scopes.promotes_scope = true;
  EXPECT_THAT(
      refusal(scopes, 8),
      HasSubstr("{__name__=\"m\"}: a label value of 9 bytes is longer than the limit of 8"));
  EXPECT_THAT(refusal(scopes, 9), Not(HasSubstr("longer")));
  EXPECT_THAT(refusal({}, 8), Not(HasSubstr("longer")));
  EXPECT_THAT(
      refusal({}, 0),
      HasSubstr("{__name__=\"m\"}: a label value of 1 bytes is longer than the limit of 0"));
}

// Knows all series that it was ever asked for.
class KnowsAll : public FakeStorage {
 public:
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    for (size_t i = 0; i < keys.size(); ++i) refs[i] = {0, 1 + static_cast<uint32_t>(i)};
  }
};

TEST(MetricsForms, ManyPointsOfKnownSeries) {
  const auto request = [](size_t count) {
    return RequestWith(kGaugeField, [count](Writer& data) {
      for (size_t i = 0; i < count; ++i) {
        Put(data, 1, [i](Writer& point) {
          point.add_fixed64(3, (i + 1) * kSecond);
          point.add_double(4, static_cast<double>(i));
          PutAttribute(point, 7, "i", std::to_string(i));
        });
      }
    });
  };
  const KnowsAll storage;
  for (const size_t count : {31, 32, 33, 64, 70}) {
    MetricsDecoder decoder({});
    const std::string message = request(count);
    EXPECT_THAT(Got(decoder.DecodeProtobuf(message, {}, &storage)).request.series, SizeIs(count));
    const DecodedWrite again = Got(decoder.DecodeProtobuf(message, {}, &storage));
    EXPECT_THAT(again.request.series, IsEmpty());
    ASSERT_THAT(again.request.known, SizeIs(count));
    EXPECT_EQ(again.series_count, count);
    EXPECT_EQ(again.sample_count, count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(again.request.known[i].sample.value, static_cast<double>(i));
      EXPECT_EQ(again.request.known[i].sample.timestamp_ms, static_cast<int64_t>(i + 1) * 1000);
    }
    // One more series is translated, between those that are known.
    const DecodedWrite more = Got(decoder.DecodeProtobuf(request(count + 1), {}, &storage));
    EXPECT_THAT(more.request.series, SizeIs(1));
    EXPECT_THAT(more.request.known, SizeIs(count));
  }
}

TEST(MetricsForms, AHistogramWithANewBucketIsTranslatedWhole) {
  const auto request = [](double bound) {
    return RequestWith(kHistogramField, [bound](Writer& data) {
      data.add_enum(2, 2);
      Put(data, 1, [bound](Writer& point) {
        point.add_fixed64(3, 2 * kSecond);
        point.add_fixed64(4, 3);
        const std::vector<uint64_t> counts = {1, 2};
        point.add_packed_fixed64(6, counts.begin(), counts.end());
        point.add_packed_double(7, &bound, &bound + 1);
      });
    });
  };
  const KnowsAll storage;
  MetricsDecoder decoder({});
  EXPECT_THAT(RowsOf(Got(decoder.DecodeProtobuf(request(0.5), {}, &storage))), SizeIs(3));
  const DecodedWrite again = Got(decoder.DecodeProtobuf(request(0.5), {}, &storage));
  EXPECT_THAT(again.request.series, IsEmpty());
  EXPECT_THAT(again.request.known, SizeIs(3));
  const DecodedWrite other = Got(decoder.DecodeProtobuf(request(0.75), {}, &storage));
  EXPECT_THAT(other.request.known, IsEmpty());
  EXPECT_THAT(RowsOf(other),
              ElementsAre("m_count{job=\"s\"} 3@2000", "m_bucket{job=\"s\", le=\"0.75\"} 1@2000",
                          "m_bucket{job=\"s\", le=\"+Inf\"} 3@2000"));
}

TEST(MetricsForms, DeltasThatAreKeptMayBeKnownAndThoseAddedUpMayNot) {
  const std::string message = RequestWith(kSumField, [](Writer& data) {
    data.add_enum(2, 1);
    Put(data, 1, [](Writer& point) {
      point.add_fixed64(3, 2 * kSecond);
      point.add_double(4, 1);
    });
  });
  const KnowsAll storage;
  for (const DeltaPolicy policy : {DeltaPolicy::kKeep, DeltaPolicy::kAddUp}) {
    Translation translation;
    translation.deltas = policy;
    MetricsDecoder decoder(translation);
    Got(decoder.DecodeProtobuf(message, {}, &storage));
    const DecodedWrite again = Got(decoder.DecodeProtobuf(message, {}, &storage));
    EXPECT_THAT(again.request.known, SizeIs(policy == DeltaPolicy::kKeep ? 1 : 0));
  }
}

TEST(MetricsForms, HistogramsThatBecomeNativeAreNotKnown) {
  const std::string message = RequestWith(kHistogramField, [](Writer& data) {
    data.add_enum(2, 2);
    Put(data, 1, [](Writer& point) { point.add_fixed64(3, 2 * kSecond); });
  });
  const KnowsAll storage;
  Translation translation;
  translation.histograms = HistogramForm::kCustomBuckets;
  MetricsDecoder decoder(translation);
  for (int i = 0; i < 2; ++i) {
    const DecodedWrite got = Got(decoder.DecodeProtobuf(message, {}, &storage));
    EXPECT_THAT(got.request.known, IsEmpty());
    EXPECT_THAT(got.request.series, SizeIs(1));
  }
}

TEST(MetricsForms, ManyNamesOfAttributes) {
  const auto request = [](int first) {
    return RequestWith(kGaugeField, [first](Writer& data) {
      for (int i = first; i < first + 6000; ++i) {
        Put(data, 1, [i](Writer& point) {
          point.add_fixed64(3, kSecond);
          PutAttribute(point, 7, "k." + std::to_string(i), "v");
        });
      }
    });
  };
  std::string message = request(0) + request(6000);
  const DecodedWrite got = OfProtobuf(message);
  ASSERT_THAT(got.request.series, SizeIs(12'000));
  for (size_t i = 0; i < got.request.series.size(); i += 1999) {
    EXPECT_EQ(got.request.series[i].labels.Get("k_" + std::to_string(i)), "v");
  }
}

TEST(MetricsForms, APointThatIsRefusedIsNeverKnown) {
  const std::string message = RequestWith(kGaugeField, [](Writer& data) {
    for (const std::string_view value : {"\xff", "good", "\xfe"}) {
      Put(data, 1, [value](Writer& point) {
        point.add_fixed64(3, kSecond);
        PutAttribute(point, 7, "k", value);
      });
    }
  });
  const KnowsAll storage;
  MetricsDecoder decoder({});
  EXPECT_THAT(Got(decoder.DecodeProtobuf(message, {}, &storage)).request.series, SizeIs(1));
  const DecodedWrite again = Got(decoder.DecodeProtobuf(message, {}, &storage));
  EXPECT_THAT(again.request.known, SizeIs(1));
  EXPECT_EQ(again.refusals.sample_count(), 2u);
}

TEST(MetricsForms, AKnownTargetIsOneSeriesOfSeveralSamples) {
  const std::string message = [] {
    std::string bytes;
    Writer request(bytes);
    Put(request, 1, [](Writer& resource_metrics) {
      Put(resource_metrics, 1, [](Writer& resource) {
        PutAttribute(resource, 1, "service.name", "s");
        PutAttribute(resource, 1, "host.name", "h");
      });
      Put(resource_metrics, 2, [](Writer& scope_metrics) {
        Put(scope_metrics, 2, [](Writer& metric) {
          metric.add_string(1, "m");
          Put(metric, kGaugeField, [](Writer& data) {
            // The last has no time, and so none for its target.
            for (const uint64_t seconds : {60, 400, 0}) {
              Put(data, 1, [seconds](Writer& point) { point.add_fixed64(3, seconds * kSecond); });
            }
          });
        });
      });
    });
    return bytes;
  }();
  const KnowsAll storage;
  MetricsDecoder decoder({});
  const DecodedWrite first = Got(decoder.DecodeProtobuf(message, {}, &storage));
  // The second and third point are known by the first.
  ASSERT_THAT(first.request.series, SizeIs(2));
  EXPECT_THAT(first.request.known, SizeIs(2));
  EXPECT_EQ(RowsOf(first).back(),
            "target_info{host_name=\"h\", job=\"s\"} 1@60000 1@210000 1@360000 1@400000");
  const DecodedWrite again = Got(decoder.DecodeProtobuf(message, {}, &storage));
  EXPECT_THAT(again.request.known, SizeIs(3 + 4));
  EXPECT_EQ(again.series_count, 4u);
  EXPECT_EQ(again.sample_count, 7u);
}

}  // namespace
}  // namespace lockstep::otlp
