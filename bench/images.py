"""An image to download, imported into a store as the avatar of the demo's game."""
import glob
import json
import os
import struct
import subprocess
import zlib

from harness import BINARY

GAME_ID = "00000000-0000-4000-8000-000000000001"
UPLOAD_ID = "00000000-0000-4000-8000-0000000000a1"


def chunk(kind, content):
    return (struct.pack(">I", len(content)) + kind + content +
            struct.pack(">I", zlib.crc32(kind + content)))


def png_of(size_bytes):
    """A pixel, after enough random bytes that the file has `size_bytes`."""
    first = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    last = chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    frame = len(chunk(b"raNd", b""))
    return first + chunk(b"raNd", os.urandom(size_bytes - len(first) - len(last) - frame)) + last


class stored_image:
    """An image. `lay` imports it into a data directory; `path` is then its path at the service, and
    `file` its file."""

    def __init__(self, size_bytes):
        self.size_bytes = size_bytes
        self.path = None
        self.file = None

    def lay(self, data):
        image, line = (os.path.join(data, name) for name in ("image.png", "avatar.jsonl"))
        with open(image, "wb") as file:
            file.write(png_of(self.size_bytes))
        with open(line, "w", encoding="utf-8") as file:
            json.dump({"game_id": GAME_ID, "upload_id": UPLOAD_ID, "display_name": "Image",
                       "create_ts": "2026-01-01T00:00:00Z", "content_length": self.size_bytes,
                       "complete": True, "file": os.path.basename(image)}, file)
        subprocess.run([BINARY, "import", "avatars", "--data-dir", data, line], check=True,
                       stdout=subprocess.DEVNULL)
        self.file, = glob.glob(os.path.join(data, "media", "*", f"{UPLOAD_ID}.*"))
        self.path = f"/media/avatars/{UPLOAD_ID}/{os.path.basename(self.file).split('.', 1)[1]}"
