#include "tests/durability/load.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <random>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kLifeMs = 3 * kHourMs;
constexpr int64_t kRetentionMs = 36 * kHourMs;
constexpr int64_t kFirstMs = 1'700'000'000'000;
constexpr int64_t kStepMs = 1000;
constexpr int kSeriesCount = 10;
constexpr int kSteps = 5;
// The time range of a life's batches: in-order batches advance by kSteps, and few lives have more.
constexpr int64_t kWrittenMs = 40 * kMinuteMs;
// The series of this writer, and those of the metric kVisits, have a shorter retention.
constexpr int64_t kHastyWriter = 1;
std::atomic<int64_t> monotonic_ms = 0;

constexpr int64_t kHastyWriterKeepMs = 12 * kHourMs;
constexpr std::string_view kVisits = "visits";
constexpr int64_t kVisitsKeepMs = 20 * kHourMs;
// Small, so that a seal is in progress most of the time and the size limit drops much.
constexpr size_t kHeadBytes = size_t{256} << 10;
constexpr uint64_t kMaxBytes = uint64_t{160} << 10;
// The distances between the values of batches, writers and lives.
constexpr int64_t kValuesPerBatch = 1000;
constexpr int64_t kValuesPerWriter = 10'000 * kValuesPerBatch;
constexpr int64_t kValuesPerLife = 10 * kValuesPerWriter;

int64_t BeginMs(int64_t life) { return kFirstMs + life * kLifeMs; }

std::string JobOf(int64_t writer) { return "writer-" + std::to_string(writer); }

int64_t KeepMs(std::string_view metric, std::string_view job) {
  if (job == JobOf(kHastyWriter)) return kHastyWriterKeepMs;
  return metric == kVisits ? kVisitsKeepMs : kRetentionMs;
}

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed) {}
  int64_t Below(int64_t end) { return static_cast<int64_t>(bits_() % static_cast<uint64_t>(end)); }

 private:
  std::mt19937_64 bits_;
};

uint64_t SeedOf(uint64_t seed, const BatchName& name) {
  return (seed << 40) + (static_cast<uint64_t>(name.life) << 24) +
         (static_cast<uint64_t>(name.writer) << 20) + static_cast<uint64_t>(name.number);
}

class BatchMaker {
 public:
  BatchMaker(uint64_t seed, const BatchName& name)
      : name_(name),
        random_(SeedOf(seed, name)),
        next_value_(static_cast<double>(name.life * kValuesPerLife +
                                        name.writer * kValuesPerWriter +
                                        name.number * kValuesPerBatch)) {}

  Batch Make() {
    switch (random_.Below(10)) {
      case 0:
      case 1:
        AddLate();
        break;
      case 2:
      case 3:
        AddOverwriting();
        break;
      case 4:
        AddNewSeries();
        break;
      default:
        AddInOrder();
    }
    return std::move(batch_);
  }

 private:
  int64_t StepTime(int64_t step) const { return BeginMs(name_.life) + step * kStepMs; }

  void Add(std::string_view metric, const std::string& series, int64_t time_ms) {
    const std::string job = JobOf(name_.writer);
    const LabelSet labels = LabelSet::Of({{kMetricName, metric}, {"job", job}, {"series", series}});
    batch_[labels].insert_or_assign(time_ms, next_value_++);
  }
  void Add(const std::string& series, int64_t time_ms) { Add("durable", series, time_ms); }

  void AddInOrder() {
    for (int series = 0; series < kSeriesCount; ++series) {
      for (int i = 0; i < kSteps; ++i) {
        Add("s" + std::to_string(series), StepTime(name_.number * kSteps + i));
      }
    }
  }
  void AddLate() {
    const int64_t latest_ms = KeepMs("durable", JobOf(name_.writer)) * 5 / 6;
    for (int i = 0; i < 40; ++i) {
      Add("s" + std::to_string(random_.Below(3)),
          NowMs(name_.life) - random_.Below(latest_ms) / kMinuteMs * kMinuteMs);
    }
  }
  void AddOverwriting() {
    for (int i = 0; i < 40; ++i) {
      const int64_t step = std::max<int64_t>(0, name_.number * kSteps - random_.Below(200));
      Add("s" + std::to_string(random_.Below(kSeriesCount)), StepTime(step));
    }
  }
  // The current life's series, and one that exists only in every fifth life.
  void AddNewSeries() {
    const std::string name =
        "life-" + std::to_string(name_.life) + "-" + std::to_string(random_.Below(20));
    for (int i = 0; i < kSteps; ++i) Add(name, StepTime(name_.number * kSteps + i));
    Add(kVisits, "visitor-" + std::to_string(name_.life % 5), StepTime(name_.number * kSteps));
  }

  const BatchName name_;
  Random random_;
  double next_value_;
  Batch batch_;
};

class DeletionMaker {
 public:
  DeletionMaker(uint64_t seed, int64_t life, int64_t number)
      : life_(life), random_(SeedOf(seed, {life, kWriterCount, number})) {}

  Deletion Make() {
    switch (random_.Below(20)) {
      case 0:
        return {{{Job()}}, EverMs()};
      case 1:
        return {{{}}, StoredMs(kHourMs)};
      case 2:
      case 3:
        return {{{}}, WrittenMs(kMinuteMs)};
      case 4:
      case 5:
        return {{{LifeSeries()}, {Job(), Series()}}, EverMs()};
      case 6:
      case 7:
        return {{{Matcher::Equal(std::string(kMetricName), std::string(kVisits))}},
                StoredMs(4 * kHourMs)};
      case 8:
      case 9:
      case 10:
        return {{{Job(), Series()}}, EverMs()};
      case 11:
      case 12:
      case 13:
        return {{{Job(), Series()}, {Job(), Series()}}, StoredMs(8 * kHourMs)};
      default:
        return {{{Job()}, {Series()}}, WrittenMs(5 * kMinuteMs)};
    }
  }

 private:
  static TimeRange EverMs() {
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
  // A part of what this life has written in order.
  TimeRange WrittenMs(int64_t length_ms) {
    const int64_t begin_ms = BeginMs(life_) + random_.Below(kWrittenMs);
    return {begin_ms, begin_ms + random_.Below(length_ms)};
  }
  TimeRange StoredMs(int64_t length_ms) {
    const int64_t begin_ms = NowMs(life_) - random_.Below(kRetentionMs);
    return {begin_ms, begin_ms + random_.Below(length_ms)};
  }
  Matcher Job() { return Matcher::Equal("job", JobOf(random_.Below(kWriterCount))); }
  Matcher Series() {
    return Matcher::Equal("series", "s" + std::to_string(random_.Below(kSeriesCount)));
  }
  Matcher LifeSeries() {
    const int64_t life = life_ - random_.Below(12);
    return Must(
        Matcher::Make(MatchType::kRegex, "series", "life-" + std::to_string(life) + "-1?[0-4]"));
  }

  const int64_t life_;
  Random random_;
};

RetentionRule RuleFor(const std::string& label, std::string_view value, int64_t keep_ms) {
  RetentionRule rule;
  (label == "job" ? rule.job : rule.metric) = Matcher::Equal(label, std::string(value));
  rule.keep_ms = keep_ms;
  return rule;
}

}  // namespace

Batch MakeBatch(uint64_t seed, const BatchName& name) { return BatchMaker(seed, name).Make(); }

BatchName BatchOfValue(double value) {
  const auto number = static_cast<int64_t>(value);
  return {number / kValuesPerLife, number % kValuesPerLife / kValuesPerWriter,
          number % kValuesPerWriter / kValuesPerBatch};
}

bool Deletion::Concerns(const LabelSet& labels) const {
  return std::any_of(sets.begin(), sets.end(), [&](const std::vector<Matcher>& matchers) {
    return std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
      return matcher.Matches(labels.Get(matcher.name()));
    });
  });
}

Deletion MakeDeletion(uint64_t seed, int64_t life, int64_t number) {
  return DeletionMaker(seed, life, number).Make();
}

Limit LimitOf(int64_t life) {
  switch (life % 4) {
    case 1:
      return Limit::kBytes;
    case 3:
      return Limit::kSeries;
    default:
      return Limit::kNone;
  }
}

int64_t NowMs(int64_t life) { return BeginMs(life + 1); }

int64_t OldestMs(const LabelSet& labels, int64_t life) {
  return NowMs(life) - KeepMs(labels.metric_name(), labels.Get("job"));
}

StoreOptions OptionsOf(const std::string& folder, int64_t life, Limit limit) {
  StoreOptions options;
  options.data_dir = folder;
  options.shard_count = kShardCount;
  options.head_bytes = kHeadBytes;
  options.retention_ms = kRetentionMs;
  options.retention_rules = {RuleFor("job", JobOf(kHastyWriter), kHastyWriterKeepMs),
                             RuleFor(std::string(kMetricName), kVisits, kVisitsKeepMs)};
  if (limit == Limit::kBytes) options.max_bytes = kMaxBytes;
  if (limit == Limit::kSeries) options.series.max_series = kMaxSeries;
  options.now_ms = [life] { return NowMs(life); };
  options.monotonic_ms = [] { return monotonic_ms.load(); };
  return options;
}

void AwaitTrustedClock(const Store& store) {
  // Shorter than what the store considers a clock jump.
  constexpr int64_t kStepMs = kHourMs / 4;
  while (!store.stats().clock_is_trusted) monotonic_ms += kStepMs;
}

std::unique_ptr<Store> OpenStoreOf(const std::string& folder, int64_t life, Limit limit) {
  std::unique_ptr<Store> store = Must(OpenStore(OptionsOf(folder, life, limit)));
  AwaitTrustedClock(*store);
  return store;
}

std::string BackupsOf(const std::string& folder) { return folder + ".backups"; }

void Fail(std::string_view why) {
  absl::FPrintF(stderr, "%s\n", why);
  std::_Exit(1);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

Batch ReadAll(const Store& store, const std::vector<Matcher>& matchers, TimeRange range) {
  Batch found;
  const std::unique_ptr<Querier> querier = Must(store.NewQuerier());
  const std::unique_ptr<SeriesSet> set = Must(querier->Select({matchers, range, nullptr}));
  SampleColumns columns;
  while (set->Next()) {
    columns.Clear();
    Must(set->Read(columns));
    const auto [at, is_new] = found.try_emplace(set->labels());
    if (!is_new) Fail("a series twice: " + set->labels().ToString());
    for (size_t i = 0; i < columns.values.size(); ++i) {
      if (i > 0 && columns.timestamps_ms[i] <= columns.timestamps_ms[i - 1]) {
        Fail("times that do not ascend: " + set->labels().ToString());
      }
      at->second.emplace_hint(at->second.end(), columns.timestamps_ms[i], columns.values[i]);
    }
  }
  Must(set->status());
  return found;
}

}  // namespace lockstep
