#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace matchcloud::faults {

/// An answer that is wrong whatever happens to the service.
struct wrong_answer : std::logic_error {
  using std::logic_error::logic_error;
};

/// Client threads that repeat their turns until the service is gone or `finish` is called. Main
/// thread only.
class busy_clients {
public:
  busy_clients() = default;
  busy_clients(const busy_clients&) = delete;
  busy_clients& operator=(const busy_clients&) = delete;
  ~busy_clients() { finish(); }

  /// Starts a thread that repeats `turn`. `turn` throws `wrong_answer` for a wrong answer, or
  /// `std::runtime_error` if the service cannot be reached.
  void add(std::function<void()> turn);
  /// From now on an unreachable service is no failure.
  void expect_end() { may_be_gone_ = true; }
  /// Whether any client has ended early with a failure.
  bool is_wrong();
  /// Joins the threads. The first failure, or empty if there was none.
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
