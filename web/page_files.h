// The web page as the browser gets it: the files that `vite build` made of this folder, in the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace lockstep::web {

// All views are of constants. The path is "/index.html", or below "/assets/" a name with a hash of the content.
struct PageFile {
  std::string_view path;
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view etag;          // weak: the same for both forms of the content
  std::string_view gzip;          // the content, compressed: browsers take it so
  size_t content_bytes;           // of the content as it is
};

// In no order; empty when the page could not be built (build_page.py says so). Safe from any thread.
std::span<const PageFile> PageFiles();

}  // namespace lockstep::web
