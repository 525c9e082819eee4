#include "actors/resident.hpp"

#include <spdlog/spdlog.h>

#include <exception>
#include <string>

namespace matchcloud::actors {

void set_strict_handlers(caf::scheduled_actor& self, std::string_view name) {
  self.set_default_handler(caf::drop);
  self.set_error_handler([](caf::error&) {});
  self.set_down_handler([](caf::down_msg&) {});
  self.set_exception_handler([name = std::string{name}](std::exception_ptr& caught) -> caf::error {
    try {
      std::rethrow_exception(caught);
    } catch (const std::exception& failure) {
      spdlog::error("actor {} died: {}", name, failure.what());
    } catch (...) {
      spdlog::error("actor {} died of an unknown exception", name);
    }
    return caf::sec::runtime_error;
  });
}

} // namespace matchcloud::actors
