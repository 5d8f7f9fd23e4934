// A four-bar with every number free: with the published ellipse it makes the classic test.
export const EXAMPLE = `raff: 1
name: coupler-curve
title: Four-bar to be designed
description: |
  Every length may change, and so may its position. Which values let its handle trace an ellipse?
parameters:
  x0: {value: 0 mm, min: -500 mm, max: 700 mm, note: its position}
  y0: {value: 0 mm, min: -500 mm, max: 700 mm}
  tilt: {value: 0 deg, min: -180 deg, max: 180 deg}
  crank: {value: 50 mm, min: 20 mm, max: 200 mm}
  ground: {value: 200 mm, min: 50 mm, max: 800 mm}
  coupler: {value: 150 mm, min: 50 mm, max: 800 mm}
  rocker: {value: 150 mm, min: 50 mm, max: 800 mm}
  px: {value: 100 mm, min: -600 mm, max: 600 mm, note: the handle on the coupler}
  py: {value: 50 mm, min: -600 mm, max: 600 mm}
joints:
  - {name: stand, type: fixed, parent: base, xyz: [x0, y0, 0], rpy: [0, 0, tilt]}
  - {name: crank, parent: stand, motor: true}
  - {name: coupler, parent: crank, d: crank, start: 60 deg}
  - {name: rocker, parent: stand, d: ground, start: 90 deg}
  - {name: pin, parent: coupler, d: coupler, start: 30 deg, closes: {onto: rocker, d: rocker}}
frames:
  - {name: handle, parent: coupler, xyz: [px, py, 0]}
`;
