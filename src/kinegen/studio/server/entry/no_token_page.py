"""What is shown to a visitor who does not bring the studio's token."""

__all__ = ["NO_TOKEN", "NO_TOKEN_PAGE"]

NO_TOKEN = "this studio needs a token: open the complete link that it printed when it started"

NO_TOKEN_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Kinegen: open the complete link</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1rem }
pre { padding: 1rem; border: 1px solid; border-radius: 6px; overflow: auto }
</style>
</head>
<body>
<h1>Open the complete link</h1>
<p>A studio is running here, and it requires a token. The terminal in which it was
started shows the link with the token:</p>
<pre>Kinegen studio: http://127.0.0.1:8137/?token=…</pre>
<p>Open that link once; this browser remembers it for 30 days. If the terminal is gone, start
<code>kinegen studio</code> again.</p>
</body>
</html>
"""
