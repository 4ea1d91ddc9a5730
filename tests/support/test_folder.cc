#include "tests/support/test_folder.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/check.h"

namespace lockstep {
namespace {

// Asks ext4 to spread the folders below this one over the disk. It would otherwise put all of them near their
// parent, where each new file makes it search past the many that tests have just deleted: that is a third of the
// time of the store's tests. Other file systems refuse, and lose nothing.
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

// The folder above those of all tests of this user.
const std::filesystem::path& Parent() {
  static const auto& parent = *new auto([] {
    const std::filesystem::path path =
        std::filesystem::canonical(std::filesystem::temp_directory_path()) /
        ("lockstep-tests." + std::to_string(getuid()));
    if (std::filesystem::create_directory(path)) SpreadFoldersBelow(path);
    return path;
  }());
  return parent;
}

}  // namespace

TestFolder::TestFolder() : path_((Parent() / "XXXXXX").string()) {
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
