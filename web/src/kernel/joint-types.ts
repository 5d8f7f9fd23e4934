// Generated from src/kinegen/joint_types.py; do not edit.
// To make it again: make tables

/** What a joint type means; each trait is explained there. */
export interface JointTraits {
  /** For each variable, whether it slides. */
  lengths: boolean[];
  hasQuaternion: boolean;
  swings: boolean;
  hasPitch: boolean;
  moves: boolean;
  isHinge: boolean;
  isSlide: boolean;
  floats: boolean;
  hasAxis: boolean;
  turnsAboutAxis: boolean;
  slidesAlongAxis: boolean;
  slidesAcross: boolean;
  turnsInPlace: boolean;
  fitsPlane: boolean;
}

const TRAITS: Record<string, JointTraits> = {
  revolute: {
    lengths: [false],
    hasQuaternion: false,
    swings: false,
    hasPitch: false,
    moves: true,
    isHinge: true,
    isSlide: false,
    floats: false,
    hasAxis: true,
    turnsAboutAxis: true,
    slidesAlongAxis: false,
    slidesAcross: false,
    turnsInPlace: true,
    fitsPlane: true,
  },
  prismatic: {
    lengths: [true],
    hasQuaternion: false,
    swings: false,
    hasPitch: false,
    moves: true,
    isHinge: false,
    isSlide: true,
    floats: false,
    hasAxis: true,
    turnsAboutAxis: false,
    slidesAlongAxis: true,
    slidesAcross: false,
    turnsInPlace: false,
    fitsPlane: true,
  },
  screw: {
    lengths: [false],
    hasQuaternion: false,
    swings: false,
    hasPitch: true,
    moves: true,
    isHinge: false,
    isSlide: false,
    floats: false,
    hasAxis: true,
    turnsAboutAxis: true,
    slidesAlongAxis: true,
    slidesAcross: false,
    turnsInPlace: true,
    fitsPlane: false,
  },
  cylindrical: {
    lengths: [false, true],
    hasQuaternion: false,
    swings: false,
    hasPitch: false,
    moves: true,
    isHinge: false,
    isSlide: false,
    floats: false,
    hasAxis: true,
    turnsAboutAxis: true,
    slidesAlongAxis: true,
    slidesAcross: false,
    turnsInPlace: true,
    fitsPlane: false,
  },
  universal: {
    lengths: [false, false],
    hasQuaternion: false,
    swings: false,
    hasPitch: false,
    moves: true,
    isHinge: false,
    isSlide: false,
    floats: false,
    hasAxis: false,
    turnsAboutAxis: false,
    slidesAlongAxis: false,
    slidesAcross: false,
    turnsInPlace: false,
    fitsPlane: false,
  },
  spherical: {
    lengths: [false, false, false],
    hasQuaternion: true,
    swings: true,
    hasPitch: false,
    moves: true,
    isHinge: false,
    isSlide: false,
    floats: false,
    hasAxis: false,
    turnsAboutAxis: false,
    slidesAlongAxis: false,
    slidesAcross: false,
    turnsInPlace: false,
    fitsPlane: false,
  },
  planar: {
    lengths: [true, true, false],
    hasQuaternion: false,
    swings: false,
    hasPitch: false,
    moves: true,
    isHinge: false,
    isSlide: false,
    floats: false,
    hasAxis: true,
    turnsAboutAxis: true,
    slidesAlongAxis: false,
    slidesAcross: true,
    turnsInPlace: false,
    fitsPlane: true,
  },
  free: {
    lengths: [true, true, true, false, false, false],
    hasQuaternion: true,
    swings: false,
    hasPitch: false,
    moves: true,
    isHinge: false,
    isSlide: false,
    floats: true,
    hasAxis: false,
    turnsAboutAxis: false,
    slidesAlongAxis: false,
    slidesAcross: true,
    turnsInPlace: false,
    fitsPlane: false,
  },
  fixed: {
    lengths: [],
    hasQuaternion: false,
    swings: false,
    hasPitch: false,
    moves: false,
    isHinge: false,
    isSlide: false,
    floats: false,
    hasAxis: false,
    turnsAboutAxis: false,
    slidesAlongAxis: false,
    slidesAcross: false,
    turnsInPlace: false,
    fitsPlane: true,
  },
};

/** All types, in their order. */
export const JOINT_TYPES = Object.keys(TRAITS);

/** The traits of a type, which the studio names. */
export const traitsOf = (type: string): JointTraits => TRAITS[type]!;
