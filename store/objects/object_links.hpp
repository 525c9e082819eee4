#pragma once

#include "base/expected.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <string>

namespace matchcloud::store {

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
