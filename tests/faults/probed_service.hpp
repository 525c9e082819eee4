#pragma once

#include "tests/faults/clients.hpp"
#include "tests/faults/known_load.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace matchcloud::faults {

/// How the service refuses what it cannot do at the moment.
struct refusal {
  int status;
  std::string code;
  /// Words of the problem's detail: what an operator has to do.
  std::string advice;
};

/// A service whose disk is about to fail, and a record of what it has acknowledged so far. A wrong
/// answer throws `wrong_answer`. Several threads may send requests at the same time.
class probed_service {
public:
  /// Starts with an export of the demo, whose link is issued.
  explicit probed_service(const e2e::world& in);

  e2e::server& process() { return *server_; }
  void restart();

  /// Calls all read-only operations.
  void read() const;
  // True if the operation succeeded, false if it was refused as `otherwise` says; anything else
  // throws `wrong_answer`.
  bool ingest(chances& by, const refusal& otherwise);
  /// One call at a time.
  bool rename(const refusal& otherwise);
  bool export_history(const refusal& otherwise);

  /// Checks that all operations work within `healing_limit` from now on. Until then each may be
  /// refused as `otherwise` says, with any advice.
  void check_heals(chances& by, const refusal& otherwise);
  /// Checks that everything acknowledged, and every issued link's file, is there and complete, and
  /// that nothing else was left behind.
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
  /// Paths of all issued links.
  std::set<std::string> exports_;
};

/// The time within which everything must work again after the disk does.
inline const e2e::milliseconds healing_limit{sanitized ? 5'000 : 1'000};

/// Checks that `matchcloud serve` exits at once with a message that contains `advice`.
void check_start_refused(const e2e::world& in, const std::string& advice);

} // namespace matchcloud::faults
