#include "store/object_store.hpp"

#include "base/failure.hpp"

#include <utility>

namespace matchcloud::store {

base::expected<object_outcome> object_store::put_new(const object_name& name,
                                                     std::string_view bytes,
                                                     const std::string& content_type) {
  return begin_upload(name, content_type).and_then([&](const auto& begun) {
    return begun->append(bytes).and_then([&] { return begun->complete(); });
  });
}

base::expected<object_links> link_for_downloads(object_store& to, const object_name& name,
                                                object_link what) {
  what.lifetime = download_link_lifetime;
  const auto link = [&](object_link::method allowed) {
    what.allows = allowed;
    auto made = base::value_of(to.link(name, what));
    if (!made) throw base::failure{base::errc::store_failed, "{}: it has no URL", name.text()};
    return *std::move(made);
  };
  return base::attempt([&] {
    return object_links{link(object_link::method::get), link(object_link::method::head)};
  });
}

} // namespace matchcloud::store
