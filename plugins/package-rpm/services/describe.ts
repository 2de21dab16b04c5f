import { BadRequest } from '@mortise/plugin-sdk';
import { escapeXml } from '@mortise/packages/api';
import { relations, tags, type RpmHeader } from './header.js';

/** What a package says of itself. */
interface RpmInfo {
  readonly name: string;
  /** `version-release`, with `epoch-` before it when that is not 0. */
  readonly label: string;
  readonly epoch: string;
  readonly version: string;
  readonly release: string;
  readonly architecture: string;
  readonly summary: string;
  readonly description: string;
  /** http or https; else empty. */
  readonly homepage: string;
  readonly license: string;
}

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
const versionPattern = /^[A-Za-z0-9_.+~^{}%]+$/;
const architecturePattern = /^[A-Za-z0-9_]{1,32}$/;

export function infoOf(header: RpmHeader): RpmInfo {
  const [name, version, release] = [header.text(tags.name), header.text(tags.version), header.text(tags.release)];
  const architecture = header.text(tags.architecture);
  const homepage = header.text(tags.homepage);
  const epoch = String(header.number(tags.epoch) ?? 0);
  if (!namePattern.test(name) || name.length > 150) throw BadRequest('package name is invalid');
  if (![version, release].every((one) => versionPattern.test(one)) || version.length + release.length > 150)
    throw BadRequest('package version is invalid');
  if (!architecturePattern.test(architecture)) throw BadRequest('package architecture is invalid');
  return {
    name,
    label: `${epoch === '0' ? '' : `${epoch}-`}${version}-${release}`,
    epoch,
    version,
    release,
    architecture,
    summary: header.text(tags.summary),
    description: header.text(tags.description),
    homepage: /^https?:\/\/\S+$/i.test(homepage) ? homepage : '',
    license: header.text(tags.license),
  };
}

/** The entries of one package in the three lists. */
export interface RpmXml {
  readonly primary: string;
  readonly filelists: string;
  readonly other: string;
}

/** Where a package lies, and what its file is. */
interface RpmFile {
  readonly location: string;
  readonly sha256: string;
  readonly size: number;
  readonly time: number;
  readonly archiveSize: number;
  readonly headerRange?: readonly [number, number];
}

const element = (name: string, text: string) => (text ? `<${name}>${escapeXml(text)}</${name}>` : `<${name}/>`);
const attributes = (values: Readonly<Record<string, string | number | undefined>>) =>
  Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`]))
    .join('');

/** `1:2.0-3` in its parts. */
function splitVersion(text: string): { epoch?: string; ver?: string; rel?: string } {
  if (!text) return {};
  const colon = text.indexOf(':');
  const rest = colon < 0 ? text : text.slice(colon + 1);
  const dash = rest.indexOf('-');
  return {
    epoch: colon > 0 ? text.slice(0, colon) : '0',
    ver: dash < 0 ? rest : rest.slice(0, dash),
    rel: dash < 0 ? undefined : rest.slice(dash + 1),
  };
}

function flagOf(sense: number): string | undefined {
  const [less, greater, equal] = [sense & 2, sense & 4, sense & 8];
  if (greater) return equal ? 'GE' : 'GT';
  if (less) return equal ? 'LE' : 'LT';
  return equal ? 'EQ' : undefined;
}

interface RelationEntry {
  readonly name: string;
  readonly flags?: string;
  readonly epoch?: string;
  readonly ver?: string;
  readonly rel?: string;
}

interface Relations {
  /** `provides`, `requires` … */
  readonly kind: string;
  readonly entries: readonly RelationEntry[];
}

const relationsOf = (header: RpmHeader): readonly Relations[] =>
  Object.entries(relations).map(([kind, [nameTag, flagTag, versionTag]]) => {
    const [flags, versions] = [header.numbers(flagTag), header.texts(versionTag)];
    const entries = header
      .texts(nameTag)
      .map((name, n) => ({ name, flags: flagOf(flags[n] ?? 0), ...splitVersion(versions[n] ?? '') }));
    return { kind, entries };
  });

const relationElements = (list: readonly Relations[]): string =>
  list
    .filter(({ entries }) => entries.length > 0)
    .map(({ kind, entries }) => {
      const elements = entries.map(({ name, flags, epoch, ver, rel }) => {
        return `<rpm:entry${attributes({ name, flags, epoch, ver, rel })}/>`;
      });
      return `<rpm:${kind}>${elements.join('')}</rpm:${kind}>`;
    })
    .join('');

interface Listed {
  readonly path: string;
  readonly kind: 'file' | 'dir' | 'ghost';
  readonly isExecutable: boolean;
}

function filesOf(header: RpmHeader): readonly Listed[] {
  const folders = header.texts(tags.directoryNames);
  const indexes = header.numbers(tags.directoryIndexes);
  const names = header.texts(tags.baseNames);
  const paths = names.length
    ? names.map((name, n) => `${folders[indexes[n] ?? -1] ?? ''}${name}`)
    : header.texts(tags.oldFileNames);
  const [modes, flags] = [header.numbers(tags.fileModes), header.numbers(tags.fileFlags)];
  return paths.map((path, n) => {
    const mode = modes[n] ?? 0;
    const isFolder = (mode & 0o170000) === 0o040000;
    const kind = (flags[n] ?? 0) & 64 ? 'ghost' : isFolder ? 'dir' : 'file';
    return { path, kind, isExecutable: kind === 'file' && (mode & 0o111) !== 0 };
  });
}

/** What the lists of a repository say of a package. */
interface RpmFields extends Omit<RpmInfo, 'label'> {
  readonly packager: string;
  readonly vendor: string;
  readonly group: string;
  readonly buildHost: string;
  readonly sourceRpm: string;
  /** Seconds since 1970. */
  readonly built: number;
  readonly installed: number;
  readonly relations: readonly Relations[];
  readonly files: readonly Listed[];
  readonly changelogs: readonly { readonly author: string; readonly date: number; readonly text: string }[];
}

/** Entries for the lists of a repository. */
export function describe(header: RpmHeader, info: RpmInfo, file: RpmFile): RpmXml {
  const [dates, authors, texts] = [
    header.numbers(tags.changeTimes),
    header.texts(tags.changeNames),
    header.texts(tags.changeTexts),
  ];
  return describeFields(
    {
      ...info,
      packager: header.text(tags.packager),
      vendor: header.text(tags.vendor),
      group: header.text(tags.group),
      buildHost: header.text(tags.buildHost),
      sourceRpm: header.text(tags.sourceRpm),
      built: header.number(tags.buildTime) ?? 0,
      installed: header.number(tags.longSize) ?? header.number(tags.size) ?? 0,
      relations: relationsOf(header),
      files: filesOf(header),
      changelogs: authors.map((author, n) => ({ author, date: dates[n] ?? 0, text: texts[n] ?? '' })),
    },
    file,
  );
}

/** The same of what has been read from a package already. */
export function describeFields(fields: RpmFields, file: RpmFile): RpmXml {
  const { files } = fields;
  const version = `<version${attributes({ epoch: fields.epoch, ver: fields.version, rel: fields.release })}/>`;
  const [start, end] = file.headerRange ?? [];
  const primary = [
    '<package type="rpm">',
    element('name', fields.name),
    element('arch', fields.architecture),
    version,
    `<checksum type="sha256" pkgid="YES">${file.sha256}</checksum>`,
    element('summary', fields.summary),
    element('description', fields.description),
    element('packager', fields.packager),
    element('url', fields.homepage),
    `<time${attributes({ file: file.time, build: fields.built })}/>`,
    `<size${attributes({ package: file.size, installed: fields.installed, archive: file.archiveSize })}/>`,
    `<location${attributes({ href: file.location })}/>`,
    '<format>',
    element('rpm:license', fields.license),
    element('rpm:vendor', fields.vendor),
    element('rpm:group', fields.group),
    element('rpm:buildhost', fields.buildHost),
    element('rpm:sourcerpm', fields.sourceRpm),
    file.headerRange ? `<rpm:header-range${attributes({ start, end })}/>` : '',
    relationElements(fields.relations),
    ...files.filter((one) => one.isExecutable).map((one) => element('file', one.path)),
    '</format></package>',
  ].join('');
  const opening = `<package${attributes({ pkgid: file.sha256, name: fields.name, arch: fields.architecture })}>${version}`;
  const listed = files.map(
    ({ path, kind }) => `<file${attributes({ type: kind === 'file' ? undefined : kind })}>${escapeXml(path)}</file>`,
  );
  const changelog = fields.changelogs.map(
    ({ author, date, text }) => `<changelog${attributes({ author, date })}>${escapeXml(text)}</changelog>`,
  );
  return {
    primary,
    filelists: `${opening}${listed.join('')}</package>`,
    other: `${opening}${changelog.join('')}</package>`,
  };
}
