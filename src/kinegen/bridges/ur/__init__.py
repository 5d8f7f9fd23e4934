"""What a controller of Universal Robots says about its arm."""
