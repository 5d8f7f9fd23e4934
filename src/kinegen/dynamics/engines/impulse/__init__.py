"""The engine impulse: free bodies, and impulses that keep the joints together."""
