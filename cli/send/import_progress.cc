#include "cli/send/import_progress.h"

#include <string_view>

#include "absl/strings/str_format.h"
#include "cli/terminal/time_text.h"

namespace lockstep::cli {
namespace {

double Seconds(std::chrono::nanoseconds elapsed) {
  return std::chrono::duration<double>(elapsed).count();
}

double Megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

uint64_t PerSecond(uint64_t count, std::chrono::nanoseconds elapsed) {
  const double seconds = Seconds(elapsed);
  return seconds > 0 ? static_cast<uint64_t>(static_cast<double>(count) / seconds) : 0;
}

// Appends "; 3 of a kind" if `count` is not zero.
void Add(std::string& text, uint64_t count, std::string_view what) {
  if (count > 0) absl::StrAppendFormat(&text, "; %s %s", WithThousands(count), what);
}

}  // namespace

std::string WithThousands(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string ProgressText(const importer::ImportReport& report, std::chrono::nanoseconds elapsed) {
  std::string text =
      absl::StrFormat("%s  %s samples  %.1f", report.source, WithThousands(report.counts.samples()),
                      Megabytes(report.read_bytes));
  if (report.file_bytes > 0) absl::StrAppendFormat(&text, " of %.1f", Megabytes(report.file_bytes));
  absl::StrAppendFormat(&text, " MB  %s samples/s",
                        WithThousands(PerSecond(report.counts.samples(), elapsed)));
  if (report.read_bytes > 0 && report.file_bytes > report.read_bytes) {
    const double left = static_cast<double>(report.file_bytes - report.read_bytes);
    absl::StrAppendFormat(&text, "  %.0f s left",
                          Seconds(elapsed) * left / static_cast<double>(report.read_bytes));
  }
  return text;
}

std::string ReportText(const importer::ImportReport& report) {
  const importer::SampleCounts& counts = report.counts;
  std::string text =
      absl::StrFormat("%s: %s: %s samples of %s series", report.source, report.format,
                      WithThousands(report.new_samples()), WithThousands(counts.series()));
  if (counts.steps() > 0) absl::StrAppendFormat(&text, ", %s steps", WithThousands(counts.steps()));
  if (counts.first_ms().has_value()) {
    absl::StrAppendFormat(&text, ", %s to %s", TimeText(*counts.first_ms()),
                          TimeText(*counts.last_ms()));
  }
  Add(text, report.done_before, "lines or series imported earlier");
  if (report.fates.has_value()) {
    Add(text, report.fates->duplicate, "already stored");
    Add(text, report.fates->overwritten, "replaced a sample of the same series and time");
  }
  Add(text, report.left_out, "malformed ones skipped");
  Add(text, report.refused, "requests partly accepted");
  for (const std::string& remark : report.remarks) text.append("; ").append(remark);
  return text;
}

std::string TotalsText(const ImportTotals& totals, bool is_dry_run,
                       std::chrono::nanoseconds elapsed) {
  std::string text = absl::StrFormat(
      "%s %s samples of %s %s (%.1f MB) in %.1f s, %s samples/s", is_dry_run ? "read" : "imported",
      WithThousands(totals.samples), WithThousands(totals.sources),
      totals.sources == 1 ? "source" : "sources", Megabytes(totals.read_bytes), Seconds(elapsed),
      WithThousands(PerSecond(totals.samples, elapsed)));
  Add(text, totals.not_whole, "partly imported");
  Add(text, totals.failed, "failed");
  Add(text, totals.unknown_named + totals.unknown, "of unknown format");
  Add(text, totals.empty_folders,
      totals.empty_folders == 1 ? "folder with nothing to import"
                                : "folders with nothing to import");
  return text;
}

}  // namespace lockstep::cli
