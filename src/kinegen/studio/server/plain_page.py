"""A page of a few sentences, for visitors who cannot be shown the studio."""

__all__ = ["plain_page"]


def plain_page(title: str, body: str) -> str:
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
