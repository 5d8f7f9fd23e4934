"""What is shown when the page itself was not built."""

from kinegen.studio.server.plain_page import plain_page

__all__ = ["MISSING_PAGE"]

MISSING_PAGE = plain_page(
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
