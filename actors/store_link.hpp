#pragma once

#include "base/expected.hpp"
#include "store/store.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace matchcloud::actors {

/// Opens a connection to the store. Runs on the blocking pool.
using open_store = std::function<base::expected<std::unique_ptr<store::store>>()>;

/// An actor's own connection to the store: opened when it is first needed, and anew after it was
/// dropped for a failure. Shared with the actor's blocking jobs, of which one at a time uses it.
class store_link {
public:
  explicit store_link(open_store open) : open_{std::move(open)} {}

  /// The connection, or why it cannot be opened.
  base::expected<store::store*> get() {
    if (!store_) {
      auto opened = open_();
      if (!opened) return tl::unexpected(std::move(opened).error());
      store_ = *std::move(opened);
    }
    return store_.get();
  }

  /// Whatever failed may be the connection's fault.
  void drop() { store_.reset(); }

private:
  open_store open_;
  std::unique_ptr<store::store> store_;
};

} // namespace matchcloud::actors
