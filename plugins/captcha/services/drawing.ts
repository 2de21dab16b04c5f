import { createHash } from 'node:crypto';
import { greyPng } from './png.js';
import { strokes, type Point } from './strokes.js';

export const width = 240;
export const height = 80;

/** Numbers from 0 to 1 that follow from a seed: the same question is always the same picture. */
function numbersOf(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

class Canvas {
  readonly points = new Uint8Array(width * height).fill(255);

  /** A round dot. */
  dot(x: number, y: number, radius: number, shade: number): void {
    const [left, right] = [Math.max(0, Math.floor(x - radius)), Math.min(width - 1, Math.ceil(x + radius))];
    const [top, bottom] = [Math.max(0, Math.floor(y - radius)), Math.min(height - 1, Math.ceil(y + radius))];
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) {
        const [dx, dy] = [column - x, row - y];
        const over = radius + 0.5 - Math.sqrt(dx * dx + dy * dy);
        if (over <= 0) continue;
        const ink = Math.round(255 - (255 - shade) * Math.min(1, over));
        const at = row * width + column;
        if (ink < this.points[at]!) this.points[at] = ink;
      }
  }

  line(from: Point, to: Point, radius: number, shade: number, bend: (point: Point) => Point): void {
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 1.2));
    for (let step = 0; step <= steps; step++) {
      const part = step / steps;
      const [x, y] = bend([from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part]);
      this.dot(x, y, radius, shade);
    }
  }
}

/** Digits that lean and wave, with lines through them: people read them, programs have to try. */
export function drawDigits(digits: string, seed: string): Promise<Buffer> {
  const next = numbersOf(seed);
  const between = (from: number, to: number) => from + (to - from) * next();
  const canvas = new Canvas();
  const wave = { height: between(2, 4.5), length: between(28, 48), start: between(0, 7), lean: between(-1.5, 1.5) };
  const bend = ([x, y]: Point): Point => [
    x + wave.lean * Math.sin(y / 12 + wave.start),
    y + wave.height * Math.sin(x / wave.length + wave.start),
  ];
  const room = (width - 24) / digits.length;
  [...digits].forEach((digit, index) => {
    const size = between(24, 29);
    const turn = between(-0.32, 0.32);
    const middle: Point = [12 + room * (index + 0.5) + between(-3, 3), height / 2 + between(-5, 5)];
    const radius = between(1.5, 2.4);
    const shade = Math.round(between(20, 90));
    const place = ([x, y]: Point): Point => {
      const [dx, dy] = [(x - 0.5) * size, (y - 0.8) * size];
      return [
        middle[0] + dx * Math.cos(turn) - dy * Math.sin(turn),
        middle[1] + dx * Math.sin(turn) + dy * Math.cos(turn),
      ];
    };
    for (const stroke of strokes[Number(digit)]!)
      for (let at = 1; at < stroke.length; at++)
        canvas.line(place(stroke[at - 1]!), place(stroke[at]!), radius, shade, bend);
  });
  for (let count = 0; count < 4; count++) {
    const shade = Math.round(between(50, 130));
    const bow: Point[] = [
      [0, between(5, height - 5)],
      [between(60, 110), between(5, height - 5)],
      [between(130, 180), between(5, height - 5)],
      [width, between(5, height - 5)],
    ];
    const radius = between(0.6, 1.1);
    for (let at = 1; at < bow.length; at++) canvas.line(bow[at - 1]!, bow[at]!, radius, shade, bend);
  }
  for (let count = 0; count < 160; count++)
    canvas.dot(between(0, width), between(0, height), between(0.3, 0.9), Math.round(between(60, 180)));
  return greyPng(width, height, canvas.points);
}
