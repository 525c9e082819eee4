#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace matchcloud::faults {

/// An answer that must not be, whatever happens to the service.
struct wrong_answer : std::logic_error {
  using std::logic_error::logic_error;
};

/// Threads of clients that do the same again and again until the service is gone or they are told
/// to finish. Main thread only.
class busy_clients {
public:
  busy_clients() = default;
  busy_clients(const busy_clients&) = delete;
  busy_clients& operator=(const busy_clients&) = delete;
  ~busy_clients() { finish(); }

  /// `turn` throws `wrong_answer`, or `std::runtime_error` where the service is not there.
  void add(std::function<void()> turn);
  /// From now on the service may be gone.
  void expect_end() { may_be_gone_ = true; }
  /// Whether any has ended early.
  bool is_wrong();
  /// Joins them; the first thing that was wrong, or empty.
  std::string finish();

private:
  void work(const std::function<void()>& turn);
  void note(const std::string& what);

  std::atomic<bool> may_be_gone_{false};
  std::atomic<bool> finishing_{false};
  std::mutex mutex_;
  std::string wrong_;
  std::list<std::thread> threads_;
};

} // namespace matchcloud::faults
