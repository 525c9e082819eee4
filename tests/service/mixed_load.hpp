#pragma once

#include "tests/service/server.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::e2e {

/// What a mixed load may be told.
struct load_rules {
  /// How long anything may take that needs the store: the service's request timeout.
  milliseconds slowest{10'000};
  /// How long anything may take that does not.
  milliseconds slowest_without_store{1'500};
  /// Whether the disk of the store may be full: 507.
  bool disk_may_be_full = false;
  /// Clients that ask for lists of avatars that are not cached.
  std::size_t uncached_clients = 1;
};

/// What the clients of one kind of request got.
struct kind_report {
  std::string name;
  std::size_t done = 0;
  std::size_t refused = 0;
  milliseconds longest{0};
  clock::time_point last_refusal{};
  /// The first answers that should not have been.
  std::vector<std::string> wrong;
};

/// Clients, a thread for each kind of request, that use all of a service on a store of its own
/// without pause until `finish`, and know what each answer has to be: regions, validation, cached
/// and other lists of avatars, exports with their download, catalog, tokens and audit log of the
/// ops plane, and ingestion. What is refused for the store is sent again until it is taken.
class mixed_load {
public:
  /// `in` must have the games of `uncached_games`.
  explicit mixed_load(const server& at, load_rules rules = {});
  mixed_load(const mixed_load&) = delete;
  mixed_load& operator=(const mixed_load&) = delete;
  ~mixed_load();

  /// A catalog with the games whose lists are asked for, more than 32 KiB of cache hold.
  static std::string uncached_games();

  /// Whether each kind that needs the store is refused once more before `until`.
  bool all_refused(const deadline& until = deadline{}) const {
    return refused_again([](const kind& each) { return each.needs_store; }, until);
  }
  /// The same of the kinds that write.
  bool writes_refused(const deadline& until = deadline{}) const {
    return refused_again([](const kind& each) { return each.writes; }, until);
  }
  /// Whether each kind is answered by 2xx so many times more, without a refusal in between, before
  /// `until`.
  bool all_done(std::size_t times = 3, const deadline& until = deadline{}) const;
  /// How many lines of repeated ingests were there already.
  std::size_t lines_unchanged() const { return unchanged_.load(); }

  /// Lets what was refused be taken, and ends the clients.
  std::vector<kind_report> finish();
  /// After `finish`: the lines of lobbies that were acknowledged; all that were sent.
  std::size_t lines() const { return lines_.load(); }
  /// The condition that their ids meet in SQL.
  static std::string is_of_load() { return "lobby_id::text LIKE 'feed0000-%'"; }
  std::set<std::string> tiers() const;
  std::set<std::string> tokens() const;

private:
  struct kind {
    std::string name;
    bool on_ops = false;
    bool needs_store = false;
    bool writes = false;
    std::function<std::string()> request{};
    /// What is wrong with a 2xx answer; empty if nothing is. May ask more on the connection.
    std::function<std::string(const answer& got, raw_connection& on)> judge{};
    /// Between two requests.
    milliseconds pause{5};
    /// How long it may take; 0: as the rules say.
    milliseconds slowest{0};
  };
  struct client {
    kind what;
    std::optional<raw_connection> connection{};
    std::atomic<std::size_t> done{0};
    std::atomic<std::size_t> refused{0};
    kind_report report{};
    std::thread thread{};
  };

  void add(kind what);
  void add_without_store();
  void add_lists_and_exports();
  void add_catalog();
  void add_tokens();
  void add_ingestion();
  void run(client& as);
  /// Whether it was done.
  bool ask(client& as);
  void note(client& as, const answer& got, milliseconds took) const;
  /// False at the end.
  bool pause(milliseconds at_most);
  bool refused_again(bool (*which)(const kind&), const deadline& until) const;

  const server* at_;
  const load_rules rules_;
  std::vector<std::unique_ptr<client>> clients_;
  std::atomic<std::size_t> lines_{0};
  std::atomic<std::size_t> unchanged_{0};
  /// Lines sent, acknowledged or not.
  std::atomic<std::size_t> sent_{0};
  mutable std::mutex guard_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::set<std::string> tiers_;
  std::set<std::string> tokens_;
};

} // namespace matchcloud::e2e
