#pragma once

#include "tests/faults/busy_clients.hpp"
#include "tests/faults/chances.hpp"
#include "tests/faults/lobby_ledger.hpp"
#include "tests/faults/service_calls.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace matchcloud::faults {

/// How the service says that it cannot do something now.
struct refusal {
  int status;
  std::string code;
  /// Words of the detail: what somebody has to do.
  std::string advice;
};

/// A service whose disk is about to fail it, and what it has acknowledged so far. What is wrong
/// with an answer is thrown (`wrong_answer`); clients of several threads may ask at once.
class probed_service {
public:
  /// Begins with an export of the demo, which is promised.
  explicit probed_service(const e2e::world& in);

  e2e::server& process() { return *server_; }
  void restart();

  /// Asks for everything that only reads.
  void read() const;
  // True where it was done, false where it was refused like that; anything else is wrong.
  bool ingest(chances& by, const refusal& otherwise);
  /// One at a time.
  bool rename(const refusal& otherwise);
  bool export_history(const refusal& otherwise);

  /// That all of it works within `healing_limit` from now on. Until then it may be refused like
  /// that, whatever the advice.
  void check_heals(chances& by, const refusal& otherwise);
  /// That what was acknowledged and promised is there, whole, and nothing else was left behind.
  void check_kept();

private:
  e2e::answer ask_link(const std::string& target, bool gzip = false) const;

  const e2e::world* in_;
  std::unique_ptr<e2e::server> server_;
  lobby_ledger ledger_{1};
  std::string link_;
  std::string content_;
  std::uint64_t names_tried_ = 0;
  std::string name_;
  std::atomic<std::uint64_t> exports_tried_{0};
  std::mutex mutex_;
  /// Paths of all exports that were promised.
  std::set<std::string> exports_;
};

/// How long it may take until all works again once the disk does.
inline constexpr e2e::milliseconds healing_limit{sanitized ? 5'000 : 1'000};

/// That `matchcloud serve` ends at once, saying `advice`.
void check_start_refused(const e2e::world& in, const std::string& advice);

} // namespace matchcloud::faults
