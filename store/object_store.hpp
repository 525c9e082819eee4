#pragma once

#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/object_name.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// What became of a new object. An object never changes: its name is written once.
enum class object_outcome : std::uint8_t {
  stored,
  /// The name was taken already. What has it stays as it is.
  was_there,
};

/// What is known of a stored object.
struct object_facts {
  std::uint64_t size_bytes = 0;
  /// When it was stored, in milliseconds since 1970; whole seconds in some engines.
  std::int64_t stored_ts = 0;

  friend bool operator==(const object_facts&, const object_facts&) = default;
};

/// Some of an object's bytes.
struct object_range {
  std::uint64_t first = 0;
  /// At least 1. It may reach beyond the end, where the object's bytes end.
  std::uint64_t length_bytes = 1;
};

/// Takes the bytes of an object in order, in pieces of 1 byte to 64 KiB. Returns whether it wants
/// more.
using object_taker = std::function<bool(std::string_view piece)>;

/// Takes an object of a listing. Returns whether it wants more.
using listing_taker = std::function<bool(const object_name& name, const object_facts& facts)>;

/// What a URL that anybody may use for some time gives.
struct object_link {
  enum class method : std::uint8_t { get, head };

  method allows = method::get;
  std::chrono::seconds lifetime{0};
  /// The `Content-Type` and `Content-Disposition` of the answer; empty: the object's own.
  std::string content_type;
  std::string disposition;
};

/// The longest `object_link::lifetime`, which is what a service of objects takes.
inline constexpr std::chrono::seconds link_lifetime_limit{std::chrono::hours{7 * 24}};

/// An object that is being written piece by piece. Nobody can see it before it is complete, and
/// destroying it before leaves nothing behind. Its store must outlive it. One thread at a time;
/// calls wait for the disk or the network.
class object_upload {
public:
  virtual ~object_upload() = default;

  /// Appends bytes. Fails like the store; after a failure the upload can no longer be completed.
  virtual base::expected<void> append(std::string_view bytes) = 0;
  /// Stores the object under its name, unless that is taken. The object survives a power failure
  /// once this returns. The last call.
  virtual base::expected<object_outcome> complete() = 0;
};

/// The role of large things with names: images and exports. All processes on a store share them.
///
/// Of two names, neither may be a folder of the other (`a/b` beside `a/b/c`).
///
/// Any thread that may wait: calls block for the disk or the network, within bounds that the engine
/// has. All fail with `store_failed`, with `store_full` if there is no more room, with `overloaded`
/// if too many calls are in progress, or with `cancelled` after `stop`. A call that fails has
/// stored nothing that can be seen, unless its detail says that the outcome is unknown.
class object_store {
public:
  virtual ~object_store() = default;

  /// Stores an object under a new name. It survives a power failure once this returns.
  /// `content_type` is what links give, where the engine has links.
  virtual base::expected<object_outcome> put_new(const object_name& name, std::string_view bytes,
                                                 const std::string& content_type) = 0;

  /// Begins an object of any size, with bounded memory.
  virtual base::expected<std::unique_ptr<object_upload>>
  begin_upload(const object_name& name, const std::string& content_type) = 0;

  /// Hands an object, or some of its bytes, to `take`. Returns nothing if there is no such object.
  /// Fails with `cancelled` if `take` returns false, with `range_not_satisfiable` if the range
  /// begins at or behind the end, and with `store_failed` if the bytes are not those that were
  /// stored, which shows only when all of them have been handed on and the whole object was read.
  virtual base::expected<std::optional<object_facts>> read(const object_name& name,
                                                           const std::optional<object_range>& range,
                                                           const object_taker& take) = 0;

  /// What is known of an object, or nothing if there is none.
  virtual base::expected<std::optional<object_facts>> stat(const object_name& name) = 0;

  /// Removes an object. Succeeds if there is none.
  virtual base::expected<void> remove(const object_name& name) = 0;

  /// Hands all objects below `folder` (all that there are, without one) to `take`, in no particular
  /// order, until it returns false. Those that are stored or removed meanwhile may be among them.
  /// Leaves out what is not named like an object.
  virtual base::expected<void> list(const std::optional<object_name>& folder,
                                    const listing_taker& take) = 0;

  /// A URL that gives an object to whoever has it, whether or not there is such an object. Nothing
  /// if the engine has no URLs. Fails with `config_invalid` for a lifetime of 0 or above
  /// `link_lifetime_limit`.
  virtual base::expected<std::optional<std::string>> link(const object_name& name,
                                                          const object_link& what) = 0;

  /// Removes what uploads of dead processes left, if it is older than `age`; one that has been in
  /// progress for longer counts as dead. Returns how many were removed.
  virtual base::expected<std::size_t> collect_leftovers(std::chrono::seconds age) = 0;

  /// Adds what is counted of the calls to a service; an engine without one counts nothing.
  virtual void show(base::metric_set& in) const { static_cast<void>(in); }

  /// Ends all calls, now and from now on, with `cancelled`. For the end of a process. Any thread;
  /// never waits.
  virtual void stop() noexcept = 0;
};

} // namespace matchcloud::store
