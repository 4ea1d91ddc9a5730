#include "api/http/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lockstep::api {
namespace {

TEST(JsonWriterTest, PlacesCommas) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Key("list");
  json.BeginArray();
  json.Number(1);
  json.String("two");
  json.BeginArray();
  json.EndArray();
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  json.Key("flag");
  json.Bool(false);
  json.LabelKey("a\"b");
  json.Label("c");
  json.Key("raw");
  json.Raw() += "[0]";
  json.Key("last");
  json.Number(uint64_t{18446744073709551615u});
  json.EndObject();
  EXPECT_EQ(out, R"({"list":[1,"two",[],{}],"flag":false,"a\"b":"c","raw":[0],)"
                 R"("last":18446744073709551615})");
}

TEST(JsonWriterTest, WritesFieldsByType) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("literal", "a<b");
  json.Field("string", std::string("c"));
  json.Field("view", std::string_view("d"));
  json.Field("flag", true);
  json.Field("integer", int64_t{-9007199254740993});
  json.Field("number", 0.5);
  json.EndObject();
  EXPECT_EQ(out, R"({"literal":"a\u003cb","string":"c","view":"d","flag":true,)"
                 R"("integer":-9007199254740993,"number":0.5})");
}

TEST(JsonWriterTest, WritesListsAndWhatMayBeAbsent) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("texts", std::vector<std::string>{"a<b", "c"});
  json.Field("numbers", std::vector<double>{0.5, std::numeric_limits<double>::quiet_NaN()});
  json.Field("none", std::set<int64_t>());
  json.Field("known", std::optional<int64_t>(7));
  json.Field("unknown", std::optional<int64_t>());
  json.EndObject();
  EXPECT_EQ(out, R"({"texts":["a\u003cb","c"],"numbers":[0.5,null],"none":[],)"
                 R"("known":7,"unknown":null})");
}

std::string Text(std::string_view text) {
  std::string out;
  JsonWriter(out).String(text);
  return out;
}

std::string LabelText(std::string_view text) {
  std::string out;
  JsonWriter(out).Label(text);
  return out;
}

// The expected formats are those of Go's encoders: encoding/json for texts, without HTML escapes
// for labels.
TEST(JsonWriterTest, EscapesTexts) {
  EXPECT_EQ(Text("plain"), R"("plain")");
  EXPECT_EQ(Text("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(Text("\n\r\t"), R"("\n\r\t")");
  EXPECT_EQ(Text(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(Text("a<b>c&d"), R"("a\u003cb\u003ec\u0026d")");
  EXPECT_EQ(Text("\u00e9\U0001F600"), "\"\u00e9\U0001F600\"");
  EXPECT_EQ(Text("\u2028\u2029"), R"("\u2028\u2029")");
  EXPECT_EQ(Text("a\xff\xc3z"), R"("a\ufffd\ufffdz")");
}

TEST(JsonWriterTest, LeavesLabelsAlone) {
  EXPECT_EQ(LabelText("a<b>c&d"), R"("a<b>c&d")");
  EXPECT_EQ(LabelText("say \"x\"\n\\"), R"("say \"x\"\n\\")");
  EXPECT_EQ(LabelText("\x01"), R"("\u0001")");
  EXPECT_EQ(LabelText(""), R"("")");
}

TEST(JsonWriterTest, FindsWhatToEscapeWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const std::string alone = LabelText(one);
    for (size_t place = 0; place < 20; ++place) {
      const std::string before(place, '!'), behind(19 - place, '\xff');
      ASSERT_EQ(LabelText(before + one + behind + one),
                '"' + before + alone.substr(1, alone.size() - 2) + behind +
                    alone.substr(1, alone.size() - 2) + '"')
          << byte << " at " << place;
    }
  }
}

TEST(JsonWriterTest, NumbersAreAlwaysJson) {
  const auto number = [](double value) {
    std::string out;
    JsonWriter(out).Number(value);
    return out;
  };
  EXPECT_EQ(number(0.25), "0.25");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "null");
}

}  // namespace
}  // namespace lockstep::api
