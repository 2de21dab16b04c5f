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
  readonly headerRange: readonly [number, number];
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

function relationsOf(header: RpmHeader): string {
  return Object.entries(relations)
    .map(([kind, [nameTag, flagTag, versionTag]]) => {
      const [flags, versions] = [header.numbers(flagTag), header.texts(versionTag)];
      const entries = header.texts(nameTag).map((name, n) => {
        const { epoch, ver, rel } = splitVersion(versions[n] ?? '');
        return `<rpm:entry${attributes({ name, flags: flagOf(flags[n] ?? 0), epoch, ver, rel })}/>`;
      });
      return entries.length ? `<rpm:${kind}>${entries.join('')}</rpm:${kind}>` : '';
    })
    .join('');
}

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

/** Entries for the lists of a repository. */
export function describe(header: RpmHeader, info: RpmInfo, file: RpmFile): RpmXml {
  const files = filesOf(header);
  const version = `<version${attributes({ epoch: info.epoch, ver: info.version, rel: info.release })}/>`;
  const text = (tag: number) => header.text(tag);
  const built = header.number(tags.buildTime) ?? 0;
  const installed = header.number(tags.longSize) ?? header.number(tags.size) ?? 0;
  const [from, to] = file.headerRange;
  const primary = [
    '<package type="rpm">',
    element('name', info.name),
    element('arch', info.architecture),
    version,
    `<checksum type="sha256" pkgid="YES">${file.sha256}</checksum>`,
    element('summary', info.summary),
    element('description', info.description),
    element('packager', text(tags.packager)),
    element('url', info.homepage),
    `<time${attributes({ file: file.time, build: built })}/>`,
    `<size${attributes({ package: file.size, installed, archive: file.archiveSize })}/>`,
    `<location${attributes({ href: file.location })}/>`,
    '<format>',
    element('rpm:license', info.license),
    element('rpm:vendor', text(tags.vendor)),
    element('rpm:group', text(tags.group)),
    element('rpm:buildhost', text(tags.buildHost)),
    element('rpm:sourcerpm', text(tags.sourceRpm)),
    `<rpm:header-range${attributes({ start: from, end: to })}/>`,
    relationsOf(header),
    ...files.filter((one) => one.isExecutable).map((one) => element('file', one.path)),
    '</format></package>',
  ].join('');
  const opening = `<package${attributes({ pkgid: file.sha256, name: info.name, arch: info.architecture })}>${version}`;
  const listed = files.map(
    ({ path, kind }) => `<file${attributes({ type: kind === 'file' ? undefined : kind })}>${escapeXml(path)}</file>`,
  );
  const [times, authors, changes] = [
    header.numbers(tags.changeTimes),
    header.texts(tags.changeNames),
    header.texts(tags.changeTexts),
  ];
  const changelog = authors.map(
    (author, n) =>
      `<changelog${attributes({ author, date: times[n] ?? 0 })}>${escapeXml(changes[n] ?? '')}</changelog>`,
  );
  return {
    primary,
    filelists: `${opening}${listed.join('')}</package>`,
    other: `${opening}${changelog.join('')}</package>`,
  };
}
