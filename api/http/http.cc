#include "api/http/http.h"

#include <algorithm>

namespace lockstep::api {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

// Callbacks run under the lock, so that Unsubscribe() waits for a running one.
void CancelSignal::Fire() {
  const MutexLock lock(mutex_);
  if (fired_) return;
  fired_ = true;
  if (callback_) callback_();
}

bool CancelSignal::fired() const {
  const MutexLock lock(mutex_);
  return fired_;
}

void CancelSignal::Subscribe(std::function<void()> callback) {
  const MutexLock lock(mutex_);
  callback_ = std::move(callback);
  if (fired_ && callback_) callback_();
}

void CancelSignal::Unsubscribe() {
  const MutexLock lock(mutex_);
  callback_ = nullptr;
}

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (SameName(header.name, name)) return header.value;
  }
  return {};
}

std::string_view Request::path() const {
  const std::string_view text = target;
  return text.substr(0, text.find('?'));
}

ClientId ClientOf(const Request& request) {
  return {NetworkOfAddress(request.remote_address), request.user,
          request.grant.max_samples_per_second};
}

}  // namespace lockstep::api
