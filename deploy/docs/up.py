#!/usr/bin/env python3
"""Draws up.svg: what `arb up` says in a new folder, and what its board, its stream and ClickHouse then answer.

    deploy/docs/up.py target/release/arb [HOME]

Every line under a command was printed by it; long ones are cut at the right edge, keys after their first characters. HOME has
downloads that are to be used again. It never writes an answer of its own.
"""

import html
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

WIDTH, LINE, COLUMNS = 1100, 18, 134
COMMAND, SAID, NOTE = "#9ece6a", "#c0caf5", "#7982a9"
PATIENCE = 300


def wait_for(what, found):
    """What is found, once it is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        value = found()
        if value:
            return value
        time.sleep(0.2)
    sys.exit(f"{what} did not come within {PATIENCE} s")


def shell(command, seconds=20):
    """What a command prints, until it ends or for so long."""
    # Its group, so that nothing of a pipe is left behind.
    with subprocess.Popen(
        ["bash", "-c", command], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        try:
            return child.communicate(timeout=seconds)[0].splitlines()
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return child.communicate()[0].splitlines()


def processor(parent):
    """The process id of the processor that a parent runs."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = stat.read_bytes().split(b"\0")
            above = int(stat.with_name("stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if above == parent and b"process" in words[1:2]:
            return int(stat.parent.name)
    return None


def first_of(kind, lines):
    """The first event of a kind among a stream's lines."""
    start = lines.index(f"event: {kind}")
    return lines[start : start + 3]


def draw(parts, key):
    """The picture."""
    rows, y = [], 46
    for command, color, lines in parts:
        rows += [(y + LINE * at, COMMAND, text) for at, text in enumerate(command)]
        y += LINE * len(command)
        rows += [(y + LINE * at, color, text) for at, text in enumerate(lines)]
        y += LINE * len(lines) + LINE
    height = y - LINE + 8
    picture = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="cargo up, what its board and ClickHouse answer, a killed processor, and the stream">',
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#1a1b26"/>',
        '<g fill="#414868"><circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/></g>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">',
    ]
    for y, color, text in rows:
        text = text.replace(key, key[:17] + "…").expandtabs(8)
        text = text if len(text) <= COLUMNS else text[: COLUMNS - 1] + "…"
        if not text:
            continue
        picture.append(f'<text x="16" y="{y}" fill="{color}">{html.escape(text)}</text>')
    return "\n".join(picture + ["</g>", "</svg>", ""])


def steps(lines):
    """The steps of a start with the time that each took in the end."""
    found = [re.fullmatch(r"((?:starting|reading) .*) \.\.\. .* s", line) for line in lines]
    return list({step[1]: step[0] for step in found if step}.values())


def opened_and_closed(command):
    """The stream's lines, once a window has opened or changed in it and one has closed."""
    lines = shell(command, 30)
    return lines if {"event: arb_window", "event: close_signal"} <= set(lines) else None


def show(up, log, said):
    """Asks what a reader would ask, and draws it."""
    wait_for("the address", lambda: "Ctrl-C stops everything" in said.read_text())
    lines = [line for line in said.read_text().splitlines() if line]
    asked = next(at for at, line in enumerate(lines) if line.startswith("curl"))
    key = next(line.split()[1] for line in lines if line.startswith("key "))
    board, tables = (next(line for line in lines if word in line) for word in ("jq -r", "SHOW TABLES"))
    stream = next(line for line in lines[asked:] if line.endswith("/v1/stream"))
    windows = tables.replace("SHOW TABLES FROM arb", "SELECT count() FROM arb.windows")
    entries = wait_for("a board of four", lambda: (shell(board) + [None] * 4)[3] and shell(board)[:4])
    counted = wait_for("windows in ClickHouse", lambda: [line for line in shell(windows) if line not in ("", "0")])
    events = wait_for("a window that opens, and one that closes", lambda: opened_and_closed(stream))
    pid = wait_for("the processor", lambda: processor(up.pid))
    os.kill(pid, signal.SIGKILL)
    again = wait_for("its restart", lambda: [line for line in log.read_text().splitlines() if "started again" in line])
    shown = [[*first_of(kind, events), ""] for kind in ("snapshot", "arb_window", "close_signal")]
    ask, pick = board.split(" | ", 1)
    parts = [
        (["$ cargo up"], NOTE, steps(log.read_text().splitlines())),
        ([], SAID, lines[:asked]),
        ([f"$ {ask} \\", f"    | {pick}"], SAID, entries),
        ([f"$ {windows}"], SAID, counted),
        ([f"$ kill -9 {pid}  # the processor"], NOTE, again[:1]),
        ([f"$ {stream}"], SAID, sum(shown, [])[:-1]),
    ]
    return draw(parts, key)


def link(downloads, home):
    """Puts downloads that are there into a new home."""
    (home / "clickhouse").mkdir(parents=True)
    (home / "arb-home").touch()
    for found in [*downloads.glob("kafka-[0-9]*"), *downloads.glob("clickhouse/*-stable*")]:
        (home / found.relative_to(downloads)).symlink_to(found)


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    picture = pathlib.Path(__file__).with_suffix(".svg").resolve()
    downloads = [pathlib.Path(name).resolve() for name in sys.argv[2:3]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for home in downloads:
            link(home, pathlib.Path(".arb"))
        log, said = pathlib.Path("log"), pathlib.Path("said")
        with log.open("w") as errors, said.open("w") as out:
            up = subprocess.Popen([binary, "up"], stdout=out, stderr=errors, start_new_session=True)
        try:
            picture.write_text(show(up, log, said))
        finally:
            up.send_signal(signal.SIGINT)
            up.wait()


main()
