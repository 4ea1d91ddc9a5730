#include "hang/dump/json_document.h"

#include <simdjson.h>

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::hang {

struct JsonDocument::Parser {
  simdjson::dom::parser parser;
};

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr size_t kMaxDepth = 32;
// Of the parser for each byte: its tape, its texts and its index.
constexpr uint64_t kParserBytes = 12;

class Converter {
 public:
  explicit Converter(Document& document) : document_(document) {}

  absl::StatusOr<NodeNumber> Convert(element value, size_t depth) {
    switch (value.type()) {
      case element_type::ARRAY:
        return ConvertList(value.get_array().value_unsafe(), depth);
      case element_type::OBJECT:
        return ConvertDict(value.get_object().value_unsafe(), depth);
      case element_type::INT64:
        return document_.AddInteger(value.get_int64().value_unsafe());
      case element_type::UINT64:  // beyond 2^63
      case element_type::DOUBLE:
        return document_.AddFloat();
      case element_type::STRING:
        return document_.AddText(value.get_string().value_unsafe());
      case element_type::BOOL:
        return document_.AddBool(value.get_bool().value_unsafe());
      case element_type::NULL_VALUE:
        break;
    }
    return document_.AddNone();
  }

 private:
  static absl::Status CheckDepth(size_t depth) {
    if (depth < kMaxDepth) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrFormat("the JSON is nested deeper than %d levels", kMaxDepth));
  }

  absl::StatusOr<NodeNumber> ConvertList(simdjson::dom::array list, size_t depth) {
    LOCKSTEP_RETURN_IF_ERROR(CheckDepth(depth));
    LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber node, document_.AddList());
    for (const element child : list) {
      LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber value, Convert(child, depth + 1));
      LOCKSTEP_RETURN_IF_ERROR(document_.Append(node, std::span(&value, 1)));
    }
    return node;
  }

  absl::StatusOr<NodeNumber> ConvertDict(simdjson::dom::object dict, size_t depth) {
    LOCKSTEP_RETURN_IF_ERROR(CheckDepth(depth));
    LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber node, document_.AddDict());
    for (const auto field : dict) {
      LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber key, document_.AddText(field.key));
      LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber value, Convert(field.value, depth + 1));
      const NodeNumber pair[] = {key, value};
      LOCKSTEP_RETURN_IF_ERROR(document_.Append(node, pair));
    }
    return node;
  }

  Document& document_;
};

}  // namespace

JsonDocument::JsonDocument(std::unique_ptr<Parser> parser, Document document)
    : parser_(std::move(parser)), document_(std::move(document)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

absl::StatusOr<JsonDocument> JsonDocument::Read(std::string_view text, MemoryCharge* memory) {
  if (memory != nullptr) LOCKSTEP_RETURN_IF_ERROR(memory->Add(kParserBytes * text.size()));
  auto parser = std::make_unique<Parser>();
  element root;
  if (const auto error = parser->parser.parse(text.data(), text.size()).get(root);
      error != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(
        absl::StrFormat("it is not JSON: %s", simdjson::error_message(error)));
  }
  Document document(memory);
  LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber number, Converter(document).Convert(root, 0));
  document.set_root(number);
  return JsonDocument(std::move(parser), std::move(document));
}

}  // namespace lockstep::hang
