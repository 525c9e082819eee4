"""An image to download, laid into a data directory as an upload would."""
import hashlib
import os

UPLOAD_ID = "00000000-0000-4000-8000-0000000000a1"


class stored_image:
    """An image of random bytes; `lay` puts it into a data directory, `file` is where it went."""

    def __init__(self, size_bytes):
        self.content = os.urandom(size_bytes)
        self.name = hashlib.sha256(self.content).hexdigest()[:32]
        self.path = f"/media/avatars/{UPLOAD_ID}/{self.name}.png"
        self.file = None

    def lay(self, data):
        below = os.path.join(data, "media", self.name[-2:])
        os.makedirs(below)
        self.file = os.path.join(below, f"{UPLOAD_ID}.{self.name}.png")
        with open(self.file, "wb") as file:
            file.write(self.content)
