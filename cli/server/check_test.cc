#include "cli/server/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_format.h"
#include "cli/process/ran_testing.h"
#include "cli/server/small_store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Ran RunCheckConfig(const std::string& path) {
  return RunCaptured([&path] { return CheckConfig(path); });
}

Ran RunCheckWebConfig(const std::string& path) {
  return RunCaptured([&path] { return CheckWebConfig(path); });
}

Ran RunCheckData(const std::string& folder) {
  return RunCaptured([&folder] { return CheckData(folder); });
}

TEST(CheckConfigTest, AValidFileIsFine) {
  const TestFolder folder;
  folder.Write("rules.yml", "groups: [{name: g, rules: [{record: a, expr: b}]}]\n");
  const std::string path =
      folder.Write("a.yml",
                   "storage: {shards: 2}\n"
                   "scrape_configs: [{job_name: a, static_configs: [{targets: ['h:1']}]}]\n"
                   "rule_files: [rules.yml]\n");
  const Ran ran = RunCheckConfig(path);
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_EQ(ran.out, path + " is fine\n");
  EXPECT_EQ(ran.errors, "");
}

TEST(CheckConfigTest, EveryPartOfAFileIsChecked) {
  const TestFolder folder;
  const auto error_of = [&folder](const std::string& yaml) {
    const Ran ran = RunCheckConfig(folder.Write("a.yml", yaml));
    EXPECT_EQ(ran.code, kUsage);
    EXPECT_EQ(ran.out, "");
    return ran.errors;
  };
  EXPECT_EQ(error_of("storage: {shards: 999}\n"),
            absl::StrFormat("lockstep: %s/a.yml line 1: storage.shards: \"999\" is not a whole "
                            "number from 0 to 256\n",
                            folder.path()));
  EXPECT_THAT(error_of("scrape_configs: [{job_nam: a}]\n"), HasSubstr("job_nam"));
  EXPECT_THAT(error_of("rule_files: {}\n"), HasSubstr("rule_files"));
  folder.Write("rules.yml", "groups: [{name: g, rules: [{record: a, expr: 'sum('}]}]\n");
  EXPECT_THAT(error_of("rule_files: [rules.yml]\n"), HasSubstr("rules.yml"));
  EXPECT_THAT(RunCheckConfig("/does/not/exist").errors,
              HasSubstr("cannot read \"/does/not/exist\""));
}

TEST(CheckConfigTest, RulesAreInTheLanguageOfTheServer) {
  const TestFolder folder;
  folder.Write("rules.yml", "groups: [{name: g, rules: [{record: a, expr: running_avg(b)}]}]\n");
  const std::string rules = "rule_files: [rules.yml]\n";
  EXPECT_EQ(RunCheckConfig(folder.Write("a.yml", rules)).code, kSuccess);
  EXPECT_EQ(RunCheckConfig(folder.Write("a.yml", rules + "query: {metricsql: false}\n")).code,
            kUsage);
}

TEST(CheckWebConfigTest, ChecksTheFileAndItsCertificates) {
  const TestFolder folder;
  const std::string good = folder.Write(
      "web.yml", "lockstep_bearer_tokens: {t: {sha256: " + std::string(64, 'a') + "}}\n");
  const Ran fine = RunCheckWebConfig(good);
  EXPECT_EQ(fine.code, kSuccess);
  EXPECT_EQ(fine.out, good + " is fine\n");
  EXPECT_EQ(RunCheckWebConfig(folder.Write("web.yml", "users: {}\n")).code, kUsage);
  folder.Write("no.crt", "");
  const Ran ran = RunCheckWebConfig(
      folder.Write("web.yml", "tls_server_config: {cert_file: no.crt, key_file: no.key}\n"));
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.errors, HasSubstr("no.crt"));
}

TEST(CheckDataTest, ShowsTheDaysOfAStore) {
  const TestFolder folder;
  const std::string data = folder.path() + "/data";
  MakeStore(data, {{kStoredMs - 5000, 1}, {kStoredMs, 2}});
  const Ran ran = RunCheckData(data);
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  std::istringstream lines(ran.out);
  std::string header, day_line, all_line, summary;
  std::getline(lines, header);
  std::getline(lines, day_line);
  std::getline(lines, all_line);
  std::getline(lines, summary);
  std::istringstream day(day_line), all(all_line);
  std::string name, from_date, from_time, to_date, to_time, of_all;
  int rows = 0, series = 0, samples = 0, all_rows = 0, all_series = 0, all_samples = 0;
  double bytes = 0, bytes_per_sample = 0, all_bytes = 0;
  day >> name >> rows >> series >> samples >> bytes >> bytes_per_sample >> from_date >> from_time >>
      to_date >> to_time;
  all >> of_all >> all_rows >> all_series >> all_samples >> all_bytes;
  EXPECT_THAT(header, testing::MatchesRegex("day +rows  series  samples  bytes  bytes/sample "
                                            " from +to"));
  EXPECT_EQ(name, "2023-11-14");
  EXPECT_GT(rows, 0);
  EXPECT_EQ(series, 1);
  EXPECT_EQ(samples, 2);
  EXPECT_GT(bytes, 0);
  EXPECT_DOUBLE_EQ(bytes_per_sample, bytes / 2);
  EXPECT_EQ(from_date + " " + from_time, "2023-11-14 22:13:15Z");
  EXPECT_EQ(to_date + " " + to_time, "2023-11-14 22:13:20Z");
  EXPECT_EQ(of_all, "all");
  EXPECT_EQ(all_rows, rows);
  EXPECT_EQ(all_series, 1);
  EXPECT_EQ(all_samples, 2);
  EXPECT_EQ(all_bytes, bytes);
  EXPECT_THAT(summary, StartsWith("1 shards, "));
  EXPECT_THAT(summary, EndsWith("in the journal 0 samples in 0 blocks"));
  EXPECT_THAT(ran.out, EndsWith(data + " is fine\n"));
}

TEST(CheckDataTest, AStoreMayBeEmpty) {
  const TestFolder folder;
  const std::string data = folder.path() + "/data";
  MakeStore(data, {});
  const Ran ran = RunCheckData(data);
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_THAT(ran.out, StartsWith("day  rows  series  samples  bytes  bytes/sample  from  to\n"
                                  "all     0       0        0      0\n"));
}

TEST(CheckDataTest, ReportsDamage) {
  const TestFolder folder;
  const std::string data = folder.path() + "/data";
  MakeStore(data, {{kStoredMs, 2}});
  int damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".sst") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(3);
    file.put('\x55');
    file.put('\xaa');
    ++damaged;
  }
  ASSERT_GT(damaged, 0);
  const Ran ran = RunCheckData(data);
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: damage: "));
  EXPECT_THAT(ran.out, testing::ContainsRegex(data + " is damaged: [1-9][0-9,]* errors\n$"));
}

TEST(CheckDataTest, ThereMustBeAStore) {
  const TestFolder folder;
  const Ran ran = RunCheckData(folder.path() + "/absent");
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: cannot check: "));
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace lockstep::cli
