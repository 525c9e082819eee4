#include "store/objects/object_links.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

base::expected<std::string> link(object_store& to, const object_name& name,
                                 const object_link& what) {
  auto made = to.link(name, what);
  if (!made) return tl::unexpected(made.error());
  if (!*made) return base::fail(base::errc::store_failed, name.text() + ": it has no URL");
  return **std::move(made);
}

} // namespace

base::expected<object_links> link_for_downloads(object_store& to, const object_name& name,
                                                object_link what) {
  what.lifetime = download_link_lifetime;
  what.allows = object_link::method::get;
  auto get = link(to, name, what);
  if (!get) return tl::unexpected(get.error());
  what.allows = object_link::method::head;
  auto head = link(to, name, what);
  if (!head) return tl::unexpected(head.error());
  return object_links{*std::move(get), *std::move(head)};
}

} // namespace matchcloud::store
