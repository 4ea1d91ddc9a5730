// Text from elsewhere, made fit for a terminal: no label value moves the cursor, colours, or names the window.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::cli {

// `text` with its control characters (C0, DEL, C1) and those that turn the direction of writing as \x1b or \u202e, but for line
// feeds. Bytes that are no UTF-8 stay.
std::string VisibleText(std::string_view text);
// Likewise, line feeds included.
std::string VisibleCell(std::string_view text);

}  // namespace lockstep::cli
