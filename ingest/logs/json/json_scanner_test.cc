// Checks that simdjson accepts whatever the scanner accepts, with the same result.
#include "ingest/logs/json/json_scanner.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include "ingest/logs/log_parser_testing.h"

namespace lockstep::logs {
namespace {

constexpr std::array kScannerTestSources = {MetricSource::kGeneric};

struct Scanned {
  bool is_taken;
  std::string record;
};

Scanned Scan(std::string_view text) {
  static const LogHints hints;
  static KeyCache keys(kScannerTestSources);
  RecordFields fields;
  JsonScanner scanner(keys, fields);
  TextSink sink;
  RecordWriter out(hints, sink);
  const std::string padded = std::string(text) + std::string(kBufferPadding, '\0');
  LogLine line;
  line.text = std::string_view(padded).substr(0, text.size());
  out.Begin(line, RecordKind::kStep);
  fields.Begin();
  const bool is_taken = scanner.Scan(line.text, out);
  if (is_taken) out.Emit();
  return {is_taken, sink.text()};
}

bool IsJson(std::string_view text) {
  static simdjson::dom::parser parser;
  simdjson::dom::object object;
  return parser.parse(simdjson::padded_string(text)).get(object) == simdjson::SUCCESS;
}

TEST(JsonScannerTest, Takes) {
  const auto check = [](std::string_view text, std::string_view record) {
    for (int i = 0; i < 2; ++i) {
      const Scanned scanned = Scan(text);
      EXPECT_TRUE(scanned.is_taken) << text;
      EXPECT_EQ(scanned.record, record) << text;
    }
  };
  check("{}", "step\n");
  check("{\"step\":1,\"loss\":2.5}", "step step=1 train_loss=2.5\n");
  check("{ \"step\" : 1 , \"a\" : { \"b\" : -2e3 } , \"c\" : { } } ", "step step=1 a_b=-2000\n");
  check("{\"step\":1,\"a\":NaN}", "event step=1 nan: a\nstep step=1 a=NaN\n");
  check("{\"step\":1,\"a\":Infinity,\"b\":true,\"c\":false,\"d\":null}", "step step=1 a=+Inf\n");
  check("{\"step\":1,\"rank\":\"7\",\"text\":\"some words\"}", "step rank=7 step=1\n");
  check("{\"step\":1,\"lr\":1.9600798403193614e-05}",
        "step step=1 train_learning_rate=1.9600798403193614e-05\n");
}

TEST(JsonScannerTest, LeavesToTheParser) {
  for (const std::string_view text : {"",
                                      "{",
                                      "{\"a\"",
                                      "{\"a\":}",
                                      "{\"a\":1",
                                      "{\"a\":1}}",
                                      "{\"a\":1} x",
                                      "{\"a\":01}",
                                      "{\"a\":-}",
                                      "{\"a\":1.}",
                                      "{\"a\":1.e5}",
                                      "{\"a\":1e+-5}",
                                      "{\"a\":.5}",
                                      "{\"a\":+1}",
                                      "{\"a\":1,}",
                                      "{,}",
                                      "{\"a\":\"\\n\"}",
                                      "{\"a\\\"b\":1}",
                                      "{\"a\":[1]}",
                                      "{\"a\":1e999}",
                                      "{\"a\":trux}",
                                      "{\"a\":\"\xc3\xa4\"}",
                                      "{\"a\":1 2}",
                                      "{\"a\":{\"b\":1}",
                                      "{\"a\":inf}",
                                      "{\"a\":-nan}"}) {
    EXPECT_FALSE(Scan(text).is_taken) << text;
  }
}

// Even randomly modified, any line that the scanner accepts is valid JSON.
TEST(JsonScannerTest, TakesNothingThatIsNoJson) {
  constexpr std::string_view kLine =
      "{\"step\": 10, \"loss\": -2.5e-03, \"t\": {\"a\": 0.125, \"b\": null}, \"job\": \"x\", "
      "\"ok\": true}";
  constexpr std::string_view kBytes = "{}[]\",:.+-eE0123456789 abnulltrue\\\x01\xc3";
  std::mt19937 random(11);
  int taken_count = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string line(kLine);
    for (uint32_t changes = random() % 3 + 1; changes > 0; --changes) {
      const size_t at = random() % line.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          line[at] = byte;
          break;
        case 1:
          line.insert(at, 1, byte);
          break;
        default:
          line.erase(at, 1);
          break;
      }
    }
    if (!Scan(line).is_taken) continue;
    ++taken_count;
    ASSERT_TRUE(IsJson(line)) << line;
  }
  EXPECT_GT(taken_count, 10'000);
}

}  // namespace
}  // namespace lockstep::logs
