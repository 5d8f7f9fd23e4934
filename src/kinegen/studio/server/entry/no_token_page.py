"""What is shown to a visitor who does not bring the studio's token."""

from kinegen.studio.server.plain_page import plain_page

__all__ = ["NO_TOKEN", "NO_TOKEN_PAGE"]

NO_TOKEN = "this studio needs a token: open the complete link that it printed when it started"

NO_TOKEN_PAGE = plain_page(
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
