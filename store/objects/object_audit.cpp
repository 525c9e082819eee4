#include "store/objects/object_audit.hpp"

#include <map>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

using sizes = std::map<object_name, std::uint64_t>;

/// A reference to an object, with the object's size; 0: unknown.
struct reference {
  std::uint64_t size_bytes = 0;
  /// The object of an export that is being written need not exist.
  bool must_exist = true;
};
using references = std::map<object_name, reference>;

tl::unexpected<base::error> stopped() {
  return base::fail(base::errc::cancelled, "interrupted");
}

bool wants_stop(const object_audit_settings& settings) {
  return settings.stop && settings.stop();
}

base::expected<void> read_references(database& in, const object_audit_settings& settings,
                                     references& into, object_audit& counted) {
  auto read = in.avatars().and_then([&](const auto& from) {
    return from->read_images([&](const image_key& key, bool is_current) {
      counted.images += is_current ? 1 : 0;
      // A backup does not have those that were replaced.
      into[object_of(key)] = {0, is_current};
      return !wants_stop(settings);
    });
  });
  if (read && settings.has_exports)
    read = in.exports().and_then([&](const auto& from) {
      return from->read_exports([&](const export_record& each) {
        if (each.is_complete) ++counted.exports;
        into.try_emplace(object_of(each), reference{each.size_bytes, each.is_complete});
        return !wants_stop(settings);
      });
    });
  if (read && wants_stop(settings)) return stopped();
  return read;
}

/// Lists a folder: the sizes of the objects that are old enough to be checked, and of the others.
base::expected<void> list(object_store& in, const object_name& folder,
                          const object_audit_settings& settings, sizes& old, sizes& young) {
  const auto before_ts = settings.now_ts - std::chrono::milliseconds{settings.age}.count();
  auto done = in.list(folder, [&](const object_name& name, const object_facts& facts) {
    (facts.stored_ts <= before_ts ? old : young).emplace(name, facts.size_bytes);
    return !wants_stop(settings);
  });
  if (done && wants_stop(settings)) return stopped();
  return done;
}

/// Whether the object exists with its size. If it was not listed, checks again, because it may have
/// been stored since.
base::expected<bool> is_there(object_store& in, const object_name& name, const reference& expected,
                              std::optional<std::uint64_t> listed) {
  if (!listed) {
    const auto found = in.stat(name);
    if (!found) return tl::unexpected(found.error());
    if (!*found) return false;
    listed = (*found)->size_bytes;
  }
  return expected.size_bytes == 0 || *listed == expected.size_bytes;
}

} // namespace

base::expected<object_audit> audit_objects(database& in, object_store& objects,
                                           const object_audit_settings& settings) {
  sizes old;
  sizes young;
  auto done = list(objects, images_folder(), settings, old, young);
  if (done && settings.has_exports) done = list(objects, exports_folder(), settings, old, young);
  object_audit found;
  references referred;
  // After the listing, so that an object referred to in the meantime is not taken for unreferred.
  if (done) done = read_references(in, settings, referred, found);
  if (!done) return tl::unexpected(done.error());
  for (const auto& [name, expected] : referred) {
    std::optional<std::uint64_t> listed;
    if (const auto at = old.find(name); at != old.end()) listed = at->second;
    if (const auto at = young.find(name); at != young.end()) listed = at->second;
    old.erase(name);
    young.erase(name);
    if (!expected.must_exist) continue;
    if (wants_stop(settings)) return stopped();
    const auto there = is_there(objects, name, expected, listed);
    if (!there) return tl::unexpected(there.error());
    if (!*there) found.missing.push_back({name.text(), expected.size_bytes});
  }
  for (const auto& [name, size] : old)
    found.unreferred.push_back({name.text(), size});
  found.young = young.size();
  return found;
}

base::expected<std::size_t> remove_unreferred(database& in, object_store& objects,
                                              const object_audit& found,
                                              const object_audit_settings& settings) {
  references referred;
  object_audit uncounted;
  if (auto read = read_references(in, settings, referred, uncounted); !read)
    return tl::unexpected(read.error());
  std::size_t removed = 0;
  for (const auto& each : found.unreferred) {
    const auto name = *object_name::parse(each.name);
    if (referred.contains(name)) continue;
    if (wants_stop(settings)) return stopped();
    if (auto done = objects.remove(name); !done) return tl::unexpected(done.error());
    ++removed;
  }
  const auto uploads = objects.collect_leftovers(settings.age);
  if (!uploads) return tl::unexpected(uploads.error());
  return removed + *uploads;
}

} // namespace matchcloud::store
