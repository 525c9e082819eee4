#include "app/node/running_configuration.hpp"

#include "app/config/protections.hpp"
#include "app/node/exposure.hpp"
#include "base/clock.hpp"
#include "base/failure.hpp"

#include <sys/stat.h>

#include <utility>

namespace matchcloud::app {

namespace {

/// A pipe cannot be read a second time.
void check_readable_again(const std::string& file) {
  struct stat found {};
  if (file.empty() || ::stat(file.c_str(), &found) != 0 || S_ISREG(found.st_mode)) return;
  throw base::failure{base::errc::config_invalid,
                      file + " is not a regular file, so it cannot be read a second time. Restart "
                             "the service with a regular file for --config"};
}

base::expected<serve_config> make_safe_config(const std::vector<given_value>& given) {
  auto made = make_config(given);
  if (!made) return made;
  return check_exposure(*made).map([&] { return *std::move(made); });
}

} // namespace

running_configuration::running_configuration(std::vector<given_value> given, std::string file,
                                             reader read)
    : given_{std::move(given)}, file_{std::move(file)}, read_{std::move(read)} {}

std::shared_ptr<const std::string>
running_configuration::describe(const std::vector<given_value>& in_force,
                                const std::vector<given_value>& wanted) const {
  return std::make_shared<const std::string>(
      describe_configuration(in_force, wanted, file_, base::machine_clock().unix_ms()));
}

reload_outcome running_configuration::take_up(node& of) {
  check_readable_again(file_);
  const auto wanted = base::value_of(read_());
  base::value_of(make_safe_config(wanted));
  base::value_of(check_protections(protections_of(given_), protections_of(wanted)));
  auto plan = plan_reload(given_, wanted);
  auto next = make_safe_config(plan.given);
  if (!next)
    throw base::failure{
        next.error().code,
        "the reloaded values do not fit the ones that need a restart; restart the service: " +
            next.error().detail};
  next->front.configuration = describe(plan.given, wanted);
  of.take_up(*next);
  given_ = plan.given;
  return {false, describe_outcome(plan)};
}

reload_outcome running_configuration::reload(node& of) {
  auto done = base::attempt([&] { return take_up(of); });
  return done ? *std::move(done) : reload_outcome{true, done.error().detail + "\n"};
}

} // namespace matchcloud::app
