#pragma once

#include "actors/avatar/list_offer.hpp"
#include "base/second_chance_cache.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace matchcloud::http {

/// The avatar lists that a front was sent, so that answering with them again crosses no thread. The
/// shards own them: what they have withdrawn is not answered with any more. Used by the front's
/// thread.
class kept_lists {
public:
  /// Longer lists are not kept: freeing them would take an event loop too long.
  static constexpr std::size_t longest_bytes = 1024UL * 1024;
  /// Of so many answers, one is left to the shard, whose cache shall know what is in use.
  static constexpr std::size_t answers_per_look = 128;

  /// `limit_bytes`: of the texts together. Shards hold the same texts; only what they have
  /// withdrawn and nobody has asked for since is held here alone.
  explicit kept_lists(std::size_t limit_bytes) : lists_{limit_bytes} {}

  /// The list to answer with; null: the shard has to be asked.
  std::shared_ptr<const std::string> find(const model::uuid& game_id) {
    const auto* kept = lists_.get(game_id);
    if (kept == nullptr) return nullptr;
    if (!(*kept)->stands()) {
      lists_.erase(game_id);
      return nullptr;
    }
    if (++answers_ % answers_per_look == 0) return nullptr;
    return {*kept, &(*kept)->json()};
  }

  void keep(std::shared_ptr<const actors::list_offer> offer) {
    if (offer->json().size() > longest_bytes) return;
    const auto bytes = offer->json().capacity() + entry_bytes;
    const auto& game_id = offer->game_id();
    // With a count of references of its own: loops would contend for a common one.
    auto* const of = offer.get();
    lists_.put(game_id, {of, [held = std::move(offer)](const actors::list_offer*) {}}, bytes);
  }

private:
  /// What an entry takes besides the text, estimated.
  static constexpr std::size_t entry_bytes = 256;

  base::second_chance_cache<model::uuid, std::shared_ptr<const actors::list_offer>> lists_;
  std::size_t answers_ = 0;
};

} // namespace matchcloud::http
