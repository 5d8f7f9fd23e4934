"""A four-bar with every number free, for tests of design."""

FOUR_BAR = """raff: 1
name: free-four-bar
parameters:
  {x0: 0, y0: 0, tilt: 0, crank: 0.05, ground: 0.2, coupler: 0.15, rocker: 0.15, px: 0.1, py: 0.05}
joints:
  - {name: stand, type: fixed, parent: base, xyz: [x0, y0, 0], rpy: [0, 0, tilt]}
  - {name: crank, parent: stand, start: 0, motor: true}
  - {name: coupler, parent: crank, d: crank, start: 60 deg}
  - {name: rocker, parent: stand, d: ground, start: 90 deg}
  - {name: pin, parent: coupler, d: coupler, start: 30 deg, closes: {onto: rocker, d: rocker}}
frames:
  - {name: handle, parent: coupler, xyz: [px, py, 0]}
"""
