#include "app/commands/commands.hpp"
#include "app/commands/configuration_options.hpp"
#include "app/commands/serve_help.hpp"
#include "app/config/fault_table.hpp"
#include "app/node/node.hpp"
#include "app/reports/operation_table.hpp"
#include "base/free_memory.hpp"

#include <spdlog/spdlog.h>

#include <poll.h>
#include <sys/signalfd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace matchcloud::app {

namespace {

/// Refuses listeners beyond this machine that anybody may use, unless that is said, or that would
/// take an operator's token without TLS.
base::expected<void> check_exposure(const serve_config& config) {
  const auto refuse = [](const http::endpoint& where, const char* why) {
    return base::fail(base::errc::config_invalid, "--listen " + http::to_string(where) +
                                                      " is reachable from outside this machine, " +
                                                      why);
  };
  for (const auto& each : config.listen) {
    if (each.where.address.is_loopback()) continue;
    if (config.transport == transport_kind::httplib)
      return refuse(each.where, "and the transport httplib listens on loopback only, because it "
                                "reads headers less strictly; choose loops");
    if (!config.front.access.requires_tokens && !config.insecure_open)
      return refuse(each.where, "where anybody may use it; give --auth required and make tokens "
                                "(matchcloud token create), or say --insecure-open to serve "
                                "everybody");
  }
  if (!config.ops_listen.address.is_loopback() && !config.ops_tls)
    return base::fail(base::errc::config_invalid,
                      "--ops-listen " + http::to_string(config.ops_listen) +
                          " is reachable from outside this machine, where tokens may not travel "
                          "without TLS; write --ops-listen " +
                          http::to_string(config.ops_listen) +
                          "/tls with --tls-cert and --tls-key, or listen on 127.0.0.1");
  return {};
}

/// SIGTERM and SIGINT as a readable descriptor. Blocks both, also in every thread started later.
base::file_descriptor block_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const int fd = signalfd(-1, &ends, SFD_CLOEXEC);
  if (fd < 0) throw std::system_error{errno, std::generic_category(), "signalfd"};
  return base::file_descriptor{fd};
}

/// Why a service ends.
enum class ending : std::uint8_t { signalled, taken_over, failed };

/// Waits until a signal arrives, a successor has the listeners, or a failure ends the service.
ending wait_for_end(const base::file_descriptor& signals, const node& running) {
  std::array<pollfd, 3> watched{pollfd{signals.get(), POLLIN, 0},
                                pollfd{running.listeners().handed_over_fd(), POLLIN, 0},
                                pollfd{running.failure_fd(), POLLIN, 0}};
  while (::poll(watched.data(), watched.size(), -1) <= 0) {
  }
  if ((watched[0].revents & POLLIN) == 0)
    return watched[1].revents != 0 ? ending::taken_over : ending::failed;
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) != sizeof info) {
  }
  return ending::signalled;
}

/// What the URL of a listener does not say. `[::]` takes no IPv4 here, whatever the machine's
/// net.ipv6.bindv6only says, so that `0.0.0.0` at the same port is another listener.
std::string remarks_on(const http::endpoint& where, http::listener_kind kind) {
  std::string remarks;
  if (where.address == model::ip_address{}) remarks += " (IPv6 only)";
  if (kind.proxy_header) remarks += " (PROXY protocol)";
  return remarks;
}

int serve(const configuration_options& options) {
  const auto config = read_configuration(options);
  const auto fail = [](const base::error& why, int code) {
    std::cerr << "matchcloud serve: " << why.detail << "\n";
    return code;
  };
  if (!config) return fail(config.error(), usage);
  if (const auto exposed = check_exposure(*config); !exposed) return fail(exposed.error(), usage);

  base::bound_free_memory();
  const auto signals = block_signals();
  // After the signals are blocked, because this begins a thread: lines that were left out of the
  // log are summed up there even if no other line follows.
  spdlog::flush_every(std::chrono::seconds{1});
  auto started = node::start(*config, signals.get());
  if (!started && started.error().code == base::errc::cancelled) {
    spdlog::info("ended: {}", started.error().detail);
    return ok;
  }
  if (!started) return fail(started.error(), failed);
  auto& running = **started;
  if (const auto replaced = running.listeners().predecessor())
    std::cout << "took over from process " << *replaced << "\n";
  for (const auto& each : running.listeners().data())
    std::cout << "listening on " << url_of(each) << remarks_on(each.where, each.kind) << "\n";
  if (const auto seed = running.fault_seed())
    std::cout << "fault injection enabled, seed " << *seed << ", " << config->faults.size()
              << " faults injected\n";
  const auto& ops = running.listeners().ops();
  std::cout << "ops plane on " << url_of({ops, {false, config->ops_tls}}) << remarks_on(ops, {})
            << std::endl;

  const auto why = wait_for_end(signals, running);
  if (why == ending::signalled && config->drain_delay.count() > 0) {
    spdlog::info("not ready any more; draining in {} ms", config->drain_delay.count());
    running.announce_end(signals.get());
  }
  if (const auto successor = running.listeners().successor())
    spdlog::info("process {} has taken over", *successor);
  spdlog::info("draining; a{} signal ends at once", why == ending::signalled ? " second" : "");
  running.drain(signals.get());
  // A second signal is still unread at this point: exit without cleanup.
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1) _exit(failed);
  // The descriptor is no longer read, so a signal during cleanup must end the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
  started->reset();
  spdlog::info("ended");
  return why == ending::failed ? failed : ok;
}

} // namespace

void add_serve_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand(
      "serve", "Serve the HTTP interface until SIGTERM or SIGINT, then drain.");
  set_help(
      *command,
      "Every key can be given as a flag, as MATCHCLOUD_KEY in the environment (upper case, _ for "
      "-) or in a TOML file; a flag beats the environment, that beats the file. Lists are "
      "comma-separated and repeatable; giving one replaces its default.\n\n"
      "Example: matchcloud serve --data-dir var --geoip city.mmdb --listen 127.0.0.1:8080");
  command->set_help_all_flag("--help-all",
                             "Print each key with what is allowed and its default, and exit");
  command->formatter(serve_help());
  const auto options = std::make_shared<configuration_options>();
  const auto add_print_flag = [command](const char* name, std::string (*print)(),
                                        const char* what) {
    command->add_flag_callback(
        name,
        [print] {
          std::cout << print();
          throw CLI::Success{};
        },
        what);
  };
  add_print_flag("--keys", config_table, "Print all keys as a Markdown table.");
  add_print_flag("--access", access_table,
                 "Print who may call each operation as a Markdown table.");
  add_print_flag("--operations", operation_table, "Print all operations as a Markdown table.");
  add_print_flag("--fault-points", fault_point_table,
                 "Print where faults can be injected as a Markdown table.");
  add_config_option(*command, *options);
  for (const auto& key : config_keys())
    add_key_option(*command, *options, key);
  command->callback([options, &code] { code = serve(*options); });
}

} // namespace matchcloud::app
