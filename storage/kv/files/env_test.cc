#include "storage/kv/files/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

TEST(Env, MakesFoldersWithThoseAboveThem) {
  TestFolder folder;
  const auto env = Env::Default();
  const std::string path = folder.path() + "/a/b/c";
  ASSERT_TRUE(env->CreateFolder(path).ok());
  ASSERT_TRUE(env->CreateFolder(path).ok());
  ASSERT_TRUE(env->WriteFile(path + "/file", "text").ok());
  EXPECT_EQ(*env->ReadFile(path + "/file"), "text");
}

TEST(Env, SaysThatAFileIsNotThere) {
  TestFolder folder;
  EXPECT_EQ(Env::Default()->ReadFile(folder.path() + "/none").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Env, WritesAFileWholeOrNotAtAll) {
  TestFolder folder;
  const auto env = FaultEnv::Make();
  const std::string path = folder.path() + "/file";
  ASSERT_TRUE(env->WriteFile(path, "old").ok());
  int failures = 0;
  for (uint64_t n = 1;; ++n) {
    env->FailFrom(n);
    const absl::Status status = env->WriteFile(path, "new");
    env->Heal();
    if (status.ok()) break;
    ++failures;
    const std::string contents = *env->ReadFile(path);
    EXPECT_TRUE(contents == "old" || contents == "new") << contents;
  }
  EXPECT_GE(failures, 4);  // create, append, sync, rename
  EXPECT_EQ(*env->ReadFile(path), "new");
}

TEST(Env, CountsAllBytesBelowAFolder) {
  TestFolder folder;
  const auto env = Env::Default();
  ASSERT_TRUE(env->CreateFolder(folder.path() + "/inner").ok());
  ASSERT_TRUE(env->WriteFile(folder.path() + "/one", "12345").ok());
  ASSERT_TRUE(env->WriteFile(folder.path() + "/inner/two", "678").ok());
  EXPECT_EQ(*env->FolderBytes(folder.path()), 8u);
  EXPECT_GT(*env->FreeBytes(folder.path()), 0u);
}

TEST(Env, TellsAFolderFromAnotherInItsPlace) {
  TestFolder folder;
  const std::shared_ptr<Env> env = Env::Default();
  const std::string path = folder.path() + "/a";
  EXPECT_EQ(env->FolderId(path).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(env->CreateFolder(path).ok());
  const std::string id = *env->FolderId(path);
  ASSERT_TRUE(env->WriteFile(path + "/file", "text").ok());
  EXPECT_EQ(*env->FolderId(path), id);
  std::filesystem::rename(path, folder.path() + "/b");
  ASSERT_TRUE(env->CreateFolder(path).ok());
  EXPECT_NE(*env->FolderId(path), id);
  EXPECT_EQ(*env->FolderId(folder.path() + "/b"), id);
}

TEST(Env, ListsNamesInOrder) {
  TestFolder folder;
  const auto env = Env::Default();
  for (const char* name : {"/b", "/a", "/c"}) {
    ASSERT_TRUE(env->WriteFile(folder.path() + name, "").ok());
  }
  EXPECT_THAT(*env->ListFolder(folder.path()), ::testing::ElementsAre("a", "b", "c"));
  const absl::Status none = env->ListFolder(folder.path() + "/none").status();
  EXPECT_THAT(std::string(Message(none)),
              ::testing::StartsWith("listing " + folder.path() + "/none: "));
}

TEST(Env, RemovesAFileThatMayBeGoneAlready) {
  TestFolder folder;
  const auto env = Env::Default();
  const std::string path = folder.path() + "/file";
  ASSERT_TRUE(env->WriteFile(path, "text").ok());
  EXPECT_TRUE(env->RemoveFile(path).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(env->RemoveFile(path).ok());
}

TEST(Env, ErrorsNameThePath) {
  TestFolder folder;
  const auto env = Env::Default();
  const auto expect = [](const absl::Status& status, const std::string& begin) {
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(Message(status)), ::testing::StartsWith(begin));
  };
  const std::string file = folder.path() + "/file", below = file + "/below";
  ASSERT_TRUE(env->WriteFile(file, "text").ok());
  EXPECT_EQ(env->ReadFile(folder.path() + "/none").status(),
            absl::NotFoundError("there is no file " + folder.path() + "/none"));
  EXPECT_EQ(env->FolderId(below).status(), absl::NotFoundError("there is no folder " + below));
  expect(env->CreateFolder(below), "creating the folder ");
  expect(env->WriteFile(below, "text"), "writing " + below);
  expect(env->FreeBytes(folder.path() + "/none").status(),
         "reading the free space of " + folder.path() + "/none");
}

// Its lock would be lost.
TEST(Env, DoesNotCountTheLockOfAFolder) {
  TestFolder folder;
  const auto env = Env::Default();
  ASSERT_TRUE(env->WriteFile(folder.path() + "/LOCK", "12345").ok());
  ASSERT_TRUE(env->WriteFile(folder.path() + "/other", "678").ok());
  EXPECT_EQ(*env->FolderBytes(folder.path()), 3u);
  EXPECT_FALSE(env->FolderBytes(folder.path() + "/none").ok());
}

}  // namespace
}  // namespace lockstep::kv
