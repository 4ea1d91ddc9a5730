// The parts of gRPC that a server needs. gRPC's own registry names them all, so that a program which is linked
// with archives would carry its xDS client, its load balancers and resolvers, 2.5 MB that nothing here calls. This
// file is linked into the portable program in that registry's place (grpc_plugin_registry.cc of gRPC 1.51, Debian
// 12's, which declares these functions itself: no header has them).
namespace grpc_core {

class CoreConfiguration {
 public:
  class Builder;
};

}  // namespace grpc_core

namespace grpc_event_engine::experimental {

void RegisterEventEngineChannelArgPreconditioning(grpc_core::CoreConfiguration::Builder* builder);

}  // namespace grpc_event_engine::experimental

namespace grpc_core {

void BuildCoreConfiguration(CoreConfiguration::Builder* builder);
void RegisterBuiltins(CoreConfiguration::Builder* builder);
void RegisterChannelIdleFilters(CoreConfiguration::Builder* builder);
void RegisterDeadlineFilter(CoreConfiguration::Builder* builder);
void RegisterHttpFilters(CoreConfiguration::Builder* builder);
void RegisterMessageSizeFilter(CoreConfiguration::Builder* builder);
void RegisterResourceQuota(CoreConfiguration::Builder* builder);
void RegisterSecurityFilters(CoreConfiguration::Builder* builder);
void SecurityRegisterHandshakerFactories(CoreConfiguration::Builder* builder);

// In the order of gRPC's own, which matters to handshakers and filters.
void BuildCoreConfiguration(CoreConfiguration::Builder* builder) {
  grpc_event_engine::experimental::RegisterEventEngineChannelArgPreconditioning(builder);
  SecurityRegisterHandshakerFactories(builder);
  RegisterChannelIdleFilters(builder);
  RegisterHttpFilters(builder);
  RegisterDeadlineFilter(builder);
  RegisterMessageSizeFilter(builder);
  RegisterResourceQuota(builder);
  RegisterSecurityFilters(builder);
  RegisterBuiltins(builder);
}

}  // namespace grpc_core
