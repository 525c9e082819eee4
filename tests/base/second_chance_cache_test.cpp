#include "base/second_chance_cache.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::base {
namespace {

using cache = second_chance_cache<int, std::string>;

TEST_CASE("a cache forgets what was put first and not used since") {
  cache kept{30};
  kept.put(1, "one", 10);
  kept.put(2, "two", 10);
  kept.put(3, "three", 10);
  REQUIRE(kept.get(1) != nullptr); // used, therefore spared once
  kept.put(4, "four", 10);
  CHECK(kept.get(2) == nullptr);
  REQUIRE(kept.get(1) != nullptr);
  CHECK(*kept.get(1) == "one");
  CHECK(kept.get(3) != nullptr);
  CHECK(kept.size() == 3);
  CHECK(kept.used_bytes() == 30);
}

TEST_CASE("a value as large as the cache is kept, a larger one is not and forgets nobody") {
  cache kept{30};
  kept.put(1, "small", 1);
  kept.put(2, "too large", 31);
  CHECK(kept.get(2) == nullptr);
  CHECK(kept.get(1) != nullptr);
  kept.put(2, "all of it", 30);
  CHECK(kept.get(2) != nullptr);
  CHECK(kept.get(1) == nullptr);
}

TEST_CASE("putting a key again replaces its value and its cost") {
  cache kept{30};
  kept.put(1, "old", 20);
  kept.put(1, "new", 5);
  CHECK(*kept.get(1) == "new");
  CHECK(kept.used_bytes() == 5);
  CHECK(kept.size() == 1);
  // The new value is too large to keep: the outdated one must be gone as well.
  kept.put(1, "huge", 31);
  CHECK(kept.get(1) == nullptr);
  CHECK(kept.used_bytes() == 0);
}

/// A model of the cache as a queue: the front entry is evicted, or moved to the back if it was
/// used.
class model_cache {
public:
  explicit model_cache(std::size_t limit_bytes) : limit_bytes_{limit_bytes} {}

  std::optional<std::string> get(int key) {
    const auto found = find(key);
    if (found == entries_.end()) return std::nullopt;
    found->used = true;
    return found->value;
  }

  void put(int key, const std::string& value, std::size_t bytes) {
    if (const auto found = find(key); found != entries_.end()) entries_.erase(found);
    if (bytes > limit_bytes_) return;
    while (used_bytes() + bytes > limit_bytes_) {
      auto front = entries_.front();
      entries_.pop_front();
      if (front.used) entries_.push_back({front.key, front.value, front.bytes, false});
    }
    entries_.push_back({key, value, bytes, false});
  }

  std::size_t used_bytes() const {
    std::size_t sum = 0;
    for (const auto& kept : entries_)
      sum += kept.bytes;
    return sum;
  }
  std::size_t size() const { return entries_.size(); }

private:
  struct entry {
    int key;
    std::string value;
    std::size_t bytes;
    bool used;
  };
  std::deque<entry>::iterator find(int key) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [key](const entry& candidate) { return candidate.key == key; });
  }

  std::size_t limit_bytes_;
  std::deque<entry> entries_;
};

TEST_CASE("the cache does what a queue with second chances does, within its bytes") {
  const bool held = rc::check([] {
    const auto limit = *rc::gen::inRange<std::size_t>(0, 60);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, std::size_t>>>(
        rc::gen::pair(rc::gen::inRange(0, 8), rc::gen::inRange<std::size_t>(0, 40)));
    cache real{limit};
    model_cache model{limit};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto [key, bytes] = steps[i];
      if (bytes % 3 == 0) {
        const auto* got = real.get(key);
        const auto expected = model.get(key);
        RC_ASSERT((got != nullptr) == expected.has_value());
        if (got != nullptr) RC_ASSERT(*got == *expected);
      } else {
        real.put(key, std::to_string(i), bytes);
        model.put(key, std::to_string(i), bytes);
      }
      RC_ASSERT(real.used_bytes() <= limit);
      RC_ASSERT(real.used_bytes() == model.used_bytes());
      RC_ASSERT(real.size() == model.size());
    }
    real.clear();
    RC_ASSERT(real.size() == 0U);
    RC_ASSERT(real.used_bytes() == 0U);
  });
  REQUIRE(held);
}

} // namespace
} // namespace matchcloud::base
