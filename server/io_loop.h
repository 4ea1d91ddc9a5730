// IoLoop: one thread that runs the connections given to it. For the socket files of this module
// only.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

namespace lockstep::server {

class IoLoop {
 public:
  IoLoop() : work_(context_.get_executor()), thread_([this] { context_.run(); }) {}
  // Runs what is still posted, then ends.
  ~IoLoop() {
    work_.reset();
    thread_.join();
  }
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace lockstep::server
