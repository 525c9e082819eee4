#pragma once

#include "actors/protocol.hpp"
#include "actors/resident.hpp"
#include "actors/waiter.hpp"
#include "base/blocking_pool.hpp"
#include "base/second_chance_cache.hpp"
#include "store/files/media_files.hpp"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// How a media actor reaches the files.
struct media_settings {
  std::shared_ptr<store::media_files> files;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  /// Files kept open although nobody reads them.
  std::size_t open_files = 256;
  /// Requests that wait for a file, all together.
  std::size_t waiting_limit = 4'096;
};

/// What a media actor owns: the files it keeps open, and who waits for which. No threads, no actor:
/// tests call it directly.
class media_state {
public:
  enum class lookup : std::uint8_t {
    /// Somebody is opening it; the caller waits with them.
    joined,
    /// The caller waits and has to have it opened.
    first,
    /// As many wait as may.
    refused,
  };

  media_state(std::size_t open_files, std::size_t waiting_limit)
      : files_{open_files}, waiting_limit_{waiting_limit} {}

  /// An open file, now the most recently used, or null.
  std::shared_ptr<const base::open_file> find(const store::image_key& key);
  lookup wait(const store::image_key& key, waiter who);
  /// Who waited for `key`, in order; nobody waits any more.
  std::vector<waiter> take_waiting(const store::image_key& key);
  /// Keeps a file open until others were used since.
  void keep(const store::image_key& key, std::shared_ptr<const base::open_file> file);

  std::size_t kept() const noexcept { return files_.size(); }
  std::size_t waiting_count() const noexcept { return waiting_count_; }

private:
  /// Each costs 1: bounded by their number, which is of descriptors.
  base::second_chance_cache<store::image_key, std::shared_ptr<const base::open_file>,
                            store::image_key_hash>
      files_;
  std::unordered_map<store::image_key, std::vector<waiter>, store::image_key_hash> waiting_;
  std::size_t waiting_limit_;
  std::size_t waiting_count_ = 0;
};

/// Opens images for downloads: those that are open at once, the others on the blocking pool. One
/// per event loop, resident on it; one on the pool for the httplib transport.
class media final : public resident {
public:
  /// Files up to this are read through when opened, so that the loop finds them in memory.
  static constexpr std::uint64_t read_ahead_limit_bytes = 2'000'000;

  media(caf::actor_config& cfg, media_settings settings);

  const char* name() const override { return "media"; }

protected:
  caf::behavior make_behavior() override;
  /// Handles may keep the ended actor: what it owns goes now. Those who wait hold fronts, and
  /// fronts hold this: ended together they would stay for ever, with every file.
  void on_exit() override;

private:
  void open(const open_media& request);
  bool submit(const store::image_key& key);
  void on(const media_open_ended& ended);
  void fail(const std::vector<waiter>& all, const base::error& why);

  media_settings settings_;
  media_state state_;
};

} // namespace matchcloud::actors
