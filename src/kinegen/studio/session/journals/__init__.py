"""Journals: sessions on disk, kept through crashes."""
