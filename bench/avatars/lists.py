"""Lists of custom avatars, of a chosen length, and the path that returns them."""
import json
import subprocess

from harness import BINARY

GAME = "00000000-0000-4000-8000-0000000000b1"
PATH = f"/cloud/games/{GAME}/avatars"
UNCACHED = ("--avatar-cache-bytes", "0")


def fill(data, count, binary=BINARY):
    """Creates a game with `count` avatars without images, in a store of `binary`."""
    game = {"games": [{"game_id": GAME, "display_name": "Avatars"}]}
    lines = (json.dumps({
        "game_id": GAME, "upload_id": f"00000000-0000-4000-9000-{number:012}",
        "display_name": f"Avatar {number}", "create_ts": 1767225600000 + number,
        "content_length": 100_000, "complete": False}) for number in range(count))
    for kind, text in ("catalog", json.dumps(game)), ("avatars", "\n".join(lines)):
        subprocess.run([binary, "import", kind, "--data-dir", data, "-"], check=True, text=True,
                       input=text, stdout=subprocess.DEVNULL)
