"""Recordings of /metrics as tests for promtool."""
import json
import os
import re
import subprocess
import time

RULES = os.path.abspath("deploy/prometheus/rules.yml")
SUMMED = ("_total", "_count", "_sum", "_bucket")
TIMESTAMP = "_timestamp_seconds"


def number(value):
    """A number as promtool reads it: without an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def names_in_rules():
    with open(RULES, encoding="utf-8") as file:
        return set(re.findall(r"matchcloud_[a-z_]+", file.read())) | {"up"}


class Recording:
    """Samples of one or more services: a column for each look, None where there was no sample."""

    def __init__(self):
        self._wanted = names_in_rules()
        self._begin = time.time()
        self._series = {}
        self.looks = 0

    def look(self, services):
        """Takes a sample of each metric that a rule names. `services`: by their instance."""
        for instance, service in services.items():
            samples = service.samples() if service else None
            self._add("up", "{}", instance, 0 if samples is None else 1)
            for name, labels, value in samples or []:
                if name in self._wanted and (not name.endswith("_bucket") or 'le="0.1"' in labels):
                    # promtool's clock starts in 1970.
                    at_zero = self._begin if name.endswith(TIMESTAMP) else 0
                    self._add(name, labels, instance, value - at_zero)
        self.looks += 1

    def _add(self, name, labels, instance, value):
        labels = labels[1:-1] + ("," if len(labels) > 2 else "")
        column = self._series.setdefault(
            f'{name}{{{labels}job="matchcloud",instance="{instance}"}}', [])
        column += [None] * (self.looks - len(column)) + [value]

    def test(self, minutes, questions, interval=1):
        """A test for promtool, with `minutes` between looks and `interval` minutes between samples.
        Between two looks, counters grow evenly and gauges stay the same."""
        steps = minutes // interval
        return {"interval": f"{interval}m", "input_series": [
                    {"series": name, "values": " ".join(self._stretched(name, column, steps))}
                    for name, column in self._series.items()
                    # Omits operations without requests: rates over days are slow in promtool.
                    if "operation=" not in name or any(column)],
                "promql_expr_test": questions}

    def _stretched(self, name, column, steps):
        column = column + [None] * (self.looks - len(column))
        grows = name.partition("{")[0].endswith(SUMMED)
        last = None
        for now, after in zip(column, column[1:] + column[-1:]):
            if now is None:
                yield from [("stale" if last is not None else "_")] + ["_"] * (steps - 1)
            else:
                rise = (after - now) / steps if grows and after is not None and after > now else 0
                yield from (number(now + rise * step) for step in range(steps))
            last = now


def question(expression, minute, names):
    """A question to promtool: whether an expression has exactly these alerts at a time."""
    return {"expr": f"group by (alertname) ({expression})", "eval_time": f"{minute}m",
            "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1}
                            for name in sorted(names)]}


def alerts_of(group):
    """The alerts of a group of the rules."""
    with open(RULES, encoding="utf-8") as file:
        text = file.read().split(f"- name: {group}\n")[1].split("- name: ")[0]
    return re.findall(r"- alert: (\w+)", text)


def firing(names):
    return f'ALERTS{{alertstate="firing",alertname=~"{"|".join(names)}"}}'


def check(folder, name, test):
    """Tests the rules by promtool. Fails with its output."""
    path = os.path.join(folder, f"{name}.yml")
    with open(path, "w", encoding="utf-8") as file:
        # JSON is YAML.
        json.dump({"rule_files": [RULES], "evaluation_interval": test["interval"],
                   "tests": [test]}, file)
    said = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True,
                          timeout=120)
    assert said.returncode == 0, (said.stdout + said.stderr)[-3000:]
