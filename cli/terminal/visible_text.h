// Makes untrusted text safe for a terminal: no label value can move the cursor, change colours or
// set the window title.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::cli {

// Escapes control characters (C0, DEL, C1), except line feeds, and characters that change the text
// direction, as \\x1b or \\u202e. Keeps bytes that are not valid UTF-8.
std::string VisibleText(std::string_view text);
// The same, but also escapes line feeds.
std::string VisibleCell(std::string_view text);

}  // namespace lockstep::cli
