import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { Problem } from '@mortise/plugin-sdk';
import type { MarkupReference, ReferenceContext } from '@mortise/markup/api';
import type { Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { ExternalTracker } from '../units/issues.js';

const require = createRequire(import.meta.url);
/** Loaded where a repository first has a pattern of its own: a start does without. */
const re2js = () => require('re2js') as typeof import('re2js');

/** What is an issue of a tracker elsewhere, by the style that the repository's settings name (RE2). */
const patterns: Readonly<Record<string, string>> = {
  numeric: '\\B#[0-9]+\\b',
  alphanumeric: '\\b[A-Z]{1,10}-[1-9][0-9]*\\b',
};

const patternOf = ({ external_tracker_style: style, external_tracker_regexp_pattern: own }: ExternalTracker) =>
  style === 'regexp' ? own || undefined : patterns[style || 'numeric'];

const findTracker = ({ units }: Repository): ExternalTracker | undefined =>
  units.find((one) => one.key === 'issues' && one.enabled)?.config.external_tracker as ExternalTracker | undefined;

/** Address of the tracker elsewhere that stands for the issues here; undefined: there is none. */
export const externalTracker = (repository: Repository): string | undefined =>
  findTracker(repository)?.external_tracker_url;

/** Numbers of issues lead to the tracker elsewhere that the repository names. */
export function trackerReferences(access: RepositoryAccess): MarkupReference {
  const trackerOf = async ({ repository, actor }: ReferenceContext): Promise<ExternalTracker | undefined> => {
    const [owner, name] = repository?.split('/') ?? [];
    if (!owner || !name) return undefined;
    try {
      const { repository: found } = await access.open({ actor, owner, name, mode: 'read' });
      return findTracker(found);
    } catch (error) {
      if (Problem.is(error)) return undefined;
      throw error;
    }
  };
  return {
    key: 'external-tracker',
    isShort: true,
    order: 10,
    async pattern(context) {
      const tracker = await trackerOf(context);
      return tracker && patternOf(tracker);
    },
    async resolve(texts, context) {
      const tracker = await trackerOf(context);
      const [owner = '', name = ''] = context.repository?.split('/') ?? [];
      const pattern = tracker && patternOf(tracker);
      if (!tracker || !pattern) return new Map();
      const own = tracker.external_tracker_style === 'regexp' ? re2js().RE2JS.compile(pattern) : undefined;
      return new Map(
        texts.map((text) => {
          const index = own ? groupOf(own, text) : text.replace(/^#/, '');
          return [text, { href: addressOf(tracker, { user: owner, repo: name, index }) }];
        }),
      );
    },
  };
}

/** The first group of the pattern is the number, where it has one. */
function groupOf(pattern: RE2JS, text: string): string {
  const matcher = pattern.matcher(text);
  return matcher.find() && matcher.groupCount() > 0 ? (matcher.group(1) ?? text) : text;
}

function addressOf(tracker: ExternalTracker, values: Readonly<Record<string, string>>): string {
  const format = tracker.external_tracker_format || `${tracker.external_tracker_url.replace(/\/+$/, '')}/{index}`;
  return format.replace(/\{(user|repo|index)\}/g, (_, key: string) => encodeURIComponent(values[key]!));
}
