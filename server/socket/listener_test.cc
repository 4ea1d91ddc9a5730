#include "server/socket/listener.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <utility>

namespace lockstep::server {
namespace {

// What it does while it waits must not outlive it.
TEST(ListenerTest, IsDestroyedWhileItWaitsToAccept) {
  for (int round = 0; round < 500; ++round) {
    auto bound = Listener::Bind(ListenerOptions(), nullptr);
    ASSERT_TRUE(bound.ok()) << bound.status();
    const std::unique_ptr<Listener> listener = *std::move(bound);
    std::promise<void> waits;
    bool is_told = false;
    Listener::Events events;
    events.should_wait = [&] {
      if (!std::exchange(is_told, true)) waits.set_value();
      return true;
    };
    listener->Start(std::move(events));
    waits.get_future().wait();
  }
}

}  // namespace
}  // namespace lockstep::server
