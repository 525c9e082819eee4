"""Shell sessions in the pages: blocks of commands and their output.

A block, indented or fenced, whose first line begins with `$ ` is a session. Each line that begins
with `$ ` is a command; a backslash at its end continues it on the next line. The lines up to the
next command are its output. `..` stands for any text of a line, and on its own line for any number
of lines. `<!-- needs: WORD -->` above a block names what it needs to run.
"""
import dataclasses
import re

FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*(\S*)\s*$")
NEEDS = re.compile(r"^\s*<!-- needs: ([a-z ]+) -->\s*$")
SERVER = re.compile(r"^<!-- server: (.*) -->$", re.MULTILINE)
HERE_DOCUMENT = re.compile(r"<<'(\w+)'")
PROMPT = "$ "


@dataclasses.dataclass
class Command:
    line: int
    text: str
    expected: list
    needs: frozenset

    def prints(self):
        return "\n".join(self.expected)


@dataclasses.dataclass
class Block:
    line: int
    lines: list
    needs: frozenset


def dedented(lines):
    depths = [len(one) - len(one.lstrip()) for one in lines if one.strip()]
    return [one[min(depths, default=0):].rstrip() for one in lines]


def blocks_of(text):
    """All blocks of code, with the line where each begins."""
    lines, found, needs, at = text.split("\n"), [], frozenset(), 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if NEEDS.match(lines[at]):
            needs = frozenset(NEEDS.match(lines[at]).group(1).split())
        elif fence:
            end = at + 1
            while end < len(lines) and lines[end].strip() != fence.group(2):
                end += 1
            found.append(Block(at + 2, dedented(lines[at + 1:end]), needs))
            needs, at = frozenset(), end
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            found.append(Block(at + 1, dedented(lines[at:end]), needs))
            needs, at = frozenset(), end - 1
        elif lines[at].strip():
            needs = frozenset()
        at += 1
    return found


def commands_of(block):
    """The commands of a session; none if the block is something else."""
    if not block.lines or not block.lines[0].startswith(PROMPT):
        return []
    commands, continued, document = [], False, None
    for offset, line in enumerate(block.lines):
        if document:
            commands[-1].text += "\n" + line
            document = None if line == document else document
        elif continued:
            commands[-1].text += "\n" + line
            continued = line.endswith("\\")
        elif line.startswith(PROMPT):
            text = line[len(PROMPT):]
            commands.append(Command(block.line + offset, text, [], block.needs))
            continued = line.endswith("\\")
            document = next(iter(HERE_DOCUMENT.findall(text)), None)
        else:
            commands[-1].expected.append(line)
    for one in commands:
        while one.expected and not one.expected[-1]:
            one.expected.pop()
    return commands


def server_arguments(text):
    """The arguments of the page's server, in addition to those that all pages have."""
    found = SERVER.search(text)
    return found.group(1).split() if found and not starts_its_own(text) else []


def starts_its_own(text):
    """Whether the page starts with an empty folder and no server (`<!-- server: none -->`)."""
    found = SERVER.search(text)
    return found is not None and found.group(1) == "none"


def pattern_of(expected):
    """A regular expression for the expected output, line by line."""
    parts = []
    for line in expected:
        if line.strip() == "..":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*".join(re.escape(piece) for piece in line.split("..")) + r"\n")
    return re.compile("".join(parts))


def matches(expected, printed):
    lines = [line.rstrip() for line in printed.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    text = "".join(line + "\n" for line in lines)
    return pattern_of([line.rstrip() for line in expected]).fullmatch(text) is not None
