#include "scrape/discovery/xml_reader.h"

#include <expat.h>

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/budget/memory_budget.h"

namespace lockstep::scrape {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxTextBytes = 64 << 10;
// An upper bound of what expat allocates per byte: two copies, or a tag that is all attributes.
constexpr uint64_t kElementBytesPerByte = 16;

class XmlReader {
 public:
  explicit XmlReader(XmlVisitor& visitor) : visitor_(visitor), parser_(XML_ParserCreate("UTF-8")) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &XmlReader::Begin, &XmlReader::End);
    XML_SetCharacterDataHandler(parser_.get(), &XmlReader::Text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &XmlReader::DocumentType);
  }

  // Parses the document in one call: expat reads a token that spans calls again in each of them.
  absl::Status Read(std::string_view document) {
    if (document.size() > std::numeric_limits<int>::max()) {
      return absl::InvalidArgumentError("the XML is too large");
    }
    const XML_Status status =
        XML_Parse(parser_.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
    LOCKSTEP_RETURN_IF_ERROR(status_);
    if (status == XML_STATUS_OK) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid XML: %s", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
  }

 private:
  static XmlReader& Of(void* reader) { return *static_cast<XmlReader*>(reader); }

  static void XMLCALL Begin(void* reader, const XML_Char* name, const XML_Char**) {
    Of(reader).BeginElement(name);
  }
  static void XMLCALL End(void* reader, const XML_Char*) { Of(reader).EndElement(); }
  static void XMLCALL Text(void* reader, const XML_Char* text, int bytes) {
    Of(reader).AddText({text, static_cast<size_t>(bytes)});
  }
  static void XMLCALL DocumentType(void* reader, const XML_Char*, const XML_Char*, const XML_Char*,
                                   int) {
    Of(reader).Finish(absl::InvalidArgumentError("the XML has a document type"));
  }

  void BeginElement(std::string_view name) {
    if (!status_.ok()) return;
    if (depth_ == kMaxDepth) {
      return Finish(absl::InvalidArgumentError(
          absl::StrFormat("the XML nests more than %d levels deep", kMaxDepth)));
    }
    if (path_.size() + name.size() > kMaxTextBytes) {
      return Finish(absl::InvalidArgumentError(
          absl::StrFormat("the XML has a name of more than %d bytes", kMaxTextBytes)));
    }
    if (depth_++ > 0) path_ += '/';
    path_ += name;
    text_.clear();
    Finish(visitor_.Begin(path_));
  }

  void EndElement() {
    if (!status_.ok()) return;
    Finish(visitor_.End(path_, text_));
    text_.clear();
    // Element names contain no '/'.
    path_.resize(--depth_ == 0 ? 0 : path_.rfind('/'));
  }

  void AddText(std::string_view text) {
    if (!status_.ok()) return;
    if (text_.size() + text.size() > kMaxTextBytes) {
      return Finish(absl::InvalidArgumentError(
          absl::StrFormat("the XML has a text of more than %d bytes", kMaxTextBytes)));
    }
    text_ += text;
  }

  void Finish(absl::Status status) {
    if (status.ok()) return;
    status_ = std::move(status);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  XmlVisitor& visitor_;
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  std::string path_;  // of the innermost open element
  size_t depth_ = 0;
  std::string text_;
  absl::Status status_;
};

}  // namespace

absl::Status ReadXml(std::string_view document, XmlVisitor& visitor) {
  MemoryCharge memory{MemoryAccount::kScrapes};
  LOCKSTEP_RETURN_IF_ERROR(memory.Add(kElementBytesPerByte * document.size()));
  return XmlReader(visitor).Read(document);
}

}  // namespace lockstep::scrape
