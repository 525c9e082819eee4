#pragma once

#include "base/expected.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <string>

namespace matchcloud::store {

/// How downloads get the bytes of objects in a bucket.
enum class objects_delivery : std::uint8_t {
  /// They are sent to the bucket, by a URL that is valid for `download_link_lifetime`.
  redirect,
  /// The service passes the bytes on.
  through,
};

/// How long the URL of a redirect is valid.
inline constexpr std::chrono::seconds download_link_lifetime{60};

/// Where a download is sent, by its method. Empty if it is not sent anywhere.
struct object_links {
  std::string get;
  std::string head;
};

/// Links to an object for `download_link_lifetime`. `what` says the type and the disposition that
/// the answer has. Fails like `object_store::link`, and with `store_failed` if the store has no
/// links.
base::expected<object_links> link_for_downloads(object_store& to, const object_name& name,
                                                object_link what);

} // namespace matchcloud::store
