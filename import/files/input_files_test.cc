#include "import/files/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_format.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "path in folder" for each, relative to `folder`.
std::vector<std::string> Found(const TestFolder& folder, const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const InputFile& file : FindInputFiles(paths).files) {
    const std::string path =
        file.path.starts_with(folder.path()) ? file.path.substr(folder.path().size()) : file.path;
    texts.push_back(absl::StrFormat("%s in \"%s\"%s%s", path, file.folder,
                                    file.is_named ? " named" : "", file.is_block ? " block" : ""));
  }
  return texts;
}

TEST(InputFilesTest, FoldersAreWalked) {
  const TestFolder folder;
  folder.Write("b/x.log", "");
  folder.Write("b/a/y.log", "");
  folder.Write("b/.git/z.log", "");
  folder.Write("b/x.log.lockstep-offset", "");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/b/loop");
  std::filesystem::create_symlink(folder.path() + "/b/x.log", folder.path() + "/b/z.log");
  EXPECT_THAT(Found(folder, {folder.path() + "/b/", "-", folder.path() + "/b/x.log", "none"}),
              ElementsAre("/b/a/y.log in \"a\"", "/b/x.log in \"\"", "/b/z.log in \"\"",
                          "- in \"\" named", "/b/x.log in \"\" named", "none in \"\" named"));
}

TEST(InputFilesTest, BlocksOfAPrometheus) {
  const TestFolder folder;
  for (const std::string file : {"meta.json", "index", "chunks/000001"}) {
    folder.Write("data/01AB/" + file, "");
  }
  folder.Write("data/wal/00000000", "");
  folder.Write("data/chunks_head/000001", "");
  folder.Write("data/lock", "");
  EXPECT_THAT(Found(folder, {folder.path() + "/data"}),
              ElementsAre("/data/01AB in \"\" block", "/data/lock in \"\""));
  EXPECT_THAT(
      FindInputFiles({folder.path() + "/data"}).remarks,
      ElementsAre(HasSubstr("/chunks_head is left out: "), HasSubstr("/wal is left out: ")));
  EXPECT_THAT(Found(folder, {folder.path() + "/data/01AB"}),
              ElementsAre("/data/01AB in \"\" named block"));
}

TEST(InputFilesTest, OfARunOfWandbItsTransactionLog) {
  const TestFolder folder;
  for (const std::string run : {"offline-run-20260302_091500-ab", "run-20260302_091500-cd"}) {
    const std::string below = "x/wandb/" + run;
    folder.Write(below + "/run-" + run.substr(run.size() - 2) + ".wandb", "");
    folder.Write(below + "/files/media/images/a.png", "");
    folder.Write(below + "/logs/debug.log", "");
  }
  folder.Write("x/wandb/run-20260302_091500-cd/files/output.log", "");
  folder.Write("x/wandb/run-20260302_091500-ef/train.log", "");
  std::filesystem::create_symlink("run-20260302_091500-cd/logs/debug.log",
                                  folder.path() + "/x/wandb/debug.log");
  folder.Write("x/wandb/debug-internal.log", "");
  folder.Write("x/debug.log", "");
  EXPECT_THAT(Found(folder, {folder.path() + "/x"}),
              ElementsAre("/x/debug.log in \"\"",
                          "/x/wandb/offline-run-20260302_091500-ab/run-ab.wandb in "
                          "\"wandb/offline-run-20260302_091500-ab\"",
                          "/x/wandb/run-20260302_091500-cd/run-cd.wandb in "
                          "\"wandb/run-20260302_091500-cd\"",
                          "/x/wandb/run-20260302_091500-ef/train.log in "
                          "\"wandb/run-20260302_091500-ef\""));
  EXPECT_THAT(FindInputFiles({folder.path() + "/x"}).remarks,
              ElementsAre(HasSubstr("/files/output.log is left out: ")));
  EXPECT_THAT(Found(folder, {folder.path() + "/x/wandb/offline-run-20260302_091500-ab"}),
              ElementsAre("/x/wandb/offline-run-20260302_091500-ab/run-ab.wandb in \"\""));
}

TEST(InputFilesTest, FilesKnowTheFolderThatWasNamed) {
  const TestFolder folder;
  folder.Write("a/b/x.log", "");
  const std::string named = folder.path() + "/a/";
  const InputFiles found = FindInputFiles({named, folder.path() + "/a/b/x.log"});
  EXPECT_EQ(found.folders, std::vector<std::string>{named});
  EXPECT_EQ(found.files[0].root, named);
  EXPECT_EQ(found.files[1].root, "");
}

TEST(InputFilesTest, OfCheckpointsTheLast) {
  const TestFolder folder;
  for (const std::string run : {"a", "b"}) {
    folder.Write(run + "/checkpoint-80/trainer_state.json", "");
    folder.Write(run + "/checkpoint-120/trainer_state.json", "");
  }
  EXPECT_THAT(Found(folder, {folder.path()}),
              ElementsAre("/a/checkpoint-120/trainer_state.json in \"a/checkpoint-120\"",
                          "/b/checkpoint-120/trainer_state.json in \"b/checkpoint-120\""));
}

TEST(FileHintsTest, RunsAndRanks) {
  const auto check = [](const InputFile& file, const logs::LogHints& given,
                        std::string_view expected) {
    const logs::LogHints hints = HintsOf(file, given);
    EXPECT_EQ(absl::StrFormat("%s|%s|%d|%d", hints.job, hints.run, hints.rank.value_or(-1),
                              hints.attempt),
              expected)
        << file.path;
  };
  check({"/l/exp-a/version_0/metrics.csv", "exp-a/version_0"}, {}, "|exp-a/version_0|-1|0");
  check({"/l/exp-a/version_0/metrics.csv", "", true}, {}, "|version_0|-1|0");
  check({"/l/run/checkpoint-9/trainer_state.json", "run/checkpoint-9"}, {}, "|run|-1|0");
  check({"/l/8f_x/attempt_1/3/stdout.log", "8f_x/attempt_1/3"}, {}, "|8f|3|1");
  check({"/l/rank2.log", ""}, {}, "||2|0");
  check({"-", "", true}, {}, "||-1|0");
  logs::LogHints given;
  given.job = "j";
  given.run = "r";
  given.rank = 7;
  check({"/l/8f_x/attempt_1/3/stdout.log", "8f_x/attempt_1/3"}, given, "j|r|7|1");
}

}  // namespace
}  // namespace lockstep::importer
