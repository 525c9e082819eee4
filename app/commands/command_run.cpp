#include "app/commands/command_run.hpp"

#include "model/text/unicode.hpp"
#include "store/local_author.hpp"

#include <cstddef>
#include <utility>

namespace matchcloud::app {

namespace {

/// Longer file names are cut. Linux limits a path to 4,096 bytes.
constexpr std::size_t file_limit = 4'096;

} // namespace

model::audit_run_ptr command_run(model::audit_action action, std::string_view file) {
  return model::run_of(store::local_author(),
                       {action, model::printable_excerpt(file, file_limit), {}, {}});
}

} // namespace matchcloud::app
