import {
  inLanguage,
  Language,
  languagePacks,
  type Languages,
  type LanguagePack,
  type OfferedLanguage,
} from '@mortise/plugin-sdk';
import type { PointBoard } from '../contracts.js';

interface LanguageSettings {
  readonly LANGS: string;
  readonly NAMES: string;
}

export interface ManagedLanguages extends Languages {
  /** What an `Accept-Language` header asks for, of what is offered (RFC 9110, 12.5.4); undefined: none of it. */
  negotiate(header: string | undefined): OfferedLanguage | undefined;
}

/** What Mortise itself brings. */
const own: readonly OfferedLanguage[] = [
  { tag: 'en-US', name: 'English' },
  { tag: 'de-DE', name: 'Deutsch' },
  { tag: 'zh-CN', name: '简体中文' },
  { tag: 'fr-FR', name: 'Français' },
  { tag: 'es-ES', name: 'Español' },
  { tag: 'pt-BR', name: 'Português (Brasil)' },
  { tag: 'ja-JP', name: '日本語' },
  { tag: 'ru-RU', name: 'Русский' },
  { tag: 'it-IT', name: 'Italiano' },
];

/** Headers come from visitors: looked at only so far. */
const maxHeaderLength = 1000;
const maxRanges = 20;
const maxRemembered = 500;

const words = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Language and script, which decide whether somebody can read it: `zh-SG` → `zh-Hans`, `zh-TW` → `zh-Hant`. */
function readable(tag: string): string | undefined {
  if (tag.length > 35) return undefined;
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  } catch {
    return undefined;
  }
}

/** The languages of a site: our own and those of language packs, as far as `[i18n]` allows. */
export function createLanguages(settings: LanguageSettings, points: PointBoard): ManagedLanguages {
  const packs = points.reader(languagePacks);
  const made = new Map<string, Language>();
  const negotiated = new Map<string, OfferedLanguage | undefined>();
  let list: readonly (OfferedLanguage & { readonly readable: string | undefined })[] | undefined;

  const offered = () =>
    (list ??= known(settings, packs.list()).map((one) => ({ ...one, readable: readable(one.tag) })));
  const find = (tag: string): OfferedLanguage | undefined => {
    const lower = tag.toLowerCase();
    const exact = offered().find((one) => one.tag.toLowerCase() === lower);
    if (exact || !tag) return exact;
    const wanted = readable(tag);
    return wanted === undefined ? undefined : offered().find((one) => one.readable === wanted);
  };
  const get = (tag: string): Language => {
    const language = (find(tag) ?? offered()[0]!).tag;
    let one = made.get(language);
    if (!one) {
      const added = packs.list().filter((pack) => readable(pack.language) === readable(language));
      made.set(
        language,
        (one = new Language(
          language,
          added.map((pack) => pack.texts),
        )),
      );
    }
    return one;
  };

  return {
    offered,
    find,
    get,
    in: (tag, work) => inLanguage(get(tag), work),
    negotiate(header) {
      if (!header || header.length > maxHeaderLength) return undefined;
      if (negotiated.has(header)) return negotiated.get(header);
      let best: OfferedLanguage | undefined;
      for (const tag of rangesOf(header)) if ((best = tag === '*' ? offered()[0] : find(tag))) break;
      if (negotiated.size >= maxRemembered) negotiated.clear();
      negotiated.set(header, best);
      return best;
    },
  };
}

function known({ LANGS, NAMES }: LanguageSettings, packs: readonly LanguagePack[]): readonly OfferedLanguage[] {
  const all = new Map(own.map((one) => [one.tag.toLowerCase(), one]));
  for (const { language, name } of packs)
    if (!all.has(language.toLowerCase())) all.set(language.toLowerCase(), { tag: language, name: name ?? language });
  const names = words(NAMES);
  const chosen = words(LANGS).flatMap((tag, at) => {
    const one = all.get(tag.toLowerCase());
    return one ? [{ ...one, name: names[at] ?? one.name }] : [];
  });
  return chosen.length > 0 ? chosen : [...all.values()];
}

/** The tags of a header, most wanted first. */
function rangesOf(header: string): string[] {
  return header
    .split(',', maxRanges)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((one) => one.trim());
      const quality = parameters.find((one) => one.startsWith('q='));
      return { tag, quality: quality ? Number(quality.slice(2)) : 1 };
    })
    .filter(({ tag, quality }) => tag && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
