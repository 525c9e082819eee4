#pragma once

#include "store/object_store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/shown_metrics.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// What a store, or a client of its service, shows of its calls; all 0 in an engine without a
/// service.
struct object_counts {
  std::uint64_t in_progress = 0;
  std::uint64_t in_progress_limit = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t overloaded = 0;
  std::uint64_t repetitions = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::int64_t answered_ts = 0;

  friend bool operator==(const object_counts&, const object_counts&) = default;
};

template <class Source>
object_counts counts_of(const Source& from) {
  auto shown = fixtures::shown_by(from);
  const auto get = [&](const std::string& name) {
    return static_cast<std::uint64_t>(std::llround(shown["matchcloud_objects_" + name]));
  };
  return {get("calls_in_progress"),
          get("calls_limit"),
          get("calls_total{outcome=\"succeeded\"}"),
          get("calls_total{outcome=\"failed\"}"),
          get("calls_refused_total"),
          get("calls_repeated_total"),
          get("sent_bytes_total"),
          get("received_bytes_total"),
          std::llround(shown["matchcloud_objects_answered_timestamp_seconds"] * 1'000)};
}

} // namespace matchcloud::store
