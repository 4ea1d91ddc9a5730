#include "cli/import_progress.h"

#include "absl/strings/str_format.h"

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

}  // namespace

std::string WithThousands(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string ProgressText(const importer::ImportTotals& totals, std::chrono::nanoseconds elapsed) {
  std::string text = absl::StrFormat("%s samples  %.1f", WithThousands(totals.samples),
                                     Megabytes(totals.read_bytes));
  if (totals.file_bytes > 0) absl::StrAppendFormat(&text, " of %.1f", Megabytes(totals.file_bytes));
  absl::StrAppendFormat(&text, " MB  %s samples/s",
                        WithThousands(PerSecond(totals.samples, elapsed)));
  if (totals.read_bytes > 0 && totals.file_bytes > totals.read_bytes) {
    const double left = static_cast<double>(totals.file_bytes - totals.read_bytes);
    absl::StrAppendFormat(&text, "  %.0f s left",
                          Seconds(elapsed) * left / static_cast<double>(totals.read_bytes));
  }
  return text;
}

std::string TotalsText(const importer::ImportTotals& totals, const importer::ImportOptions& options,
                       std::chrono::nanoseconds elapsed) {
  std::string text =
      absl::StrFormat("%s %s samples from %s lines (%.1f MB) in %.1f s, %s samples/s",
                      options.dry_run ? "read" : "imported", WithThousands(totals.samples),
                      WithThousands(totals.lines), Megabytes(totals.read_bytes), Seconds(elapsed),
                      WithThousands(PerSecond(totals.samples, elapsed)));
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count > 0) absl::StrAppendFormat(&text, "; %s %s", WithThousands(count), what);
  };
  add(totals.skipped_lines, "lines were done before");
  add(totals.exemplars, "exemplars left out");
  add(totals.bad_lines, "bad lines left out");
  add(totals.partly_taken_batches, "batches taken only in part");
  if (options.format == exposition::TextFormat::kOpenMetrics && !totals.has_end) {
    text += "; the file lacks its \"# EOF\" and may be cut short";
  }
  return text;
}

}  // namespace lockstep::cli
