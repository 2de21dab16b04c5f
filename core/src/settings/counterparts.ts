import { readFileSync } from 'node:fs';
import { normalizeSection } from '@mortise/plugin-sdk';

/** What a setting of the compatible service means here. */
export type Counterpart =
  | { readonly kind: 'same' }
  | { readonly kind: 'otherName'; readonly name: string }
  | { readonly kind: 'otherMeaning'; readonly meaning: string }
  | { readonly kind: 'notNeeded'; readonly reason: string }
  | { readonly kind: 'notYet' };

export interface CompatibleSetting {
  readonly section: string;
  readonly key: string;
  readonly counterpart: Counterpart;
}

/** One section of `compatible-settings.json`: each of its keys stands in one of these. */
interface CompatibleSection {
  readonly same?: readonly string[];
  readonly otherName?: Readonly<Record<string, string>>;
  /** Known here by that name, but as something else. */
  readonly otherMeaning?: Readonly<Record<string, string>>;
  readonly notNeeded?: Readonly<Record<string, string>>;
  readonly notYet?: readonly string[];
}

/** Sections of which a file has any number, by what the list calls them. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^log\./, 'log.%(writermode)'],
  [/^markup\.sanitizer\./, 'markup.sanitizer.1'],
  [/^markup\.[^.]+$/, 'markup.asciidoc'],
];

const id = (section: string, key: string): string => `${normalizeSection(section)}\0${key.toUpperCase()}`;

/** Every setting of the compatible service. */
export const compatibleSettings = (): CompatibleSetting[] => settingsIn('compatible-settings.json');

/** Settings of a file that has them by section. */
function settingsIn(file: string): CompatibleSetting[] {
  const text = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8');
  return Object.entries(JSON.parse(text) as Record<string, CompatibleSection>).flatMap(([section, rows]) =>
    counterparts(rows).map(([key, counterpart]) => ({ section, key, counterpart })),
  );
}

const counterparts = ({
  same = [],
  otherName = {},
  otherMeaning = {},
  notNeeded = {},
  notYet = [],
}: CompatibleSection) =>
  [
    ...same.map((key) => [key, { kind: 'same' }] as const),
    ...Object.entries(otherName).map(([key, name]) => [key, { kind: 'otherName', name }] as const),
    ...Object.entries(otherMeaning).map(([key, meaning]) => [key, { kind: 'otherMeaning', meaning }] as const),
    ...Object.entries(notNeeded).map(([key, reason]) => [key, { kind: 'notNeeded', reason }] as const),
    ...notYet.map((key) => [key, { kind: 'notYet' }] as const),
  ] satisfies (readonly [string, Counterpart])[];

let known: ReadonlyMap<string, Counterpart> | undefined;

/** Undefined: the compatible service has no setting of just that name. */
export function exactCounterpart(section: string, key: string): Counterpart | undefined {
  // files still have those of earlier versions
  known ??= new Map(
    [...compatibleSettings(), ...settingsIn('earlier-settings.json')].map((one) => [
      id(one.section, one.key),
      one.counterpart,
    ]),
  );
  return known.get(id(section, key));
}

/** Also of sections of which a file has any number. */
export function counterpartOf(section: string, key: string): Counterpart | undefined {
  const family = families.find(([pattern]) => pattern.test(normalizeSection(section)))?.[1];
  return exactCounterpart(section, key) ?? (family === undefined ? undefined : exactCounterpart(family, key));
}

/** For warnings and lists; undefined where the setting is as it is there. */
export function counterpartText(counterpart: Counterpart): string | undefined {
  switch (counterpart.kind) {
    case 'same':
      return undefined;
    case 'otherName':
      return `has another name here: ${counterpart.name}`;
    case 'otherMeaning':
      return `means something else here: ${counterpart.meaning}`;
    case 'notNeeded':
      return `is not needed: ${counterpart.reason}`;
    case 'notYet':
      return 'has no counterpart yet';
  }
}
