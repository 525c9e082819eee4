#include "app/commands.hpp"
#include "app/configuration_options.hpp"
#include "app/node.hpp"

#include <spdlog/spdlog.h>

#include <sys/signalfd.h>

#include <csignal>
#include <iostream>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace matchcloud::app {

namespace {

base::expected<void> check_exposure(const serve_config& config) {
  if (config.insecure_open) return {};
  const auto check = [](const char* flag, const http::endpoint& where) -> base::expected<void> {
    if (where.address.is_loopback()) return {};
    return base::fail(base::errc::config_invalid,
                      std::string{flag} + " " + http::to_string(where) +
                          " is reachable from outside this machine, and there are no tokens yet; "
                          "listen on loopback, or say --insecure-open to serve everybody");
  };
  for (const auto& each : config.listen)
    if (auto safe = check("--listen", each.where); !safe) return safe;
  return check("--ops-listen", config.ops_listen);
}

/// SIGTERM and SIGINT as a readable descriptor. Every thread started later inherits the mask.
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

int wait_for_signal(const base::file_descriptor& signals) {
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) != sizeof info) {
  }
  return static_cast<int>(info.ssi_signo);
}

int serve(const configuration_options& options) {
  const auto config = read_configuration(options);
  const auto fail = [](const base::error& why, int code) {
    std::cerr << "matchcloud serve: " << why.detail << "\n";
    return code;
  };
  if (!config) return fail(config.error(), usage);
  if (const auto exposed = check_exposure(*config); !exposed) return fail(exposed.error(), usage);

  const auto signals = block_signals();
  auto started = node::start(*config);
  if (!started) return fail(started.error(), failed);
  auto& running = **started;
  for (const auto& each : running.data_listeners())
    std::cout << "listening on http://" << http::to_string(each.where)
              << (each.proxy_header ? " (PROXY protocol)" : "") << "\n";
  std::cout << "ops plane on http://" << http::to_string(running.ops_endpoint()) << std::endl;

  wait_for_signal(signals);
  spdlog::info("draining; a second signal ends at once");
  running.drain(signals.get());
  // A second signal is still unread then: end without tidying up.
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1) _exit(failed);
  // Nobody reads the descriptor any more: a signal that comes while tidying up ends the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
  started->reset();
  spdlog::info("ended");
  return ok;
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
  const auto options = std::make_shared<configuration_options>();
  command->add_flag_callback(
      "--keys",
      [] {
        std::cout << config_table();
        throw CLI::Success{};
      },
      "Print all keys as a Markdown table.");
  add_config_option(*command, *options);
  for (const auto& key : config_keys())
    add_key_option(*command, *options, key);
  command->callback([options, &code] { code = serve(*options); });
}

} // namespace matchcloud::app
