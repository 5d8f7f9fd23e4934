"""What is shown when the page itself was not built."""

__all__ = ["MISSING_PAGE"]

MISSING_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Kinegen: the page is not built</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1rem }
pre { padding: 1rem; border: 1px solid; border-radius: 6px; overflow: auto }
</style>
</head>
<body>
<h1>The studio is running, but its page is not built</h1>
<p>This is an installation from sources without the built page. With Node 20 or newer, in the
folder of the sources:</p>
<pre>cd web
npm ci
npm run build</pre>
<p>Then start <code>kinegen studio</code> again. The wheels of Kinegen contain the page and need
no Node.</p>
</body>
</html>
"""
