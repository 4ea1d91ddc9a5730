#include "storage/kv/files/test_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "base/check.h"

namespace lockstep::kv {

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
  LOCKSTEP_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lockstep::kv
