#include "import/delivery/sample_fates.h"

#include <charconv>
#include <system_error>

namespace lockstep::importer {
namespace {

bool TakeCount(std::string_view& text, std::string_view name, uint64_t& count) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<SampleFates> ReadSampleFates(std::string_view header) {
  SampleFates fates;
  const bool is_good = TakeCount(header, "new=", fates.stored) &&
                       TakeCount(header, ", duplicate=", fates.duplicate) &&
                       TakeCount(header, ", overwritten=", fates.overwritten) && header.empty();
  return is_good ? std::optional(fates) : std::nullopt;
}

}  // namespace lockstep::importer
