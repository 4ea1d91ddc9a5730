#include "tests/support/test_folder.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/check.h"

namespace lockstep {
namespace {

// Asks ext4 to spread the folders below this one over the disk. By default it puts them all near
// their parent, and to create a file there it searches past all that were deleted a moment ago:
// a third of the time of the store's tests. Other file systems refuse, which costs nothing.
void SpreadFoldersBelow(const std::filesystem::path& parent) {
  const int file = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  int flags = 0;
  if (ioctl(file, FS_IOC_GETFLAGS, &flags) == 0) {
    flags |= FS_TOPDIR_FL;
    ioctl(file, FS_IOC_SETFLAGS, &flags);
  }
  close(file);
}

// The parent of all folders of this user's tests, which stays.
std::filesystem::path MakeParent() {
  const std::filesystem::path path =
      std::filesystem::canonical(std::filesystem::temp_directory_path()) /
      ("lockstep-tests." + std::to_string(getuid()));
  if (std::filesystem::create_directory(path)) SpreadFoldersBelow(path);
  return path;
}

}  // namespace

TestFolder::TestFolder() : path_((MakeParent() / "XXXXXX").string()) {
  LOCKSTEP_CHECK(mkdtemp(path_.data()) != nullptr);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::Write(std::string_view name, std::string_view bytes) const {
  const std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes << std::flush;
  LOCKSTEP_CHECK(file.good());
  return path.string();
}

}  // namespace lockstep
