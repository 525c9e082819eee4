#pragma once

#include "actors/repeated_task/repeated_task.hpp"
#include "app/config/config.hpp"
#include "base/blocking_pool.hpp"
#include "store/database.hpp"
#include "store/housekeeping/housekeeper.hpp"

#include <memory>

namespace matchcloud::app {

/// The housekeeper of a node, with a thread of its own: removing data may take hours, and nobody
/// waits for it. Created and ended by the node's thread.
class housekeeping {
public:
  /// `of_server` is the node's store if it is on a server; otherwise a separate one is opened.
  /// `settings` need no store. Throws `base::failure`.
  static std::unique_ptr<housekeeping> open(const serve_config& config,
                                            const std::shared_ptr<store::database>& of_server,
                                            std::shared_ptr<store::store_fence> fence,
                                            store::housekeeper_settings settings);
  ~housekeeping() { end(); }
  housekeeping(const housekeeping&) = delete;
  housekeeping& operator=(const housekeeping&) = delete;

  /// The task to repeat until `end`.
  actors::repeated_task_settings task();
  void show(base::metric_set& in) const { keeper_->show(in); }
  /// Stops the work and waits for its thread.
  void end();

private:
  housekeeping(std::shared_ptr<store::store_fence> fence, store::housekeeper_settings settings);

  std::shared_ptr<store::store_fence> fence_;
  std::shared_ptr<store::housekeeper> keeper_;
  std::unique_ptr<base::thread_pool> thread_;
};

} // namespace matchcloud::app
