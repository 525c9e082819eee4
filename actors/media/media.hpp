#pragma once

#include "actors/media/messages.hpp"
#include "actors/request/resident.hpp"
#include "actors/request/waiter.hpp"
#include "base/blocking_pool.hpp"
#include "base/second_chance_cache.hpp"
#include "store/media/images.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// How a media actor reaches the images.
struct media_settings {
  std::shared_ptr<store::image_source> images;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  /// The limit on what stays open while no request reads it: a number of files, or bytes if the
  /// files are in memory.
  std::size_t kept_limit = 256;
  bool is_kept_in_memory = false;
  /// The limit on all requests that wait for a file.
  std::size_t waiting_limit = 4'096;
};

/// The state of a media actor: the files that it keeps open, and the requests that wait for each
/// file. No threads and no actor, so that tests can call it directly.
class media_state {
public:
  enum class lookup : std::uint8_t {
    /// The file is already being opened; the request waits for it as well.
    joined,
    /// The request waits, and the caller must start opening the file.
    first,
    /// Too many requests are already waiting.
    refused,
  };

  media_state(std::size_t kept_limit, std::size_t waiting_limit)
      : files_{kept_limit}, waiting_limit_{waiting_limit} {}

  /// Returns an open file and marks it as used, or null.
  std::shared_ptr<const base::open_file> find(const store::image_key& key);
  lookup wait(const store::image_key& key, waiter who);
  /// Removes and returns the requests that waited for `key`, in order.
  std::vector<waiter> take_waiting(const store::image_key& key);
  /// Drops everything that was opened before the `forgotten`th notice that images may have been
  /// removed.
  void forget_before(std::uint64_t forgotten);
  /// Keeps a file open until the cache evicts it in favor of files used more recently. The total
  /// cost of kept files stays within `kept_limit`.
  void keep(const store::image_key& key, std::shared_ptr<const base::open_file> file,
            std::size_t cost);

  std::size_t kept() const noexcept { return files_.size(); }
  std::size_t waiting_count() const noexcept { return waiting_count_; }

private:
  base::second_chance_cache<store::image_key, std::shared_ptr<const base::open_file>,
                            store::image_key_hash>
      files_;
  std::unordered_map<store::image_key, std::vector<waiter>, store::image_key_hash> waiting_;
  std::size_t waiting_limit_;
  std::size_t waiting_count_ = 0;
  std::uint64_t forgotten_ = 0;
};

/// Opens images for downloads: answers at once with open files, and opens others on the blocking
/// pool. One per event loop, resident on it.
class media final : public resident {
public:
  /// Files up to this size are read completely when opened, so that the loop finds them in the page
  /// cache.
  static constexpr std::uint64_t read_ahead_limit_bytes = 2'000'000;

  media(caf::actor_config& cfg, media_settings settings);

  const char* name() const override { return "media"; }

protected:
  caf::behavior make_behavior() override;
  /// Frees the state now: handles can keep the ended actor in memory. Waiting requests hold fronts
  /// and fronts hold this actor, so a cycle would otherwise keep all of them, and every file,
  /// forever.
  void on_exit() override;

private:
  void open(const open_media& request);
  bool submit(const store::image_key& key);
  void on(const media_open_ended& ended);
  /// The cost of keeping a file, counted against `media_settings::kept_limit`.
  std::size_t cost_of(const base::open_file& file) const;
  void fail(const std::vector<waiter>& all, const base::error& why);

  media_settings settings_;
  media_state state_;
};

} // namespace matchcloud::actors
