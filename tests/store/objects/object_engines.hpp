#pragma once

#include "store/object_store.hpp"
#include "tests/catch.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// A new place for objects that nobody else uses.
class fresh_objects {
public:
  virtual ~fresh_objects() = default;
  /// Opens the place as another process would.
  virtual std::unique_ptr<object_store> open() = 0;
  /// How many unfinished things there are, of uploads that were neither completed nor given up.
  virtual std::size_t unfinished() = 0;
  /// How long an object is at which it is stored in another way than short ones.
  virtual std::size_t long_bytes() const = 0;
};

/// An engine that the conformance suite of objects runs on.
struct object_engine {
  std::string name;
  std::function<std::unique_ptr<fresh_objects>()> make;
};

/// All engines; S3 only where `MATCHCLOUD_TEST_S3` says where it is (tests/objects/radosgw).
const std::vector<object_engine>& object_engines();

/// Runs the test case once for each engine. Call it once per test case.
inline const object_engine& each_object_engine() {
  const auto& which = object_engines()[GENERATE(range(std::size_t{0}, object_engines().size()))];
  UNSCOPED_INFO("on " << which.name);
  return which;
}

/// A new, open store of each engine in turn.
struct conforming_objects {
  std::unique_ptr<fresh_objects> fresh = each_object_engine().make();
  std::unique_ptr<object_store> store = fresh->open();
};

inline object_name named(std::string_view text) {
  const auto name = object_name::parse(text);
  REQUIRE(name.has_value());
  return *name;
}

/// Bytes of which no two long pieces are the same.
std::string some_bytes(std::size_t count, std::uint64_t seed = 1);

/// What was read of an object; nothing if there is none.
std::optional<std::string> content_of(object_store& in, std::string_view name,
                                      const std::optional<object_range>& range = {});

/// All objects below a folder, sorted, each as `NAME SIZE`.
std::vector<std::string> listed(object_store& in, const std::string& folder = {});

} // namespace matchcloud::store
