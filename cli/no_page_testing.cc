// For tests: a program without the web page, which npm builds.
#include <span>

#include "web/page_files.h"

namespace lockstep::web {

std::span<const PageFile> PageFiles() { return {}; }

}  // namespace lockstep::web
