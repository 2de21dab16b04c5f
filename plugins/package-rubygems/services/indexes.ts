import { deflateSync, gzipSync } from 'node:zlib';
import { dumpRuby, RubyBytes, RubyObject, RubySymbol, RubyUser } from './marshal.js';
import { fullVersion, isAnything, type GemSpec, type Requirement } from './gem.js';
import { compareGemVersions, isPrerelease } from './versions.js';

/** A gem in an index. */
interface Listed {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
}

const versionObject = (version: string) => new RubyUser('Gem::Version', [version]);

export type SpecList = 'specs' | 'latest_specs' | 'prerelease_specs';

/** A list of all gems as the older clients read it. */
export function specList(kind: SpecList, gems: readonly Listed[]): Buffer {
  let listed = gems.filter(({ version }) => isPrerelease(version) === (kind === 'prerelease_specs'));
  if (kind === 'latest_specs') {
    const newest = new Map<string, Listed>();
    for (const gem of listed) {
      const key = `${gem.name} ${gem.platform}`;
      const before = newest.get(key);
      if (!before || compareGemVersions(gem.version, before.version) > 0) newest.set(key, gem);
    }
    listed = [...newest.values()];
  }
  return gzipSync(dumpRuby(listed.map(({ name, version, platform }) => [name, versionObject(version), platform])));
}

const requirementObject = (requirement: Requirement) =>
  new RubyUser('Gem::Requirement', [requirement.map(([operator, version]) => [operator, versionObject(version)])]);

/** `x86_64-linux` as Ruby takes it apart. */
function platformObject(platform: string): unknown {
  if (platform === 'ruby') return platform;
  const [first = '', second, ...more] = platform.split('-');
  const system = /^([a-z_]+?)(\d[\w.]*)?$/.exec(second ?? first);
  return new RubyObject('Gem::Platform', {
    '@cpu': second === undefined ? null : first,
    '@os': /^mingw|^mswin/.test(second ?? first) ? (second ?? first) : (system?.[1] ?? second ?? first),
    '@version': more.join('-') || (/^mingw|^mswin/.test(second ?? first) ? null : (system?.[2] ?? null)),
  });
}

/** The specification of one gem, deflated. */
export function quickSpec(spec: GemSpec): Buffer {
  const dependencies = spec.dependencies.map(({ name, requirement, isDevelopment }) => {
    const object = requirementObject(requirement);
    return new RubyObject('Gem::Dependency', {
      '@name': name,
      '@requirement': object,
      '@type': new RubySymbol(isDevelopment ? 'development' : 'runtime'),
      '@prerelease': false,
      '@version_requirements': object,
    });
  });
  const fields = [
    spec.rubygemsVersion || '3.0.0',
    4,
    spec.name,
    versionObject(spec.version),
    null,
    spec.summary,
    requirementObject(spec.ruby),
    requirementObject(spec.rubygems),
    spec.platform,
    dependencies,
    '',
    spec.email.length > 1 ? spec.email : (spec.email[0] ?? ''),
    spec.authors,
    spec.description,
    spec.homepage,
    true,
    platformObject(spec.platform),
    spec.licenses,
    spec.links,
  ];
  return deflateSync(dumpRuby(new RubyBytes('Gem::Specification', dumpRuby(fields))));
}

const words = (requirement: Requirement) => requirement.map((pair) => pair.join(' ')).join('&');

/** What the line of the compact index says after version and platform, without the checksum. */
interface Needs {
  /** `rack:>= 2.0,json:~> 2.0` */
  readonly dependencies: string;
  /** `,ruby:>= 2.7.0`, with its comma, or nothing. */
  readonly more: string;
}

export function needsOf({ dependencies, ruby, rubygems }: GemSpec): Needs {
  const more = [
    ['ruby', ruby],
    ['rubygems', rubygems],
  ] as const;
  return {
    dependencies: dependencies
      .filter((one) => !one.isDevelopment)
      .map(({ name, requirement }) => `${name}:${words(requirement)}`)
      .join(','),
    more: more
      .flatMap(([name, requirement]) => (isAnything(requirement) ? [] : [`,${name}:${words(requirement)}`]))
      .join(''),
  };
}

export interface InfoLine extends Needs {
  readonly version: string;
  readonly platform: string;
  readonly sha256: string;
}

/** The compact entry of a gem, oldest version first. */
export const infoText = (lines: readonly InfoLine[]): string =>
  `---\n${lines
    .map(
      ({ version, platform, dependencies, sha256, more }) =>
        `${fullVersion(version, platform)} ${dependencies}|checksum:${sha256}${more}\n`,
    )
    .join('')}`;
