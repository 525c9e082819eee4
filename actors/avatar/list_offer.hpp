#pragma once

#include "model/text/uuid.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace matchcloud::actors {

/// A game's rendered avatar list, with which fronts may answer further requests as long as the
/// offer stands, without asking the shard again. Immutable but for that; any thread.
class list_offer {
public:
  list_offer(const model::uuid& game_id, std::shared_ptr<const std::string> json)
      : game_id_{game_id}, json_{std::move(json)} {}

  const model::uuid& game_id() const noexcept { return game_id_; }
  const std::string& json() const noexcept { return *json_; }
  const std::shared_ptr<const std::string>& shared_json() const noexcept { return json_; }
  bool stands() const noexcept { return stands_.load(std::memory_order_acquire); }
  /// For the shard alone.
  void withdraw() const noexcept { stands_.store(false, std::memory_order_release); }

private:
  model::uuid game_id_;
  std::shared_ptr<const std::string> json_;
  mutable std::atomic<bool> stands_{true};
};

/// The shard's end of an offer: withdraws it when the list moved, was evicted, or its shard ended.
class standing_offer {
public:
  standing_offer() = default;
  explicit standing_offer(std::shared_ptr<const list_offer> offer) : offer_{std::move(offer)} {}
  standing_offer(standing_offer&&) noexcept = default;
  standing_offer& operator=(standing_offer&& other) noexcept {
    std::swap(offer_, other.offer_); // the other one withdraws what this was
    return *this;
  }
  standing_offer(const standing_offer&) = delete;
  standing_offer& operator=(const standing_offer&) = delete;
  ~standing_offer() {
    if (offer_) offer_->withdraw();
  }

  const std::shared_ptr<const list_offer>& get() const noexcept { return offer_; }

private:
  std::shared_ptr<const list_offer> offer_;
};

} // namespace matchcloud::actors
