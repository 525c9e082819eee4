#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog_element.hpp"
#include "store/database.hpp"

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace matchcloud::http {

/// The catalog on the ops plane, element by element: `/v1/games`, `/v1/namespaces`, `/v1/regions`
/// and `/v1/tiers` are listed by GET, `/v1/games/{id}` and so on take GET, PUT and DELETE. Each
/// change is a transaction in the store, where the catalog actors of every process find it.
///
/// Each request uses a session of its own and blocks its ops plane thread. Any thread.
class catalog_admin {
public:
  /// Requests that may use the store, or wait for it, at once; further ones get 503. Far fewer than
  /// the ops plane's threads, so that health checks are answered even while all of them wait for
  /// another process's import.
  static constexpr std::size_t concurrency_limit = 8;

  /// The store's `patience`: how long a change waits for another one before 503. No longer than a
  /// client waits, or the change would be made after its client has given up.
  static constexpr std::chrono::seconds patience{5};

  /// Session limits: requests are few, so no session is kept and no request waits for one.
  static constexpr store::session_limits sessions{concurrency_limit, 0, {}};

  explicit catalog_admin(std::shared_ptr<store::database> of) : of_{std::move(of)} {}

  /// Adds its routes, which refer to this object, so it must outlive the server.
  void add_routes(httplib::Server& to);

private:
  /// What a path names: a list, or the element with the given `id`.
  struct place {
    model::element_kind kind;
    std::optional<std::string> id;
  };

  static std::optional<place> parse(const std::string& path);

  /// `body` is null for methods that have none.
  void answer(const httplib::Request& request, httplib::Response& into,
              const httplib::ContentReader* body);
  base::expected<void> list(model::element_kind kind, httplib::Response& into);
  base::expected<void> get(const model::element_key& key, httplib::Response& into);
  base::expected<void> put(const model::element_key& key, const httplib::Request& request,
                           const httplib::ContentReader& body, httplib::Response& into);
  base::expected<void> remove(const model::element_key& key, httplib::Response& into);
  base::expected<model::catalog> load();

  std::shared_ptr<store::database> of_;
};

} // namespace matchcloud::http
