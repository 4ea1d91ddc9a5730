#include "api/admin/backup_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/test_folder.h"

namespace lockstep::api {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BackupPathTest : public testing::Test {
 protected:
  BackupPathTest() {
    fs::create_directories(folder_ / "backups/there");
    fs::create_directories(folder_ / "backups-of-others");
    fs::create_directory_symlink(folder_, folder_ / "backups/up");
    fs::create_directory_symlink(folder_ / "backups/there", folder_ / "backups/inside");
    fs::create_directory_symlink(folder_ / "backups", folder_ / "link");
  }

  absl::StatusOr<std::string> Below(const std::string& wanted) {
    return BackupFolderBelow((folder_ / "backups").string(), wanted);
  }
  std::string InFolder(const std::string& name) { return (folder_ / name).string(); }

  const TestFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(BackupPathTest, TakesWhatIsBelow) {
  for (const auto& [wanted, folder] : std::vector<std::pair<std::string, std::string>>{
           {"", "backups"},
           {"daily", "backups/daily"},
           {"a/b//c/", "backups/a/b/c"},
           {"there/../new", "backups/new"},
           {"inside/x", "backups/there/x"},
           {InFolder("backups"), "backups"},
           {InFolder("backups/daily"), "backups/daily"},
           {InFolder("link/daily"), "backups/daily"},
       }) {
    const auto below = Below(wanted);
    ASSERT_TRUE(below.ok()) << wanted << below.status();
    EXPECT_EQ(*below, InFolder(folder)) << wanted;
  }
  EXPECT_EQ(*BackupFolderBelow(InFolder("link"), "x"), InFolder("backups/x"));
  EXPECT_EQ(*BackupFolderBelow(InFolder("not-there"), "x"), InFolder("not-there/x"));
}

TEST_F(BackupPathTest, RefusesWhatLeadsElsewhere) {
  for (const std::string& wanted :
       {std::string("/"), std::string("/etc"), std::string(".."), std::string("../x"),
        std::string("a/../../x"), std::string("not-there/../../x"), std::string("up"),
        std::string("up/x"), std::string("there/../up/x"), InFolder("x"),
        InFolder("backups-of-others"), InFolder("backups/../x"), std::string("/proc/self/cwd/x"),
        std::string("a\nb"), std::string("a\0b", 3), std::string("a\x1b[31m"),
        std::string(5000, 'a')}) {
    const auto below = Below(wanted);
    EXPECT_EQ(below.status().code(), absl::StatusCode::kInvalidArgument) << wanted;
  }
  EXPECT_THAT(std::string(Message(Below("/etc").status())), HasSubstr("storage.backup.dir"));
}

}  // namespace
}  // namespace lockstep::api
