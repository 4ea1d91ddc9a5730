#include "api/memory_handler.h"

#include "api/json_writer.h"
#include "api/reply.h"

namespace lockstep::api {

Response HandleMemory(const MemoryBudgetStats& stats) {
  const auto number = [](JsonWriter& json, std::string_view key, uint64_t value) {
    json.Key(key);
    json.Number(value);
  };
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    number(json, "limitBytes", stats.max_bytes);
    number(json, "heldBytes", stats.held_bytes);
    json.Key("accounts");
    json.BeginArray();
    for (size_t i = 0; i < kMemoryAccountCount; ++i) {
      json.BeginObject();
      json.Key("account");
      json.String(Name(static_cast<MemoryAccount>(i)));
      number(json, "limitBytes", stats.accounts[i].max_bytes);
      number(json, "heldBytes", stats.accounts[i].held_bytes);
      number(json, "refusals", stats.accounts[i].refusals);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace lockstep::api
