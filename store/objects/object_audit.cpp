#include "store/objects/object_audit.hpp"

#include "base/failure.hpp"

#include <map>

namespace matchcloud::store {

namespace {

using base::value_of;
using sizes = std::map<object_name, object_facts>;

/// A reference to an object, with the object's size; 0: unknown.
struct reference {
  std::uint64_t size_bytes = 0;
  /// The object of an export that is being written need not exist, nor a compressed file.
  bool must_exist = true;
};
using references = std::map<object_name, reference>;

bool wants_stop(const object_audit_settings& settings) {
  return settings.stop && settings.stop();
}

void go_on(const object_audit_settings& settings) {
  if (wants_stop(settings)) throw base::failure{base::errc::cancelled, "interrupted"};
}

references read_references(database& in, const object_audit_settings& settings,
                           object_audit& counted) {
  references found;
  value_of(value_of(in.avatars())->read_images([&](const image_key& key, bool is_current) {
    counted.images += is_current ? 1 : 0;
    // A backup does not have those that were replaced.
    found[object_of(key)] = {0, is_current};
    return !wants_stop(settings);
  }));
  go_on(settings);
  value_of(value_of(in.exports())->read_exports([&](const export_record& each) {
    counted.exports += each.is_complete ? 1 : 0;
    found.try_emplace(object_of(each), reference{each.size_bytes, each.is_complete});
    found.try_emplace(gzip_of(each), reference{0, false});
    return !wants_stop(settings);
  }));
  go_on(settings);
  return found;
}

/// Whether the object exists with its size. If it was not listed, checks again, because it may have
/// been stored since.
bool is_there(object_store& in, const object_name& name, const reference& expected,
              const sizes& listed) {
  if (const auto at = listed.find(name); at != listed.end())
    return expected.size_bytes == 0 || at->second.size_bytes == expected.size_bytes;
  const auto found = value_of(in.stat(name));
  return found && (expected.size_bytes == 0 || found->size_bytes == expected.size_bytes);
}

object_audit audit(database& in, object_store& objects, const object_audit_settings& settings) {
  sizes listed;
  for (const auto& folder : {images_folder(), exports_folder()}) {
    value_of(objects.list(folder, [&](const object_name& name, const object_facts& facts) {
      listed.emplace(name, facts);
      return !wants_stop(settings);
    }));
    go_on(settings);
  }
  object_audit found;
  // After the listing, so that an object referred to in the meantime is not taken for unreferred.
  const auto referred = read_references(in, settings, found);
  for (const auto& [name, expected] : referred) {
    if (!expected.must_exist) continue;
    go_on(settings);
    if (!is_there(objects, name, expected, listed))
      found.missing.push_back({name.text(), expected.size_bytes});
  }
  const auto before_ts = settings.now_ts - std::chrono::milliseconds{settings.age}.count();
  for (const auto& [name, facts] : listed) {
    if (referred.contains(name)) continue;
    if (facts.stored_ts > before_ts)
      ++found.young;
    else
      found.unreferred.push_back({name.text(), facts.size_bytes});
  }
  return found;
}

} // namespace

base::expected<object_audit> audit_objects(database& in, object_store& objects,
                                           const object_audit_settings& settings) {
  return base::attempt([&] { return audit(in, objects, settings); });
}

base::expected<std::size_t> remove_unreferred(database& in, object_store& objects,
                                              const object_audit& found,
                                              const object_audit_settings& settings) {
  return base::attempt([&] {
    object_audit uncounted;
    const auto referred = read_references(in, settings, uncounted);
    std::size_t removed = 0;
    for (const auto& each : found.unreferred) {
      const auto name = *object_name::parse(each.name);
      if (referred.contains(name)) continue;
      go_on(settings);
      value_of(objects.remove(name));
      ++removed;
    }
    return removed + value_of(objects.collect_leftovers(settings.age));
  });
}

} // namespace matchcloud::store
