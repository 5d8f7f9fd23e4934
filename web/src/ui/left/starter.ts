// The text a new mechanism begins with: three joints, ready to be changed.
export const STARTER = `raff: 1
name: my-mechanism
title: My mechanism
parameters:                     # each becomes a slider
  height: 200 mm
  upper: 250 mm
  fore: 200 mm
joints:
  - {name: waist, parent: base, r: height, motor: true}
  - {name: shoulder, parent: waist, alpha: 90 deg, start: 60 deg, limits: [0, 180 deg], motor: true}
  - {name: elbow, parent: shoulder, d: upper, start: -80 deg, limits: [-150 deg, 150 deg], motor: true}
frames:
  - {name: hand, parent: elbow, d: fore}
`;
