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
/// A request has a session of its own and blocks the ops plane's thread that it came on. Any
/// thread.
class catalog_admin {
public:
  /// Requests at the store, or on their way to it, at once; beyond: 503. Far fewer than the ops
  /// plane has threads, so that health answers also while they wait for another process's import.
  static constexpr std::size_t concurrency_limit = 8;

  /// How long a change should wait for another's, as a store's `patience`: no longer than a client
  /// waits, or it would do what nobody waits for any more. Then: 503.
  static constexpr std::chrono::seconds patience{5};

  /// How many sessions it should have: its requests are few, so that none is kept, and none waits.
  static constexpr store::session_limits sessions{concurrency_limit, 0, {}};

  explicit catalog_admin(std::shared_ptr<store::database> of) : of_{std::move(of)} {}

  /// Adds its routes, which refer to this object.
  void add_routes(httplib::Server& to);

private:
  /// What a path names: a list, or the element with `id` in it.
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
