#include "import/file_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include <protozero/pbf_writer.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/wandb/wandb_log_testing.h"
#include "ingest/remote_write/remote_write.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::StartsWith;

// What arrived of a file: the labels of all series.
struct Imported {
  absl::Status status;
  ImportReport report;
  std::set<std::string> series = {};
  std::vector<std::string> complaints = {};
};

Imported Import(const std::string& path, const logs::LogHints& given = {}) {
  Imported imported;
  Delivery delivery(
      [&](const Outgoing& request) -> absl::StatusOr<Reply> {
        std::string message;
        EXPECT_TRUE(snappy::Uncompress(request.body.data(), request.body.size(), &message));
        const auto decoded = DecodeRemoteWrite(message, {});
        EXPECT_TRUE(decoded.ok()) << decoded.status();
        for (const SeriesWrite& series : decoded->request.series) {
          imported.series.insert(series.labels.ToString());
        }
        return Reply{204, "", ""};
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0)});
  SampleTimes times;
  const ImportSession session{delivery,
                              times,
                              false,
                              false,
                              [](const ImportReport&) {},
                              [&](const ImportReport&, const std::string& message) {
                                imported.complaints.push_back(message);
                              }};
  InputFile file;
  file.path = path;
  imported.status = ImportFile(file, {std::nullopt, given}, session, imported.report);
  return imported;
}

TEST(FileImport, AnEmptyFileIsNoMistake) {
  const TestFolder folder;
  const Imported imported = Import(folder.Write("train.log", ""));
  EXPECT_TRUE(imported.status.ok()) << imported.status;
  EXPECT_EQ(imported.report.format, "empty");
  EXPECT_TRUE(imported.series.empty());
}

TEST(FileImport, TheFormatIsFoundInTheFile) {
  const TestFolder folder;
  const Imported imported =
      Import(folder.Write("samples", "# TYPE a gauge\na{x=\"1\"} 1 1\n# EOF\n"));
  EXPECT_TRUE(imported.status.ok()) << imported.status;
  EXPECT_EQ(imported.report.format, "openmetrics");
  EXPECT_EQ(imported.report.counts.samples(), 1u);
  EXPECT_EQ(imported.series, std::set<std::string>({"a{x=\"1\"}"}));
  EXPECT_EQ(Import(folder.path() + "/absent").status.code(), absl::StatusCode::kNotFound);
}

// The log of a run "abc" of the project "p" with a loss, in the messages of W&B's own log: its
// group and the rank of its configuration.
std::string WandbLog(const std::string& group, const std::string& rank) {
  std::string about;
  {
    pbf_writer record(about);
    pbf_writer run(record, 17);
    run.add_string(1, "abc");
    run.add_string(3, "p");
    if (!group.empty()) run.add_string(6, group);
    pbf_writer config(run, 4);
    pbf_writer item(config, 1);
    item.add_string(1, rank.empty() ? "lr" : "rank");
    item.add_string(16, rank.empty() ? "1" : rank);
  }
  std::string row;
  {
    pbf_writer record(row);
    pbf_writer history(record, 2);
    for (const auto& [name, value] : {std::pair("loss", "2.5"), {"_timestamp", "1795510508.5"}}) {
      pbf_writer item(history, 1);
      item.add_string(1, name);
      item.add_string(16, value);
    }
  }
  std::string log;
  wandb::PutWandbRecord(log, about);
  wandb::PutWandbRecord(log, row);
  return log;
}

// The processes of a job are runs of one group, each with its rank; what the user says counts more.
TEST(FileImport, ARunOfWandbIsOfItsProjectOrGroup) {
  const TestFolder folder;
  const auto check = [&](const std::string& group, const std::string& rank,
                         const logs::LogHints& given, const std::string& labels) {
    const Imported imported = Import(folder.Write("run-abc.wandb", WandbLog(group, rank)), given);
    EXPECT_TRUE(imported.status.ok()) << imported.status;
    EXPECT_EQ(imported.report.format, "wandb");
    EXPECT_TRUE(imported.series.contains("train_loss{attempt=\"0\", " + labels + "}"))
        << labels << " is not " << *imported.series.rbegin();
  };
  check("", "", {}, R"(job="p", run="abc")");
  check("g", "3", {}, R"(job="p", rank="3", run="g")");
  check("g", "", {}, R"(job="p", run="abc")");
  check("", "3", {}, R"(job="p", rank="3", run="abc")");
  check("", "0", {}, R"(job="p", rank="0", run="abc")");
  check("g", "2147483647", {}, R"(job="p", rank="2147483647", run="g")");
  // No ranks.
  check("g", "-1", {}, R"(job="p", run="abc")");
  check("g", "2147483648", {}, R"(job="p", run="abc")");
  logs::LogHints given;
  given.job = "mine";
  check("g", "3", given, R"(job="mine", rank="3", run="g")");
  given.run = "one";
  given.rank = 9;
  check("g", "3", given, R"(job="mine", rank="9", run="one")");
}

// A record of W&B with the fields that `write` adds to it.
template <typename Write>
std::string WandbRecord(const Write& write) {
  std::string bytes;
  pbf_writer record(bytes);
  write(record);
  return bytes;
}

TEST(FileImport, ARunOfWandbMayNotHaveEnded) {
  const TestFolder folder;
  const Imported running = Import(folder.Write("run-abc.wandb", WandbLog("", "")));
  EXPECT_THAT(running.report.remarks, ElementsAre("the run has not ended"));
  std::string log = WandbLog("", "");
  // The exit code.
  wandb::PutWandbRecord(log, WandbRecord([](pbf_writer& record) { record.add_bytes(18, ""); }));
  EXPECT_THAT(Import(folder.Write("run-abc.wandb", log)).report.remarks, ElementsAre());
  const Imported cut = Import(folder.Write("run-abc.wandb", log.substr(0, log.size() - 1)));
  EXPECT_THAT(cut.report.remarks,
              ElementsAre("its last record is truncated: the run crashed or is still running"));
}

TEST(FileImport, DamageOfARunOfWandbIsCounted) {
  const TestFolder folder;
  std::string log = WandbLog("", "");
  wandb::PutWandbRecord(log, "\xff\xff");
  const Imported imported = Import(folder.Write("run-abc.wandb", log));
  EXPECT_TRUE(imported.status.ok()) << imported.status;
  EXPECT_THAT(imported.complaints, ElementsAre("1 malformed records"));
  EXPECT_EQ(imported.report.left_out, 1u);
}

TEST(FileImport, WhatIsNamedWandbMustBeOne) {
  const TestFolder folder;
  Delivery delivery(
      [](const Outgoing&) {
        return Reply{204, "", ""};
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0)});
  SampleTimes times;
  const ImportSession session{delivery,
                              times,
                              false,
                              false,
                              [](const ImportReport&) {},
                              [](const ImportReport&, const std::string&) {}};
  InputFile file;
  file.path = folder.Write("x", "something else entirely");
  ImportReport report;
  const absl::Status status =
      ImportFile(file, {FileFormat{FileKind::kWandb, "wandb"}, {}}, session, report);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(Message(status), "it is not a W&B transaction log (run-ID.wandb)");
}

TEST(FileImport, SamplesThatGotOtherTimesAreCounted) {
  const TestFolder folder;
  const auto row = [](const char* loss, const char* step) {
    return WandbRecord([&](pbf_writer& record) {
      pbf_writer history(record, 2);
      for (const auto& [name, value] :
           {std::pair("loss", loss), {"_step", step}, {"_timestamp", "1795510508.5"}}) {
        pbf_writer item(history, 1);
        item.add_string(1, name);
        item.add_string(16, value);
      }
    });
  };
  std::string log;
  wandb::PutWandbRecord(log, row("1", "1"));
  wandb::PutWandbRecord(log, row("2", "2"));
  wandb::PutWandbRecord(log, row("2", "2"));
  const Imported imported = Import(folder.Write("run-abc.wandb", log));
  EXPECT_TRUE(imported.status.ok()) << imported.status;
  EXPECT_THAT(imported.report.remarks,
              ElementsAre("the run has not ended",
                          StartsWith("1 samples got later times, because others of their series "
                                     "were logged at the same time"),
                          "1 samples appeared twice"));
}

TEST(FileImport, TheFormatOfAllFilesCanBeSet) {
  const TestFolder folder;
  InputFile file;
  file.path = folder.Write("x.txt", "a 1 1000\n");
  Delivery delivery(
      [](const Outgoing&) {
        return Reply{204, "", ""};
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0)});
  SampleTimes times;
  const ImportSession session{delivery,
                              times,
                              false,
                              false,
                              [](const ImportReport&) {},
                              [](const ImportReport&, const std::string&) {}};
  ImportReport report;
  ASSERT_TRUE(
      ImportFile(file, {FileFormat{FileKind::kPrometheus, "prometheus"}, {}}, session, report)
          .ok());
  EXPECT_EQ(report.format, "prometheus");
  EXPECT_EQ(report.counts.first_ms(), 1000);
  EXPECT_EQ(report.file_bytes, 9u);
  EXPECT_EQ(report.source, file.path);
}

}  // namespace
}  // namespace lockstep::importer
