#pragma once

#include "base/expected.hpp"
#include "base/files/open_file.hpp"
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

/// The outcome of storing a new object. An object never changes: its name is written once.
enum class object_outcome : std::uint8_t {
  stored,
  /// The name was already taken. The existing object stays as it is.
  was_there,
};

/// What is known of a stored object.
struct object_facts {
  std::uint64_t size_bytes = 0;
  /// When it was stored, in milliseconds since 1970; whole seconds in some engines.
  std::int64_t stored_ts = 0;

  friend bool operator==(const object_facts&, const object_facts&) = default;
};

/// A range of an object's bytes.
struct object_range {
  std::uint64_t first = 0;
  /// At least 1. A range that reaches beyond the object's end stops there.
  std::uint64_t length_bytes = 1;
};

/// Receives the bytes of an object in order, in pieces of 1 byte to 64 KiB. Returns whether it
/// wants more.
using object_taker = std::function<bool(std::string_view piece)>;

/// Receives an object of a listing. Returns whether it wants more.
using listing_taker = std::function<bool(const object_name& name, const object_facts& facts)>;

/// The terms of a URL that anybody can use for a limited time.
struct object_link {
  enum class method : std::uint8_t { get, head };

  method allows = method::get;
  std::chrono::seconds lifetime{0};
  /// The `Content-Type` and `Content-Disposition` of the answer; empty: the object's own.
  std::string content_type;
  std::string disposition;
};

/// The longest `object_link::lifetime`: the limit of object storage services.
inline constexpr std::chrono::seconds link_lifetime_limit{std::chrono::hours{7 * 24}};

/// An object that is being written piece by piece. It is invisible until it is complete, and
/// destroying it before then leaves nothing behind. Its store must outlive it. One thread at a
/// time; calls wait for the disk or the network.
class object_upload {
public:
  virtual ~object_upload() = default;

  /// Appends bytes. Fails like the store; after a failure the upload can no longer be completed.
  virtual base::expected<void> append(std::string_view bytes) = 0;
  /// Stores the object under its name, unless that is taken. The object survives a power failure
  /// once this returns. The last call.
  virtual base::expected<object_outcome> complete() = 0;
};

/// The role of large named objects: images and exports. All processes on a store share them.
///
/// No name may be a folder of another (`a/b` next to `a/b/c`).
///
/// Any thread that may wait: calls block for the disk or the network, within the engine's bounds.
/// All fail with `store_failed`, with `store_full` if there is no space left, with `overloaded` if
/// too many calls are in progress, or with `cancelled` after `stop`. A call that fails has stored
/// nothing visible, unless its detail says that the outcome is unknown.
class object_store {
public:
  virtual ~object_store() = default;

  /// Stores an object under a new name. It survives a power failure once this returns. Links serve
  /// it as `content_type`, if the engine has links.
  virtual base::expected<object_outcome> put_new(const object_name& name, std::string_view bytes,
                                                 const std::string& content_type);

  /// Begins an object of any size, with bounded memory.
  virtual base::expected<std::unique_ptr<object_upload>>
  begin_upload(const object_name& name, const std::string& content_type) = 0;

  /// Passes an object, or some of its bytes, to `take`. Returns nothing if there is no such object.
  /// Fails with `cancelled` if `take` returns false, with `range_not_satisfiable` if the range
  /// begins at or beyond the end, and with `store_failed` if the bytes differ from those stored.
  /// That is detected only when the whole object is read, after its last byte was passed on.
  virtual base::expected<std::optional<object_facts>> read(const object_name& name,
                                                           const std::optional<object_range>& range,
                                                           const object_taker& take) = 0;

  /// The facts of an object, or nothing if it does not exist.
  virtual base::expected<std::optional<object_facts>> stat(const object_name& name) = 0;

  /// Whether objects are files of this machine, which `open_local` opens.
  virtual bool is_local() const noexcept { return false; }
  /// Opens a file, for example for sendfile; null if there is no such object. Fails with
  /// `overloaded` if too many files are open, or with `io_failed`.
  virtual base::expected<std::shared_ptr<const base::open_file>> open_local(const object_name&) {
    return nullptr;
  }

  /// Removes an object. Also succeeds if it does not exist.
  virtual base::expected<void> remove(const object_name& name) = 0;

  /// Passes all objects below `folder` (all objects, if it is empty) to `take`, in no particular
  /// order, until it returns false. Objects stored or removed during the listing may be included.
  /// Skips anything that is not named like an object.
  virtual base::expected<void> list(const std::optional<object_name>& folder,
                                    const listing_taker& take) = 0;

  /// A URL from which anybody who has it can download an object, whether or not the object exists.
  /// Nothing if the engine has no URLs. Fails with `config_invalid` for a lifetime of 0 or above
  /// `link_lifetime_limit`.
  virtual base::expected<std::optional<std::string>> link(const object_name&, const object_link&) {
    return std::nullopt;
  }

  /// Removes what uploads of dead processes left, if it is older than `age`; an upload in progress
  /// for longer counts as dead. Returns how many were removed.
  virtual base::expected<std::size_t> collect_leftovers(std::chrono::seconds age) = 0;

  /// Adds the metrics of the calls to a service; an engine without a service has none.
  virtual void show(base::metric_set& in) const { static_cast<void>(in); }

  /// Ends all current and future calls with `cancelled`. For the end of a process. Any thread;
  /// never waits.
  virtual void stop() noexcept = 0;
};

/// How downloads get the bytes of objects in a bucket.
enum class objects_delivery : std::uint8_t {
  /// Clients are sent to the bucket, by a URL that is valid for `download_link_lifetime`.
  redirect,
  /// The service passes the bytes on.
  through,
};

/// How long the URL of a redirect is valid.
inline constexpr std::chrono::seconds download_link_lifetime{60};

/// The URLs that a download is redirected to, by its method. Empty if it is not redirected.
struct object_links {
  std::string get;
  std::string head;
};

/// Links to an object for `download_link_lifetime`. `what` has the type and the disposition of
/// the response. Fails like `object_store::link`, and with `store_failed` if the store has no
/// links.
base::expected<object_links> link_for_downloads(object_store& to, const object_name& name,
                                                object_link what);

} // namespace matchcloud::store
