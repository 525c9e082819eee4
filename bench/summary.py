#!/usr/bin/env python3
"""Prints what the parts of `script/bench all` found: summary.py PART:EXIT_CODE.. Exits 1 if one of
them failed."""
import json
import os
import sys

from harness import result_path


def targets_of(part):
    try:
        with open(result_path(part), encoding="utf-8") as file:
            return json.load(file)["targets"]
    except (OSError, KeyError):
        return []


def main():
    codes = dict(each.split(":") for each in sys.argv[1:])
    print("\nsummary")
    for part, code in codes.items():
        chart = os.path.relpath(result_path(part, "svg"))
        print(f"  {part:9} " + (chart if code == "0" else f"FAILED with exit code {code}"))
        for target in targets_of(part) if code == "0" else []:
            print(f"            {'met   ' if target['met'] else 'MISSED'} {target['what']}: "
                  f"{target['value']:.2f} ({target['target']})"
                  + (f", in doubt: {target['doubt']}" if target.get("doubt") else ""))
    sys.exit(any(code != "0" for code in codes.values()))


if __name__ == "__main__":
    main()
