"""Rules for the pages that need no command to check."""
import os
import re
import subprocess

README_LINES = 110
HAND_WRITTEN_WORDS = 30_000
ARCHITECTURE = "docs/architecture.md"
ARCHITECTURE_WORDS = 2_500
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
PAGE_NAME = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.md)\b")
SCRIPT = re.compile(
    r"(?<![\w/.-])(?:script/([a-z]+)|\.ci/([a-z]+))((?:[ \t]+[a-z][a-z-]*\b(?![./=]))*)")
SOURCE_PATH = re.compile(
    r"(?<![\w/.-])((?:actors|app|base|bench|cli|cmake|http|load|model|store|tests)/[\w./-]*\w/?)")
FROM = re.compile(r"^<!-- from: (\S+) -->$")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"[A-Za-z_][\w-]*")
# Output of the program between `<!-- keys -->` and `<!-- /keys -->`, and other comments.
GENERATED = re.compile(r"^<!-- ([a-z-]+) -->\n.*?^<!-- /\1 -->$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def without_code(text):
    """The page with blocks of code blanked, so that links and headings in them do not count."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"^\s*(```+|~~~+)", line)
        if fence:
            fence = None if line.strip() == fence else fence
            lines.append("")
        elif mark:
            fence = mark.group(1)
            lines.append("")
        else:
            lines.append("" if line.startswith("    ") else line)
    return "\n".join(lines)


def anchor_of(heading):
    """The anchor that GitHub makes for a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(text):
    found, counts = set(), {}
    for line in without_code(text).split("\n"):
        heading = HEADING.match(line)
        if not heading:
            continue
        anchor = anchor_of(heading.group(1))
        again = counts.get(anchor, 0)
        counts[anchor] = again + 1
        found.add(f"{anchor}-{again}" if again else anchor)
    return found


def hand_written_words(text):
    """The number of words of a page that are not code, commands, names in code, or output of a
    program."""
    text = GENERATED.sub("", text)
    # Targets of links and the texts of pictures do not count.
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|\]\([^)\s]*\)", "]", without_code(COMMENT.sub("", text)))
    text = CODE_SPAN.sub("", text)
    return sum(any(each.isalnum() for each in word) for word in text.split())


def section_of(text, heading):
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text,
                      re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


def result_findings(root, text):
    """Results in the README that are not in docs/benchmarks.md."""
    with open(os.path.join(root, "docs/benchmarks.md"), encoding="utf-8") as file:
        known = file.read()
    measured = section_of(text, "Measured")
    rows = [line for line in measured.split("\n") if line.startswith("| `")]
    if not rows:
        yield "README.md has no rows of results below Measured"
    summary = section_of(known, "Summary").split("\n")
    for row in rows:
        if row not in summary:
            yield f"README.md: no row of the summary in docs/benchmarks.md: {row}"
    for date in re.findall(r"\b20\d\d-\d\d-\d\d\b", re.sub(r"^\|.*$", "", measured, flags=re.M)):
        if date not in section_of(known, "Machine"):
            yield f"README.md: docs/benchmarks.md was not measured on {date}"


def diagram_findings(root):
    """Pictures that do not match their source."""
    checked = subprocess.run([os.path.join(root, "script", "diagrams"), "--check"],
                             capture_output=True, text=True)
    yield from (checked.stdout + checked.stderr).splitlines()


def numbered(text):
    return enumerate(text.split("\n"), 1)


def link_findings(root, page, text):
    for number, line in numbered(without_code(text)):
        for target in LINK.findall(re.sub(CODE_SPAN, "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            where = os.path.join(os.path.dirname(page), path) if path else page
            where = os.path.normpath(where)
            if not os.path.exists(os.path.join(root, where)):
                yield number, f"the link {target} leads to a missing file"
            elif anchor:
                with open(os.path.join(root, where), encoding="utf-8") as file:
                    if anchor not in anchors_of(file.read()):
                        yield number, f"the link {target} leads to a missing heading of {where}"


def page_name_findings(root, page, text):
    for number, line in numbered(text):
        for name in PAGE_NAME.findall(re.sub(r"https?://\S+", "", line)):
            beside = os.path.join(root, os.path.dirname(page), name)
            if not os.path.exists(beside) and not os.path.exists(os.path.join(root, name)):
                yield number, f"{name} is not a page of this repository"


def code_of(text):
    """(line, code) that a reader may type: blocks and spans, without comments after `#`."""
    prose = without_code(text).split("\n")
    for number, line in numbered(text):
        if not prose[number - 1].strip():
            yield number, re.sub(r"\s#.*$", "", line)
        else:
            for span in CODE_SPAN.findall(line):
                yield number, span


def script_findings(root, text):
    for number, code in code_of(text):
        for script, ci, words in SCRIPT.findall(code):
            name = f"script/{script}" if script else f".ci/{ci}"
            path = os.path.join(root, name)
            if not os.path.isfile(path):
                yield number, f"there is no {name}"
                continue
            with open(path, encoding="utf-8") as file:
                known = file.read()
            # Words after the preset are targets of CMake.
            for word in words.split()[:1 if script == "build" else None]:
                if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", known):
                    yield number, f"{name} has no `{word}`"


def source_path_findings(root, text):
    """Missing files and folders of the tree that a page names in code."""
    for number, line in numbered(text):
        for span in CODE_SPAN.findall(line):
            for path in SOURCE_PATH.findall(span):
                if span.startswith(path) and not os.path.exists(os.path.join(root, path)):
                    yield number, f"there is no {path}"


def names_of_sources(root):
    """Every name in a source, in its code, strings and comments."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.cpp", "*.hpp"],
                            capture_output=True, text=True)
    names = set()
    for path in filter(None, listed.stdout.split("\0")):
        full = os.path.join(root, path)
        if os.path.isfile(full):
            with open(full, encoding="utf-8", errors="replace") as file:
                names.update(NAME.findall(file.read()))
    return names


def architecture_findings(root, text):
    """What the page about the architecture has too much: words, and names that no source has."""
    words = hand_written_words(text)
    if words > ARCHITECTURE_WORDS:
        yield 1, f"{words} words by hand, at most {ARCHITECTURE_WORDS}"
    known = names_of_sources(root)
    for number, line in numbered(GENERATED.sub(lambda found: "\n" * found.group(0).count("\n"),
                                               text)):
        for span in CODE_SPAN.findall(line):
            for name in NAME.findall(span) if known and not re.search(r"[/ ]", span) else []:
                if name not in known:
                    yield number, f"no source has the name `{name}`"


def excerpt_findings(root, text):
    """Lines below `<!-- from: FILE -->` that are not in that file, ignoring indentation."""
    known = None
    for number, line in numbered(text):
        mark = FROM.match(line)
        if mark:
            with open(os.path.join(root, mark.group(1)), encoding="utf-8") as file:
                known = {each.strip() for each in file}
        elif line.startswith("    ") and known and line.strip() not in known:
            yield number, f"the file that this block is from has no line `{line.strip()}`"
        elif line and not line.startswith("    "):
            known = None


def source_findings(root):
    """Missing pages that other files of the tree name."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True)
    for path in listed.stdout.split("\0") if listed.returncode == 0 else []:
        if not path.endswith((".cpp", ".hpp", ".py", ".sh", ".txt", ".cmake")) and \
                not path.startswith((".ci/", "script/")):
            continue
        full = os.path.join(root, path)
        if not os.path.isfile(full):
            continue
        with open(full, encoding="utf-8", errors="replace") as file:
            for number, finding in page_name_findings(root, path, file.read()):
                yield f"{path}:{number}: {finding}"


def findings(root, page, text):
    if page == "README.md" and text.count("\n") > README_LINES:
        yield README_LINES + 1, f"README.md has {text.count(chr(10))} lines, at most {README_LINES}"
    yield from link_findings(root, page, text)
    yield from page_name_findings(root, page, text)
    yield from script_findings(root, text)
    yield from source_path_findings(root, text)
    yield from excerpt_findings(root, text)
    if page == ARCHITECTURE:
        yield from architecture_findings(root, text)
