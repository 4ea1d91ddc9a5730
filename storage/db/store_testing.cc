#include "storage/db/store_testing.h"

#include <bit>
#include <cstdio>
#include <future>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {

StoreOptions TestOptions(const TestFolder& folder) {
  StoreOptions options;
  options.data_dir = folder.path() + "/data";
  options.shard_count = 1;
  options.block_cache_bytes = size_t{4} << 20;
  options.now_ms = [] { return kTestNowMs; };
  options.env = kv::FaultEnv::Make();
  return options;
}

std::unique_ptr<Store> MustOpen(StoreOptions options) {
  absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(std::move(options));
  if (!store.ok()) fprintf(stderr, "%s\n", store.status().ToString().c_str());
  LOCKSTEP_CHECK(store.ok());
  return *std::move(store);
}

LabelSet Series(std::string_view name, std::string_view job, int number) {
  return LabelSet::Of(
      {{kMetricName, name}, {"job", job}, {"rank", std::to_string(number)}, {"gpu", "0"}});
}

absl::StatusOr<WriteOutcome> WriteAndWait(Storage& storage, WriteRequest request) {
  std::promise<absl::StatusOr<WriteOutcome>> answer;
  storage.Write(std::move(request), [&answer](absl::StatusOr<WriteOutcome> outcome) {
    answer.set_value(std::move(outcome));
  });
  return answer.get_future().get();
}

std::string StartText(int64_t start_ms) {
  return start_ms == 0 ? "" : absl::StrFormat("@%d", start_ms);
}

WriteRequest WithKnownSeries(const Storage& storage, WriteRequest request) {
  std::set<LabelSet> mixed;
  for (const SeriesWrite& write : request.series) {
    if (!write.histograms.empty()) mixed.insert(write.labels);
  }
  std::erase_if(request.series, [&](const SeriesWrite& write) {
    const SeriesKey key = SeriesKeyOf(write.labels);
    SeriesRef ref;
    storage.FindSeries({&key, 1}, {&ref, 1});
    if (!ref.known() || mixed.contains(write.labels)) return false;
    const std::vector<int64_t>& starts_ms = write.start_timestamps_ms;
    for (size_t i = 0; i < write.samples.size(); ++i) {
      request.known.push_back({ref, write.samples[i], starts_ms.empty() ? 0 : starts_ms[i]});
    }
    return true;
  });
  return request;
}

absl::StatusOr<WriteOutcome> WriteFloats(Storage& storage, const LabelSet& labels,
                                         std::vector<Sample> samples) {
  WriteRequest request;
  request.series.push_back({labels, std::move(samples), {}});
  return WriteAndWait(storage, std::move(request));
}

namespace {

void AppendColumns(std::string& out, const SampleColumns& columns) {
  size_t next_histogram = 0;
  const auto append_histograms_before = [&](int64_t time_ms) {
    for (; next_histogram < columns.histograms.size() &&
           columns.histograms[next_histogram].timestamp_ms < time_ms;
         ++next_histogram) {
      const HistogramSample& sample = columns.histograms[next_histogram];
      out += absl::StrFormat(" %d=h%g/%g", sample.timestamp_ms, sample.histogram->count,
                             sample.histogram->sum) +
             StartText(sample.start_timestamp_ms);
    }
  };
  for (size_t i = 0; i < columns.values.size(); ++i) {
    append_histograms_before(columns.timestamps_ms[i]);
    out += absl::StrFormat(" %d=%x", columns.timestamps_ms[i],
                           std::bit_cast<uint64_t>(columns.values[i])) +
           StartText(columns.StartOf(i));
  }
  append_histograms_before(INT64_MAX);
}

}  // namespace

std::string Dump(const Storage& storage, TimeRange range, std::vector<Matcher> matchers) {
  const auto querier = storage.NewQuerier();
  LOCKSTEP_CHECK(querier.ok());
  return Dump(**querier, range, std::move(matchers));
}

std::string Dump(const Querier& querier, TimeRange range, std::vector<Matcher> matchers) {
  auto set = querier.Select({matchers, range, nullptr});
  if (!set.ok()) return set.status().ToString();
  std::string out;
  SampleColumns columns;
  while ((*set)->Next()) {
    columns.Clear();
    const absl::Status status = (*set)->Read(columns);
    if (!status.ok()) return status.ToString();
    if (columns.size() == 0) continue;
    out += (*set)->labels().ToString() + ":";
    AppendColumns(out, columns);
    out += '\n';
  }
  if (!(*set)->status().ok()) return (*set)->status().ToString();
  return out;
}

}  // namespace lockstep
