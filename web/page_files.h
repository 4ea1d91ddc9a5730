// The web page as the browser gets it: the files built by `vite build`, embedded in the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace lockstep::web {

// All views refer to constants. The path is "/index.html", or "/assets/" with a name that contains
// a hash of the content.
struct PageFile {
  std::string_view path;
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view etag;          // weak: identical for both encodings
  std::string_view gzip;          // the compressed content
  size_t content_bytes;           // uncompressed
};

// In no particular order; empty if the page could not be built (see build_page.py). Thread-safe.
std::span<const PageFile> PageFiles();

}  // namespace lockstep::web
