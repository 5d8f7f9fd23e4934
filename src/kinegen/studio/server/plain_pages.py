"""Pages of a few sentences, for visitors who cannot be shown the studio."""

__all__ = ["MISSING_PAGE", "NO_TOKEN", "NO_TOKEN_PAGE"]


def _plain_page(title: str, body: str) -> str:
    """A page that needs no other file; ``body`` is HTML."""
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Kinegen: {title}</title>
<style>
body {{
  font: 16px/1.6 system-ui, sans-serif;
  max-width: 38rem; margin: 12vh auto; padding: 0 1rem;
}}
pre {{ padding: 1rem; border: 1px solid; border-radius: 6px; overflow: auto }}
</style>
</head>
<body>
{body}</body>
</html>
"""


MISSING_PAGE = _plain_page(
    "the page is not built",
    """\
<h1>The studio is running, but its page is not built</h1>
<p>This is an installation from sources without the built page. With Node 20 or newer, in the
folder of the sources:</p>
<pre>cd web
npm ci
npm run build</pre>
<p>Then start <code>kinegen studio</code> again. The wheels of Kinegen contain the page and need
no Node.</p>
""",
)
"""What is shown when the page itself was not built."""
NO_TOKEN = "this studio needs a token: open the complete link that it printed when it started"
"""The answer to a program without it."""

NO_TOKEN_PAGE = _plain_page(
    "open the complete link",
    """\
<h1>Open the complete link</h1>
<p>A studio is running here, and it requires a token. The terminal in which it was
started shows the link with the token:</p>
<pre>Kinegen studio: http://127.0.0.1:8137/?token=…</pre>
<p>Open that link once; this browser remembers it for 30 days. If the terminal is gone, start
<code>kinegen studio</code> again.</p>
""",
)
"""What a browser is shown that does not bring the studio's token."""
