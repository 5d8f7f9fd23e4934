"""Equations of motion: efforts, accelerations, energy, statics, loops included."""
