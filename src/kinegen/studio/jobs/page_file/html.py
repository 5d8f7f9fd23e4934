"""The HTML text of an exported page: its parts packed inside, and the script that unpacks them."""

from __future__ import annotations

import base64
import gzip
import html
from collections.abc import Mapping

__all__ = ["page_html"]

_START = """
(async () => {
  const unpack = async (id) => {
    const text = document.getElementById(id).textContent;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(plain).arrayBuffer();
  };
  try {
    const code = document.createElement("script");
    code.textContent = new TextDecoder().decode(await unpack("code"));
    document.head.append(code);
    const data = JSON.parse(new TextDecoder().decode(await unpack("mechanism")));
    const files = new Map();
    for (const { id, dataset } of document.querySelectorAll("script[data-file]"))
      files.set(dataset.file, await unpack(id));
    await KinegenPage.start(document.getElementById("app"), await unpack("kernels"), data, files);
  } catch (error) {
    document.getElementById("app").textContent =
      "This page needs a current browser with WebGL and WebAssembly. " + error;
  }
})();
"""


def page_html(
    title: str, style: str, files: Mapping[str, bytes], parts: Mapping[str, bytes]
) -> str:
    """The whole file.

    Args:
        title: Of the window.
        style: The style sheet.
        files: Mesh files by the path under which the page knows them.
        parts: What the script above unpacks, by id.
    """
    packed = "\n".join(
        f'<script type="text/plain" id="{name}">{_packed(data)}</script>'
        for name, data in parts.items()
    )
    packed += "".join(
        f'\n<script type="text/plain" id="file-{number}" data-file="{html.escape(name)}">'
        f"{_packed(data)}</script>"
        for number, (name, data) in enumerate(files.items())
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="Kinegen">\n<title>{html.escape(title)}</title>\n'
        f"<style>{style}</style>\n</head>\n"
        f'<body>\n<div id="app"></div>\n{packed}\n<script>{_START}</script>\n</body>\n</html>\n'
    )


def _packed(data: bytes) -> str:
    # no time stamp inside: the same mechanism gives the same file
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
