#include "storage/kv/files/folder_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

using ::testing::HasSubstr;

TEST(FolderLock, IsHeldByOneAtATime) {
  const TestFolder folder;
  auto lock = FolderLock::Take(Env::Default(), folder.path());
  ASSERT_TRUE(lock.ok()) << lock.status();
  const absl::Status second = FolderLock::Take(Env::Default(), folder.path()).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(second)), HasSubstr(folder.path() + " is in use"));
  lock->reset();
  EXPECT_TRUE(FolderLock::Take(Env::Default(), folder.path()).ok());
}

// Whether the lock keeps other processes out. The system does not report this to the process that
// holds it.
bool IsLockedForOthers(const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) {
    const int file = open((folder + "/LOCK").c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    _exit(file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status) == 1;
}

TEST(FolderLock, IsNotLostByLookingAtTheFolder) {
  const TestFolder folder;
  const auto lock = FolderLock::Take(Env::Default(), folder.path());
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_TRUE(IsLockedForOthers(folder.path()));
  EXPECT_TRUE(Env::Default()->FolderBytes(folder.path()).ok());
  EXPECT_TRUE(Env::Default()->ListFolder(folder.path()).ok());
  EXPECT_TRUE(IsLockedForOthers(folder.path()));
}

TEST(FolderLock, IsThatOfAnOpenStore) {
  const TestFolder folder;
  const auto resources = std::make_shared<const Resources>(ResourceLimits());
  auto store = Store::Open(folder.path(), Env::Default(), resources);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(FolderLock::Take(Env::Default(), folder.path()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Store::Open(folder.path(), Env::Default(), resources).status().code(),
            absl::StatusCode::kFailedPrecondition);
  store->reset();
  const auto lock = FolderLock::Take(Env::Default(), folder.path());
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_EQ(Store::Open(folder.path(), Env::Default(), resources).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace lockstep::kv
