#include "tests/support/source_dir.h"

namespace lockstep {

std::string SourcePath(std::string_view path) {
  return std::string(LOCKSTEP_SOURCE_DIR "/") + std::string(path);
}

}  // namespace lockstep
