#include "store/s3/s3_objects.hpp"

#include "store/image_key.hpp"
#include "store/s3/s3_upload.hpp"

#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// The most that one call of `collect_leftovers` removes; the next one continues.
constexpr std::size_t collected_limit = 10'000;

} // namespace

base::expected<std::unique_ptr<s3_objects>>
s3_objects::open(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
                 const base::clock& time) {
  auto endpoint = s3_endpoint::make(std::move(settings), std::move(credentials), time);
  if (!endpoint) return tl::unexpected(endpoint.error());
  // Not make_unique: the constructor is private.
  return std::unique_ptr<s3_objects>{new s3_objects{*std::move(endpoint)}};
}

s3_objects::s3_objects(std::unique_ptr<s3_endpoint> endpoint)
    : client_{std::move(endpoint)}, prefix_{client_.endpoint().settings().location.prefix} {}

base::expected<void> s3_objects::check_readable() {
  return client_.check_readable(key_of(images_folder()));
}

base::expected<void> s3_objects::examine() {
  // The first object or upload of each listing is enough.
  return check_readable()
      .and_then([&] { return client_.list(prefix_, [](const s3_listed&) { return false; }); })
      .and_then([&] {
        return client_.list_uploads(prefix_, [](const s3_unfinished&) { return false; });
      });
}

base::expected<object_outcome> s3_objects::put_new(const object_name& name, std::string_view bytes,
                                                   const std::string& content_type) {
  if (bytes.size() <= client_.endpoint().settings().part_bytes)
    return client_.put(key_of(name), bytes, content_type);
  s3_upload upload{client_, key_of(name), content_type};
  if (auto appended = upload.append(bytes); !appended) return tl::unexpected(appended.error());
  return upload.complete();
}

base::expected<std::unique_ptr<object_upload>>
s3_objects::begin_upload(const object_name& name, const std::string& content_type) {
  return std::make_unique<s3_upload>(client_, key_of(name), content_type);
}

base::expected<std::optional<object_facts>>
s3_objects::read(const object_name& name, const std::optional<object_range>& range,
                 const object_taker& take) {
  return client_.get(key_of(name), range, take);
}

base::expected<std::optional<object_facts>> s3_objects::stat(const object_name& name) {
  return client_.head(key_of(name)).map([](const std::optional<s3_head>& head) {
    return head ? std::optional{head->facts} : std::nullopt;
  });
}

base::expected<void> s3_objects::remove(const object_name& name) {
  return client_.remove(key_of(name));
}

base::expected<void> s3_objects::list(const std::optional<object_name>& folder,
                                      const listing_taker& take) {
  const auto start = folder ? key_of(*folder) + "/" : prefix_;
  return client_.list(start, [&](const s3_listed& each) {
    if (!each.key.starts_with(start)) return true;
    const auto name = object_name::parse(std::string_view{each.key}.substr(prefix_.size()));
    return !name || take(*name, {each.size_bytes, each.stored_ts});
  });
}

base::expected<std::optional<std::string>> s3_objects::link(const object_name& name,
                                                            const object_link& what) {
  if (what.lifetime.count() < 1 || what.lifetime > link_lifetime_limit)
    return base::fail(base::errc::config_invalid, "a link can be valid for 1 to " +
                                                      std::to_string(link_lifetime_limit.count()) +
                                                      " s, not for " +
                                                      std::to_string(what.lifetime.count()));
  return client_.endpoint().presign(key_of(name), what);
}

base::expected<std::size_t> s3_objects::collect_leftovers(std::chrono::seconds age) {
  const auto before_ts = client_.endpoint().unix_ms() - std::chrono::milliseconds{age}.count();
  std::vector<s3_unfinished> old;
  auto listed = client_.list_uploads(prefix_, [&](const s3_unfinished& each) {
    if (each.begun_ts <= before_ts && each.key.starts_with(prefix_)) old.push_back(each);
    return old.size() < collected_limit;
  });
  if (!listed) return tl::unexpected(listed.error());
  for (const auto& each : old) {
    if (client_.stopped()) return base::fail(base::errc::cancelled, "the process is stopping");
    if (auto gone = client_.abort_upload(each.key, each.upload_id); !gone)
      return tl::unexpected(gone.error());
  }
  return old.size();
}

} // namespace matchcloud::store
