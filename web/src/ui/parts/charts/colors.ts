// Colours of curves: distinct in light and dark, and with most kinds of colour vision.
export const CURVE_COLORS = [
  "#2f7de1",
  "#d9602b",
  "#2a9d6f",
  "#a75bd6",
  "#c99a06",
  "#d64577",
  "#1aa3b5",
  "#7a7f8c",
];

export const curveColor = (i: number): string => CURVE_COLORS[i % CURVE_COLORS.length];
