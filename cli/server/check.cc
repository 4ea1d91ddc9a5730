#include "cli/server/check.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "cli/send/import_progress.h"
#include "cli/settings/config_file.h"
#include "cli/settings/serve_options.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal_line.h"
#include "cli/terminal/time_text.h"
#include "rules/config/rules_config.h"
#include "scrape/config/scrape_config_file.h"
#include "server/auth/web_config.h"
#include "server/socket/tls_context.h"
#include "storage/db/check/day_check.h"
#include "storage/db/check/store_check.h"

namespace lockstep::cli {
namespace {

absl::Status ConfigStatus(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<GivenValue> values, ReadConfig(path));
  LOCKSTEP_ASSIGN_OR_RETURN(const ServeOptions options, MakeServeOptions(values));
  LOCKSTEP_RETURN_IF_ERROR(scrape::ReadScrapeConfigs(path).status());
  LOCKSTEP_ASSIGN_OR_RETURN(rules::RulesConfig config, rules::ReadRulesConfig(path));
  config.defaults.dialect = DialectOf(options);
  return rules::ReadRuleFiles(config.rule_files, config.defaults).status();
}

absl::Status WebConfigStatus(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const server::WebConfig config, server::ReadWebConfig(path));
  if (!config.tls) return absl::OkStatus();
  return server::TlsContext::Make(*config.tls).status();
}

ExitCode Report(const std::string& path, const absl::Status& status) {
  if (status.ok()) {
    std::printf("%s is fine\n", path.c_str());
    return kSuccess;
  }
  std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
  return kUsage;
}

constexpr std::chrono::milliseconds kShowProgressEvery{200};

std::string PerSample(const WindowTotals& totals) {
  if (totals.sample_count == 0) return "";
  return absl::StrFormat(
      "%.2f", static_cast<double>(totals.byte_count) / static_cast<double>(totals.sample_count));
}

std::vector<std::string> RowOf(std::string name, const CheckedDay& day, std::string series_count) {
  const WindowTotals& totals = day.totals;
  const bool has_samples = totals.sample_count > 0;
  return {std::move(name),
          WithThousands(day.row_count),
          std::move(series_count),
          WithThousands(totals.sample_count),
          WithThousands(totals.byte_count),
          PerSample(totals),
          has_samples ? TimeText(totals.range.min_ms) : "",
          has_samples ? TimeText(totals.range.max_ms) : ""};
}

std::string DaysText(const CheckReport& report) {
  Table table;
  table.header = {"day", "rows", "series", "samples", "bytes", "bytes/sample", "from", "to"};
  CheckedDay all;
  for (const auto& [window, day] : report.days) {
    table.rows.push_back(RowOf(DayName(window), day, WithThousands(day.series_count)));
    all.totals.Add(day.totals);
    all.row_count += day.row_count;
  }
  table.rows.push_back(RowOf("all", all, WithThousands(report.series_count)));
  return ToText(table);
}

}  // namespace

ExitCode CheckConfig(const std::string& path) { return Report(path, ConfigStatus(path)); }

ExitCode CheckWebConfig(const std::string& path) { return Report(path, WebConfigStatus(path)); }

ExitCode CheckData(const std::string& folder) {
  using Clock = std::chrono::steady_clock;
  TerminalLine terminal(isatty(STDERR_FILENO) == 1);
  Clock::time_point next_shown = Clock::now();
  const CheckListener listener{.on_damage =
                                   [&terminal](const std::string& where, const std::string& what) {
                                     terminal.Clear();
                                     std::fprintf(stderr, "lockstep: damage: %s: %s\n",
                                                  where.c_str(), what.c_str());
                                   },
                               .on_progress =
                                   [&](const std::string& doing) {
                                     if (Clock::now() < next_shown) return;
                                     next_shown = Clock::now() + kShowProgressEvery;
                                     terminal.Show(doing);
                                   }};
  const absl::StatusOr<CheckReport> report = CheckStore(folder, kv::Env::Default(), listener);
  terminal.Clear();
  if (!report.ok()) {
    std::fprintf(stderr, "lockstep: cannot check: %s\n",
                 std::string(Message(report.status())).c_str());
    return kUsage;
  }
  std::fputs(DaysText(*report).c_str(), stdout);
  std::printf("%s shards, %s table files of %s bytes; in the journal %s samples in %s blocks\n",
              WithThousands(report->shard_count).c_str(),
              WithThousands(report->table_count).c_str(),
              WithThousands(report->table_bytes).c_str(),
              WithThousands(report->journal_sample_count).c_str(),
              WithThousands(report->journal_block_count).c_str());
  if (report->unfinished_row_count > 0) {
    std::printf("%s rows of an unfinished seal; the next seal rewrites them\n",
                WithThousands(report->unfinished_row_count).c_str());
  }
  if (report->damage_count == 0) {
    std::printf("%s is fine\n", folder.c_str());
    return kSuccess;
  }
  std::printf("%s is damaged: %s errors\n", folder.c_str(),
              WithThousands(report->damage_count).c_str());
  return kFailure;
}

}  // namespace lockstep::cli
