"""Checks the rules against docs/runbooks.md, the program's operations, and in the scenarios of
scenarios.yml by promtool."""
import re
import subprocess

from recording import RULES, alerts_of

LONG = {"export_lobby_history", "download_media", "download_export"}
RUNBOOKS = "docs/runbooks.md"
# Where the Debian package has the pages; tests/deb looks there.
PACKAGED = "file:///usr/share/doc/matchcloud"


def every_alert_has_a_runbook():
    with open(RULES, encoding="utf-8") as file:
        rules = file.read()
    with open(RUNBOOKS, encoding="utf-8") as file:
        sections = re.findall(r"^## (Matchcloud\w+)$", file.read(), re.MULTILINE)
    alerts = alerts_of("matchcloud-symptoms") + alerts_of("matchcloud-causes")
    assert sorted(sections) == sorted(alerts), f"sections {sections}, alerts {alerts}"
    links = re.findall(r"runbook_url: (\S+)", rules)
    assert links == [f"{PACKAGED}/{RUNBOOKS}#{each.lower()}" for each in alerts], links


def objectives_are_about_the_data_plane():
    with open("docs/interface.md", encoding="utf-8") as file:
        expected = set(re.findall(r"^\| `(\w+)` \| data \|", file.read(), re.MULTILINE))
    with open(RULES, encoding="utf-8") as file:
        text = file.read()
    for counted in ("requests_total", "request_duration_seconds_count"):
        lists = re.findall(rf'matchcloud_{counted}{{[^}}]*operation=~"([^"]*)"', text)
        # Operations whose time depends on their size have no objective for it.
        left_out = LONG if counted == "request_duration_seconds_count" else set()
        assert lists
        for each in lists:
            assert set(each.split("|")) == expected - left_out, (each, expected)


def promtool_finds_nothing():
    subprocess.run(["promtool", "check", "rules", RULES], check=True, stdout=subprocess.DEVNULL)


def rules_hold_in_all_scenarios():
    said = subprocess.run(["promtool", "test", "rules", "tests/prometheus/scenarios.yml"],
                          capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


def tests():
    """Yields a name and a function for each test."""
    yield "every alert has a runbook", every_alert_has_a_runbook
    yield "objectives are about the data plane", objectives_are_about_the_data_plane
    yield "promtool finds nothing in the rules", promtool_finds_nothing
    yield "bursts, gaps, restarts, quiet hours and floods", rules_hold_in_all_scenarios
