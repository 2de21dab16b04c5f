import { BadRequest, Joi } from '@mortise/plugin-sdk';
import { escapeXml, withoutNulls } from '@mortise/packages/api';

interface AdvisoryPackage {
  readonly arch: string;
  readonly name: string;
  readonly release: string;
  readonly src: string;
  readonly version: string;
  readonly filename: string;
}
interface Reference {
  readonly href: string;
  readonly id: string;
  readonly title: string;
  readonly type: string;
}
interface Advisory {
  readonly from: string;
  readonly status: string;
  readonly type: string;
  readonly version: string;
  readonly id: string;
  readonly title: string;
  readonly severity: string;
  readonly description: string;
  readonly issued: { readonly date: string };
  readonly updated: { readonly date: string };
  readonly references: readonly Reference[];
  readonly pkg_list: readonly { readonly short: string; readonly packages: readonly AdvisoryPackage[] }[];
}

/** Errata of a version, by group, in its metadata. */
type Errata = Readonly<Record<string, readonly Advisory[]>>;
export const errataOf = (metadata: Readonly<Record<string, unknown>>): Errata => (metadata.errata ?? {}) as Errata;

const text = Joi.string().allow('').max(10_000).default('');
const date = Joi.object({ date: text }).default({ date: '' });
const schema = Joi.array<Advisory[]>()
  .items(
    Joi.object({
      from: text,
      status: text,
      type: text,
      version: text,
      id: Joi.string().max(255).required(),
      title: text,
      severity: text,
      description: Joi.string().allow('').max(200_000).default(''),
      issued: date,
      updated: date,
      references: Joi.array()
        .items(Joi.object({ href: text, id: text, title: text, type: text }))
        .max(1000)
        .default([]),
      pkg_list: Joi.array()
        .items(
          Joi.object({
            short: text,
            packages: Joi.array()
              .items(Joi.object({ arch: text, name: text, release: text, src: text, version: text, filename: text }))
              .max(10_000)
              .default([]),
          }),
        )
        .max(1000)
        .default([]),
    }),
  )
  .max(1000)
  .required();

/** Reads what was sent; nulls in it are dropped. */
export function readAdvisories(given: unknown): readonly Advisory[] {
  const { value, error } = schema.validate(withoutNulls(given), { stripUnknown: true });
  if (error) throw BadRequest(`The errata are invalid: ${error.message}`);
  return value;
}

const sameAs = (one: AdvisoryPackage) => [one.name, one.version, one.release, one.arch].join('\0');

/** The later one wins, and packages of both stay. Linear in the size of both, however often an id occurs. */
export function mergeAdvisories(before: readonly Advisory[], more: readonly Advisory[], updated?: string): Advisory[] {
  const byId = new Map(before.map((one) => [one.id, one]));
  /** Packages of the ids that came more than once, by list. */
  const merged = new Map<string, Map<string, Map<string, AdvisoryPackage>>>();
  const add = (lists: Map<string, Map<string, AdvisoryPackage>>, { pkg_list }: Advisory) => {
    for (const { short, packages } of pkg_list) {
      const list = lists.get(short) ?? new Map<string, AdvisoryPackage>();
      for (const each of packages) list.set(sameAs(each), each);
      lists.set(short, list);
    }
  };
  for (const one of more) {
    const known = byId.get(one.id);
    if (!known) {
      byId.set(one.id, one);
      continue;
    }
    const lists = merged.get(one.id) ?? new Map<string, Map<string, AdvisoryPackage>>();
    if (!merged.has(one.id)) add(lists, known);
    add(lists, one);
    merged.set(one.id, lists);
    byId.set(one.id, updated === undefined ? one : { ...one, updated: { date: updated } });
  }
  for (const [id, lists] of merged) {
    const pkg_list = [...lists].map(([short, packages]) => ({ short, packages: [...packages.values()] }));
    byId.set(id, { ...byId.get(id)!, pkg_list });
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** The advisories of all packages, from the lists of each, one a line. */
export const advisoriesOf = (text: string): readonly Advisory[] =>
  mergeAdvisories(
    [],
    text
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => JSON.parse(line) as Advisory[]),
  );

const attributes = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
    .join('');
const element = (name: string, value: string) => `<${name}>${escapeXml(value)}</${name}>`;

/** `updateinfo.xml`. */
export function updateInfo(advisories: readonly Advisory[]): string {
  const updates = advisories.map(
    ({ from, status, type, version, id, title, severity, description, issued, updated, references, pkg_list }) => {
      const links = references.map(
        (one) => `<reference${attributes({ href: one.href, id: one.id, title: one.title, type: one.type })}/>`,
      );
      const collections = pkg_list.map(({ short, packages }) => {
        const all = packages.map(
          ({ filename, arch, name, release, src, version: ver }) =>
            `<package${attributes({ arch, name, release, src, version: ver })}>${element('filename', filename)}</package>`,
        );
        return `<collection${attributes({ short })}>${all.join('')}</collection>`;
      });
      return [
        `<update${attributes({ from, status, type, version })}>`,
        element('id', id),
        element('title', title),
        element('severity', severity),
        element('description', description),
        `<issued${attributes({ date: issued.date })}/><updated${attributes({ date: updated.date })}/>`,
        `<references>${links.join('')}</references><pkglist>${collections.join('')}</pkglist></update>`,
      ].join('');
    },
  );
  return `<updates xmlns="http://linux.duke.edu/metadata/updateinfo">${updates.join('\n')}</updates>`;
}
