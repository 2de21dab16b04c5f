import { Joi } from '@mortise/plugin-sdk';

interface PollSettings {
  readonly MIN_TIMEOUT: string;
  readonly MAX_TIMEOUT: string;
  readonly TIMEOUT_STEP: string;
}

const span = (standard: string) =>
  Joi.string()
    .pattern(/^(-1|\d{1,6}(ms|s|m|h)?)$/)
    .default(standard);

/** `[ui.notification]`: how often pages without a live connection ask (PSH-11). */
export const pollSettings = Joi.object<PollSettings>({
  MIN_TIMEOUT: span('10s').description('Pages without a live connection ask so often what is new at first; -1: never'),
  MAX_TIMEOUT: span('60s').description('… and so seldom after a long time without news'),
  TIMEOUT_STEP: span('10s').description('By how much they wait longer each time'),
});

/** Milliseconds; the shortest below 0: pages do not ask. */
export interface PollTimes {
  readonly shortest: number;
  readonly longest: number;
  readonly step: number;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A number alone counts seconds. */
function spanOf(text: string): number {
  const [, number = '-1', unit = 's'] = /^(\d+)(ms|s|m|h)?$/.exec(text) ?? [];
  return number === '-1' ? -1 : Number(number) * units[unit]!;
}

export const pollTimes = ({ MIN_TIMEOUT, MAX_TIMEOUT, TIMEOUT_STEP }: PollSettings): PollTimes => ({
  shortest: spanOf(MIN_TIMEOUT),
  longest: spanOf(MAX_TIMEOUT),
  step: Math.max(0, spanOf(TIMEOUT_STEP)),
});
