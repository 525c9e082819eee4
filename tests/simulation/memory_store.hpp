#pragma once

#include "store/database.hpp"
#include "store/latency_store.hpp"
#include "tests/simulation/stored_state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::simulation {

/// Learned latencies as `store::latency_store` says, as plainly as possible. Any thread.
class latency_table {
public:
  base::expected<void> add(std::span<const model::learned_entry> learned);
  store::latency_page read(const store::latency_position& after, std::size_t limit) const;
  std::size_t expire(std::uint32_t before_minute, std::size_t most);

private:
  struct row {
    model::learned_entry entry;
    std::int64_t revision = 0;
  };

  mutable std::mutex mutex_;
  std::int64_t revision_ = 0;
  /// By cell and region.
  std::map<std::pair<std::uint64_t, std::string>, row> rows_;
};

/// An export that has read the history.
struct taken_snapshot {
  std::size_t state = 0;
  std::int64_t taken_ts = 0;
};

/// A store in memory: every state so far, in order, and the failures in force. It has no tokens, no
/// audit log, no export records and no secrets. Any thread; the public variables are for one.
class memory_store {
public:
  explicit memory_store(stored_state first = {}) { become(std::move(first)); }
  virtual ~memory_store() = default;

  /// States stay where they are.
  const stored_state& now() const { return at(last()); }
  const stored_state& at(std::size_t number) const;
  std::size_t last() const;

  /// Changes the state by `edit`, whose result it returns, in one transaction. That makes a further
  /// state if a revision has moved.
  template <class Edit>
  auto change(Edit edit) {
    const std::scoped_lock alone{mutex_};
    auto state = *states_.back();
    auto done = edit(state);
    if (state.has_moved_since(*states_.back()))
      states_.push_back(std::make_shared<const stored_state>(std::move(state)));
    return done;
  }
  /// Merges the first of `records`, or all of them.
  virtual store::lobby_merge merge_lobbies(std::span<const model::lobby_record> records,
                                           const model::lobby_attributes_table& attributes);

  /// The store as its callers see it. It must not outlive this.
  std::shared_ptr<store::database> store();

  /// Whether every call fails.
  bool failing = false;
  /// What nodes learned, of which no states are kept.
  latency_table latencies;
  /// Called in the middle of long reads, so that the rest of the world goes on.
  std::function<void()> while_reading;
  /// Called before lobbies are committed, and after that.
  std::function<void()> while_merging;
  /// Called when an export has begun to read.
  std::function<void(const taken_snapshot&)> when_taken;

protected:
  void become(stored_state state);

private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const stored_state>> states_;
};

} // namespace matchcloud::simulation
