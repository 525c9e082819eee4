"""Versions to validate: a clean one of about 8 kB, and wrong ones that every validator must
refuse."""
import copy
import glob
import json
import os

from harness import ROOT

REAL = os.path.join(ROOT, "tests", "model", "real-configs", "*.json")
GROUP = '{"display_name": "Bench group"}'
SHARED = ("tier", "max_players", "idle_lobbies", "regions", "docker")


def region_ids(document):
    """Every region that a version names, in the matchmaker or in a mode."""
    matchmaker = document["config"]["matchmaker"]
    places = [matchmaker, *matchmaker["game_modes"].values()]
    return sorted({region for each in places for region in each.get("regions", {})})


def named_ports(runtime, number):
    """A runtime with unique names of ports, without ports that have no number: their members are
    not in the specification."""
    runtime["ports"] = {f"{name}-{number}": port for name, port in runtime["ports"].items()
                        if "port" in port or "port_range" in port}
    return runtime


def composed():
    """All real configurations in one: each of their game modes, with what its matchmaker sets for
    all modes."""
    modes, scripts = {}, {}
    for number, path in enumerate(sorted(glob.glob(REAL)), 1):
        with open(path, encoding="utf-8") as file:
            config = json.load(file)["config"]
        matchmaker = config["matchmaker"]
        for name, mode in matchmaker["game_modes"].items():
            joined = copy.deepcopy({**{key: matchmaker[key] for key in SHARED
                                       if key in matchmaker}, **mode})
            if "docker" in joined:
                named_ports(joined["docker"], number)
            modes[f"{name}-{number}"] = joined
        for name, script in config.get("scripts", {}).items():
            scripts[f"{name}-{number}"] = script
    return {"display_name": "All of them",
            "config": {"scripts": scripts, "matchmaker": {"game_modes": modes}}}


def text_of(document):
    return json.dumps(document, indent=2)


def wrong_groups():
    return ["{}", '{"display_name": 7}', '{"display_name": ""}', '{"display_name": " a"}',
            json.dumps({"display_name": "x" * 25})]


def wrong_versions():
    """Versions that are wrong in one place: {what: text}."""
    changes = {
        "no name": lambda body, mode: body.pop("display_name"),
        "an empty name": lambda body, mode: body.update(display_name=""),
        "no config": lambda body, mode: body.pop("config"),
        "an unknown member": lambda body, mode: body["config"]["matchmaker"].update(tiers="x"),
        "an unknown tier": lambda body, mode: mode.update(tier="basic-1d3"),
        "an unknown region": lambda body, mode: mode.update(regions={"nowhere": {}}),
        "no players": lambda body, mode: mode.update(max_players=0),
        "players as text": lambda body, mode: mode.update(max_players="8"),
        "reversed bounds": lambda body, mode: mode.update(idle_lobbies={"min": 3, "max": 2}),
        "half of the bounds": lambda body, mode: mode.update(idle_lobbies={"min": 3}),
        "an unknown protocol": lambda body, mode: mode.update(
            docker={"ports": {"game": {"port": 80, "protocol": "ftp"}}}),
        "two kinds of ports": lambda body, mode: mode.update(
            docker={"ports": {"game": {"port": 80, "port_range": {"min": 26000, "max": 26001}}}}),
        "an environment name": lambda body, mode: mode.update(docker={"env": {"A-B": "1"}}),
        "no URL": lambda body, mode: mode.update(actions={"join": {
            "enabled": True, "verification": {"url": "example", "headers": {}}}}),
    }
    texts = {}
    for what, change in changes.items():
        body = composed()
        change(body, body["config"]["matchmaker"]["game_modes"]["default-1"])
        texts[what] = text_of(body)
    return texts
