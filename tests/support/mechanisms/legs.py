"""Walking legs and other linkages of several loops that one crank drives."""

from __future__ import annotations

__all__ = ["JANSEN", "KLANN", "WATT"]

JANSEN = """\
raff: 1
name: jansen
parameters: {a: 38, l: 7.8, m: 15, j: 50, b: 41.5, c: 39.3, d: 40.1, e: 55.8, f: 39.4, g: 36.7,
  h: 65.7, i: 49, k: 61.9}
joints:
  - {name: crank, parent: base, motor: true}
  - {name: J, parent: crank, d: m, start: 130 deg}
  - {name: upper, parent: base, xyz: [-a, -l, 0], start: 90 deg}
  - {name: K, parent: crank, d: m, start: 210 deg}
  - {name: lower, parent: base, xyz: [-a, -l, 0], start: -70 deg}
  - {name: F, parent: upper, gamma: acos((b^2 + d^2 - e^2)/(2*b*d)), d: d, start: 90 deg}
  - {name: foot, parent: lower, d: c, start: -90 deg}
  - {name: W, parent: J, d: j, closes: {onto: upper, d: b}}
  - {name: U, parent: K, d: k, closes: {onto: lower, d: c}}
  - {name: T, parent: F, d: f,
     closes: {onto: foot, gamma: -acos((g^2 + i^2 - h^2)/(2*g*i)), d: g}}
frames:
  - {name: S, parent: foot, d: i}
"""
"""Theo Jansen's leg with his eleven numbers [m instead of cm]; the foot is S."""

KLANN = """\
raff: 1
name: klann
joints:
  - {name: crank, parent: base, motor: true}
  - {name: rod, parent: crank, d: 0.25, start: 190 deg}
  - {name: lower, parent: base, xyz: [-0.6, -0.55, 0], start: 80 deg}
  - {name: upper, parent: base, xyz: [-0.6, 0.6, 0], start: 165 deg}
  - {name: leg, parent: rod, gamma: -10 deg, d: 1.45, start: 250 deg}
  - {name: P, parent: rod, d: 0.82, closes: {onto: lower, d: 0.36}}
  - {name: Q, parent: leg, d: 0.9, closes: {onto: upper, d: 0.7}}
frames:
  - {name: foot, parent: leg, gamma: 160 deg, d: 0.9}
"""
"""A leg of Klann's kind: a crank, a rod over a lower rocker, and a leg under an upper rocker."""

WATT = """\
raff: 1
name: watt
joints:
  - {name: crank, parent: base, start: 60 deg, motor: true}
  - {name: B, parent: crank, d: 0.2, start: -40 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: E, parent: D, gamma: -40 deg, d: 0.35, start: -50 deg}
  - {name: F, parent: base, d: 0.9, start: 80 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
  - {name: G, parent: E, d: 0.5, closes: {onto: F, d: 0.3}}
"""
"""A six-bar of Watt's second kind: two four-bars one after the other."""
