#!/usr/bin/env python3
"""Reads CHANGELOG.md: deploy/changelog.py latest | entry | debian [VERSION]

latest prints the newest version and its date; entry prints its text; debian prints the changelog
of the Debian package, with VERSION in place of the newest one where that is given. A version has a
heading `## VERSION (YYYY-MM-DD)` and items that begin with `- `.
"""
import datetime
import os
import re
import sys
import textwrap

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "CHANGELOG.md")
HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$")
# Above the versions, what the next one will have.
UNRELEASED = "## Unreleased"
MAINTAINER = "matchcloud maintainers <maintainers@matchcloud.example.com>"


class Wrong(Exception):
    """A changelog that does not have the form above."""


def entries_of(text):
    """(version, date, lines) of each, the newest first."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        heading = HEADING.match(line)
        if heading:
            version, date = heading.groups()
            found.append((version, datetime.date.fromisoformat(date), []))
        elif line.startswith("## ") and (found or line != UNRELEASED):
            raise Wrong(f"CHANGELOG.md:{number}: a heading is `## VERSION (YYYY-MM-DD)`")
        elif found:
            found[-1][2].append(line)
    if not found:
        raise Wrong("CHANGELOG.md has no heading `## VERSION (YYYY-MM-DD)`")
    return found


def items_of(lines):
    """The items of an entry, each as one line."""
    items = []
    for line in filter(None, map(str.strip, lines)):
        if line.startswith("### "):
            continue
        if line.startswith("- ") or not items:
            items.append(line.removeprefix("- "))
        else:
            items[-1] += " " + line
    return items


def debian_entry(version, date, lines):
    text = [textwrap.fill(item, 78, initial_indent="  * ", subsequent_indent="    ")
            for item in items_of(lines)]
    when = date.strftime("%a, %d %b %Y") + " 00:00:00 +0000"
    return "\n".join([f"matchcloud ({version}) unstable; urgency=medium", "", *text, "",
                      f" -- {MAINTAINER}  {when}", ""])


def main(words):
    with open(PATH, encoding="utf-8") as file:
        entries = entries_of(file.read())
    version, date, lines = entries[0]
    match words:
        case ["latest"]:
            print(version, date)
        case ["entry"]:
            print("\n".join(lines).strip())
        case ["debian"]:
            print("\n".join(debian_entry(*each) for each in entries), end="")
        case ["debian", other]:
            print(debian_entry(other, date, lines), end="")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as wrong:
        sys.exit(f"changelog: {wrong}")
