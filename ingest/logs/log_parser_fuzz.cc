// Feeds a stream to every log parser. The first byte selects the format, the second the slicing;
// the whole stream and the sliced one must yield the same.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

// Checks that names are valid for a store and that offsets increase.
class CheckingSink : public LogSink {
 public:
  explicit CheckingSink(uint64_t size) : size_(size) {}

  void Take(const LogRecord& record) override {
    LOCKSTEP_CHECK(record.offset < size_);
    LOCKSTEP_CHECK(record.values.size() <= kMaxValuesPerRecord);
    for (const LogValue& value : record.values) {
      LOCKSTEP_CHECK(!value.key->name.empty() && !IsDigit(value.key->name.front()));
      LOCKSTEP_CHECK(std::ranges::all_of(value.key->name, [](char byte) {
        return IsDigit(byte) || byte == '_' || byte == ':' || (byte >= 'a' && byte <= 'z') ||
               (byte >= 'A' && byte <= 'Z');
      }));
    }
  }

 private:
  uint64_t size_;
};

}  // namespace
}  // namespace lockstep::logs

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace logs = lockstep::logs;
  if (size < 2) return 0;
  const auto kinds = logs::LogFormatKinds();
  logs::LogHints hints;
  const size_t choice = data[0] % (kinds.size() + 1);
  if (choice > 0) hints.format = kinds[choice - 1].name;
  hints.logging_steps = data[1] % 3;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  logs::CheckingSink sink(bytes.size());
  auto parser = logs::LogParser::New(hints, sink);
  LOCKSTEP_CHECK(parser.ok());
  (*parser)->Feed(bytes);
  (*parser)->Finish();

  std::minstd_rand random(data[1]);
  const logs::ParsedLog sliced =
      logs::ParseInSlices(bytes, hints, [&random] { return random() % 40 + 1; });
  LOCKSTEP_CHECK(logs::ParseLog(bytes, hints) == sliced);
  return 0;
}
