// Reads XML responses element by element: the only code that calls expat. Pure, except that it
// charges the memory budget for what expat may need. A document type is an error, so documents can
// neither declare entities nor refer to others. Attributes are skipped.
#pragma once

#include <string_view>

#include "base/status.h"

namespace lockstep::scrape {

// Paths start with the name of the document's root: "Response/Errors/Error".
class XmlVisitor {
 public:
  virtual ~XmlVisitor() = default;

  // A status that is not OK ends the reading. The views live until the call returns.
  virtual absl::Status Begin(std::string_view path) = 0;
  // `text`: the UTF-8 text between the preceding tag and the end tag of the element.
  virtual absl::Status End(std::string_view path, std::string_view text) = 0;
};

// kInvalidArgument if it is not XML, nests more than 32 levels deep, or has a name or a text of
// more than 64 KiB.
absl::Status ReadXml(std::string_view document, XmlVisitor& visitor);

}  // namespace lockstep::scrape
