/** A point in the box of a digit, which is 1 wide and 1.6 high. */
export type Point = readonly [x: number, y: number];

const arc = (x: number, y: number, rx: number, ry: number, from: number, to: number): readonly Point[] => {
  const steps = Math.max(6, Math.ceil(Math.abs(to - from) * 4));
  return Array.from({ length: steps + 1 }, (_, step): Point => {
    const at = from + ((to - from) * step) / steps;
    return [x + rx * Math.cos(at), y + ry * Math.sin(at)];
  });
};
const { PI } = Math;

/** How digits are written, as lines through points. */
export const strokes: readonly (readonly (readonly Point[])[])[] = [
  [arc(0.5, 0.8, 0.42, 0.75, 0, 2 * PI)],
  [
    [
      [0.2, 0.35],
      [0.55, 0.05],
      [0.55, 1.55],
    ],
  ],
  [[...arc(0.5, 0.45, 0.4, 0.4, -PI, 0.25 * PI), [0.1, 1.52], [0.92, 1.52]]],
  [[...arc(0.45, 0.42, 0.4, 0.37, -0.85 * PI, 0.5 * PI), ...arc(0.45, 1.17, 0.45, 0.38, -0.5 * PI, 0.85 * PI)]],
  [
    [
      [0.7, 1.55],
      [0.7, 0.05],
      [0.05, 1.1],
      [0.95, 1.1],
    ],
  ],
  [[[0.88, 0.06], [0.2, 0.06], [0.14, 0.72], ...arc(0.45, 1.07, 0.43, 0.45, -0.62 * PI, 0.85 * PI)]],
  [
    [
      [0.78, 0.06],
      [0.3, 0.5],
      [0.1, 1.05],
    ],
    arc(0.5, 1.1, 0.4, 0.43, 0, 2 * PI),
  ],
  [
    [
      [0.08, 0.07],
      [0.92, 0.07],
      [0.36, 1.55],
    ],
  ],
  [arc(0.5, 0.42, 0.34, 0.36, 0, 2 * PI), arc(0.5, 1.15, 0.42, 0.4, 0, 2 * PI)],
  [
    arc(0.5, 0.48, 0.4, 0.42, 0, 2 * PI),
    [
      [0.9, 0.5],
      [0.78, 1.1],
      [0.4, 1.55],
    ],
  ],
];
