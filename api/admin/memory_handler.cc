#include "api/admin/memory_handler.h"

#include "api/http/json_writer.h"
#include "api/http/reply.h"

namespace lockstep::api {

Response HandleMemory(const MemoryBudgetStats& stats) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("limitBytes", stats.max_bytes);
    json.Field("heldBytes", stats.held_bytes);
    json.Key("accounts");
    json.BeginArray();
    for (size_t i = 0; i < kMemoryAccountCount; ++i) {
      json.BeginObject();
      json.Field("account", Name(static_cast<MemoryAccount>(i)));
      json.Field("limitBytes", stats.accounts[i].max_bytes);
      json.Field("heldBytes", stats.accounts[i].held_bytes);
      json.Field("refusals", stats.accounts[i].refusals);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace lockstep::api
