#include "import/wandb/wandb_reader.h"

#include <algorithm>
#include <cmath>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>

#include "import/wandb/wandb_limits.h"

namespace lockstep::wandb {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;
constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
constexpr auto kVarint = protozero::pbf_wire_type::varint;

// Fields of the messages.
enum RecordField : uint32_t { kHistory = 2, kConfig = 5, kStats = 7, kRun = 17, kExit = 18 };
enum RunField : uint32_t {
  kRunId = 1,
  kEntity = 2,
  kProject = 3,
  kRunConfig = 4,
  kGroup = 6,
  kJobType = 7,
  kDisplayName = 8,
  kStartTime = 17
};
enum ItemField : uint32_t { kKey = 1, kNestedKey = 2, kValueJson = 16 };
enum HistoryField : uint32_t { kHistoryItem = 1, kHistoryStep = 2 };
enum StatsField : uint32_t { kStatsTime = 2, kStatsItem = 3 };
enum ConfigField : uint32_t { kConfigUpdate = 1 };
enum StepField : uint32_t { kStepNumber = 1 };
enum TimeField : uint32_t { kSeconds = 1, kNanos = 2 };

// Times beyond the year 5000 or before 1970 are invalid.
constexpr double kLatestSecond = 1e11;

std::optional<int64_t> TimeMs(double seconds) {
  if (!(seconds > 0 && seconds < kLatestSecond)) return std::nullopt;
  return std::llround(seconds * 1000);
}

std::optional<int64_t> ReadTime(std::string_view message) {
  int64_t seconds = 0;
  int64_t nanos = 0;
  pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kSeconds, kVarint):
        seconds = reader.get_int64();
        break;
      case tag_and_type(kNanos, kVarint):
        nanos = reader.get_int32();
        break;
      default:
        reader.skip();
    }
  }
  if (seconds <= 0 || static_cast<double>(seconds) > kLatestSecond) return std::nullopt;
  return seconds * 1000 + nanos / 1'000'000;
}

WandbItem ReadItem(std::string_view message) {
  WandbItem item;
  pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kKey, kBytes):
        item.path.insert(item.path.begin(), reader.get_view());
        break;
      case tag_and_type(kNestedKey, kBytes):
        // Ignore deeper paths, whose names would be too long.
        if (item.path.size() < kMaxNameBytes) {
          item.path.push_back(reader.get_view());
        } else {
          reader.skip();
        }
        break;
      case tag_and_type(kValueJson, kBytes):
        item.json = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return item;
}

std::optional<int64_t> ReadStep(std::string_view message) {
  int64_t step = 0;
  pbf_reader reader(message);
  while (reader.next(kStepNumber, kVarint)) step = reader.get_int64();
  return step;
}

void ReadText(pbf_reader& reader, std::string& text) {
  const std::string_view written = reader.get_view();
  if (!written.empty()) text = written.substr(0, kMaxTextBytes);
}

// The step from the history's values, if the record has none itself.
std::optional<int64_t> StepOf(double value) {
  constexpr double kLargestStep = 9e15;
  if (!(std::abs(value) < kLargestStep) || value != std::floor(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace

void WandbReader::Feed(std::string_view bytes) {
  // Only one piece and one record are held at a time.
  constexpr size_t kPieceBytes = 256 << 10;
  while (!bytes.empty()) {
    log_.Append(bytes.substr(0, kPieceBytes));
    bytes.remove_prefix(std::min(kPieceBytes, bytes.size()));
    while (const auto record = log_.Next()) TakeRecord(*record);
  }
}

void WandbReader::Finish() { log_.Finish(); }

void WandbReader::TakeRecord(std::string_view record) try {
  pbf_reader reader(record);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kHistory, kBytes):
        ReadHistory(reader.get_view());
        break;
      case tag_and_type(kStats, kBytes):
        ReadStats(reader.get_view());
        break;
      case tag_and_type(kRun, kBytes):
        ReadRun(reader.get_view());
        break;
      case tag_and_type(kConfig, kBytes):
        ReadConfig(reader.get_view());
        break;
      case tag_and_type(kExit, kBytes):
        has_ended_ = true;
        reader.skip();
        break;
      default:
        reader.skip();
    }
  }
} catch (const protozero::exception&) {
  ++malformed_records_;
}

void WandbReader::ReadRun(std::string_view message) {
  pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kRunId, kBytes):
        ReadText(reader, run_.id);
        break;
      case tag_and_type(kEntity, kBytes):
        ReadText(reader, run_.entity);
        break;
      case tag_and_type(kProject, kBytes):
        ReadText(reader, run_.project);
        break;
      case tag_and_type(kGroup, kBytes):
        ReadText(reader, run_.group);
        break;
      case tag_and_type(kJobType, kBytes):
        ReadText(reader, run_.job_type);
        break;
      case tag_and_type(kDisplayName, kBytes):
        ReadText(reader, run_.name);
        break;
      case tag_and_type(kRunConfig, kBytes):
        ReadConfig(reader.get_view());
        break;
      case tag_and_type(kStartTime, kBytes):
        run_.start_ms = ReadTime(reader.get_view());
        break;
      default:
        reader.skip();
    }
  }
}

void WandbReader::ReadConfig(std::string_view message) {
  std::vector<WandbValue> values;
  pbf_reader reader(message);
  while (reader.next(kConfigUpdate, kBytes)) {
    const WandbItem item = ReadItem(reader.get_view());
    if (item.path.size() != 1) continue;
    const std::string_view name = item.path.front();
    if (name != "rank" && name != "global_rank" && name != "RANK") continue;
    items_.Read({item}, values);
    if (!values.empty()) run_.rank = StepOf(values.back().value);
  }
}

void WandbReader::ReadHistory(std::string_view message) {
  row_ = WandbRow{};
  record_items_.clear();
  pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kHistoryItem, kBytes):
        record_items_.push_back(ReadItem(reader.get_view()));
        break;
      case tag_and_type(kHistoryStep, kBytes):
        row_.step = ReadStep(reader.get_view());
        break;
      default:
        reader.skip();
    }
  }
  items_.Read(record_items_, row_.values);
  std::erase_if(row_.values, [this](const WandbValue& value) {
    if (value.name == "_timestamp") row_.time_ms = TimeMs(value.value);
    if (value.name == "_step" && !row_.step.has_value()) row_.step = StepOf(value.value);
    return value.name == "_timestamp" || value.name == "_step" || value.name.starts_with("_wandb");
  });
  Emit();
}

void WandbReader::ReadStats(std::string_view message) {
  row_ = WandbRow{};
  row_.kind = WandbRow::Kind::kSystem;
  record_items_.clear();
  pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kStatsTime, kBytes):
        row_.time_ms = ReadTime(reader.get_view());
        break;
      case tag_and_type(kStatsItem, kBytes):
        record_items_.push_back(ReadItem(reader.get_view()));
        break;
      default:
        reader.skip();
    }
  }
  // Names as in W&B's exports.
  for (WandbItem& item : record_items_) item.path.insert(item.path.begin(), "system");
  items_.Read(record_items_, row_.values);
  Emit();
}

void WandbReader::Emit() {
  if (!row_.values.empty()) take_row_(row_);
}

}  // namespace lockstep::wandb
