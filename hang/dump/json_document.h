// Reads JSON into a Document.
#pragma once

#include <memory>
#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "hang/dump/document.h"

namespace lockstep::hang {

// Keeps the parser that the document's texts lie in. Not thread-safe.
class JsonDocument {
 public:
  // `memory` (may be null) is charged and must outlive this. kInvalidArgument if it is not JSON or
  // is nested too deeply; kOutOfRange if it is too large; and the errors of MemoryCharge::Add().
  static absl::StatusOr<JsonDocument> Read(std::string_view text, MemoryCharge* memory);
  JsonDocument(JsonDocument&&) noexcept;
  ~JsonDocument();

  const Document& document() const { return document_; }

 private:
  struct Parser;
  JsonDocument(std::unique_ptr<Parser> parser, Document document);

  std::unique_ptr<Parser> parser_;
  Document document_;
};

}  // namespace lockstep::hang
