#include "scrape/discovery/xml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/budget/memory_budget.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Recorder : public XmlVisitor {
 public:
  absl::Status Begin(std::string_view path) override {
    seen.push_back("+" + std::string(path));
    return refuses_at == path ? absl::InvalidArgumentError("refused") : absl::OkStatus();
  }
  absl::Status End(std::string_view path, std::string_view text) override {
    seen.push_back("-" + std::string(path) + "=" + std::string(text));
    return absl::OkStatus();
  }

  std::vector<std::string> seen;
  std::string refuses_at;
};

std::string RefusalOf(const std::string& document) {
  Recorder recorder;
  return std::string(Message(ReadXml(document, recorder)));
}

std::string Repeated(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(XmlReaderTest, TellsElementsWithTheirTexts) {
  Recorder recorder;
  ASSERT_TRUE(ReadXml("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a xmlns='u' x='1'><b>1 &lt; "
                      "&#50;<!-- no --><![CDATA[<&]]></b><c/><b>\xc3\xa9</b></a>",
                      recorder)
                  .ok());
  EXPECT_THAT(recorder.seen, ElementsAre("+a", "+a/b", "-a/b=1 < 2<&", "+a/c", "-a/c=", "+a/b",
                                         "-a/b=\xc3\xa9", "-a="));
}

TEST(XmlReaderTest, AVisitorEndsTheReading) {
  Recorder recorder;
  recorder.refuses_at = "a/c";
  EXPECT_EQ(Message(ReadXml("<a><b/><c/><d/></a>", recorder)), "refused");
  EXPECT_THAT(recorder.seen, ElementsAre("+a", "+a/b", "-a/b=", "+a/c"));
}

TEST(XmlReaderTest, WhatIsNoXmlIsRefused) {
  for (const char* document : {"", "x", "<a>", "<a></b>", "<a>&unknown;</a>", "<a>\xff</a>",
                               "<a/><b/>", "<a x='1' x='1'/>"}) {
    EXPECT_THAT(RefusalOf(document), HasSubstr("invalid XML: ")) << document;
  }
}

TEST(XmlReaderTest, ADocumentTypeIsRefusedBeforeItDeclaresAnything) {
  std::string bomb = "<!DOCTYPE a [<!ENTITY e0 \"0123456789\">";
  for (int i = 1; i < 10; ++i) {
    bomb += "<!ENTITY e" + std::to_string(i) + " \"" +
            Repeated("&e" + std::to_string(i - 1) + ";", 10) + "\">";
  }
  EXPECT_EQ(RefusalOf(bomb + "]><a>&e9;</a>"), "the XML has a document type");
  EXPECT_EQ(RefusalOf("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>"),
            "the XML has a document type");
}

TEST(XmlReaderTest, DepthAndTextsAreLimited) {
  EXPECT_EQ(RefusalOf(Repeated("<a>", 32) + Repeated("</a>", 32)), "");
  EXPECT_EQ(RefusalOf(Repeated("<a>", 33) + Repeated("</a>", 33)),
            "the XML nests more than 32 levels deep");
  const std::string text(64 << 10, 'x');
  EXPECT_EQ(RefusalOf("<a>" + text + "</a>"), "");
  EXPECT_EQ(RefusalOf("<a>" + text + "x</a>"), "the XML has a text of more than 65536 bytes");
  EXPECT_EQ(RefusalOf("<a><" + text + "/></a>"), "the XML has a name of more than 65536 bytes");
}

TEST(XmlReaderTest, WhatHasNoMemoryIsRefused) {
  Recorder recorder;
  const std::string document = "<a>" + Repeated("<b/>", 1 << 20) + "</a>";
  MemoryBudget::OfProcess().set_max_bytes(16 << 20);
  const absl::Status status = ReadXml(document, recorder);
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_TRUE(recorder.seen.empty());
}

}  // namespace
}  // namespace lockstep::scrape
