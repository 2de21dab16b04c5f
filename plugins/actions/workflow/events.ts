import { matchesPatterns, patternMatcher } from './patterns.js';
import type { Trigger, Workflow } from './types.js';
import { limits } from './values.js';

/** The properties of an event that triggers and filters match. */
export interface EventProperties {
  /** Name of the internal hook event, for example `pull_request_sync`. */
  readonly event: string;
  /** `action` of the payload as the hook has it: `label_updated`, `synchronized`, `reviewed` … */
  readonly action?: string;
  /** With `label_updated`: which of the two happened. Unknown: both for issues, labeled for pull requests. */
  readonly labels?: { readonly added: boolean; readonly removed: boolean };
  /** Full ref of a push. */
  readonly ref?: string;
  /** Branch that a pull request goes to. */
  readonly baseBranch?: string;
  /** The pull request goes to another branch than before: to what wants to know, it is as good as a new one. */
  readonly isRetargeted?: boolean;
  /** Of a push of a branch and of pull requests; asked where `wantsChangedFiles` says so. */
  readonly changedFiles?: readonly string[];
  /** Of `workflow_run`: display name and head branch of the run that it is about. */
  readonly workflowRun?: { readonly name: string; readonly headBranch: string };
}

export interface TriggerMatch {
  readonly trigger: Trigger;
  /**
   * `filtered`: event and type match, a filter does not (a skipped status may be due). `broken`: the entry has a key that
   * does not exist, so the result is unknown.
   */
  readonly outcome: 'match' | 'filtered' | 'broken';
}

const issueEvents = ['issues', 'issue_assign', 'issue_label', 'issue_milestone'];
const pullEvents = ['', '_sync', '_assign', '_label', '_review_request', '_milestone'].map(
  (end) => `pull_request${end}`,
);
const reviewEvents = ['approved', 'rejected', 'comment'].map((end) => `pull_request_review_${end}`);

const startedBy: readonly (readonly [string, readonly string[]])[] = [
  ['issues', issueEvents],
  ['issue_comment', ['issue_comment', 'pull_request_comment']],
  ['pull_request', pullEvents],
  ['pull_request_target', pullEvents],
  ['pull_request_review', reviewEvents],
  ['pull_request_review_comment', ['pull_request_review_comment']],
  ['registry_package', ['package']],
  ['gollum', ['wiki']],
];

/** Keys of `on:` that an internal event starts, its own name among them: `issue_label` gives `issues` and `issue_label`. */
export function triggersOfEvent(event: string): readonly string[] {
  const names = startedBy.filter(([, events]) => events.includes(event)).map(([name]) => name);
  return names.includes(event) ? names : [...names, event];
}

export const hasTrigger = (workflow: Workflow, event: string): boolean =>
  workflow.on.some((one) => one.event === event);

const defaultPullTypes = ['opened', 'synchronize', 'reopened'];

/** Types of activity, as workflows name them; none for events without types. */
function typesOf({ event, action, labels, isRetargeted }: EventProperties): readonly string[] | undefined {
  const isPull = pullEvents.includes(event);
  if (event.startsWith('pull_request_review_') && event !== 'pull_request_review_request') {
    if (action === 'edited') return ['edited'];
    return event === 'pull_request_review_comment' ? ['created'] : ['submitted'];
  }
  if (action === undefined) return undefined;
  if (isPull && isRetargeted) return [action, ...defaultPullTypes];
  if (isPull || issueEvents.includes(event)) {
    if (action === 'synchronized') return ['synchronize'];
    if (action === 'label_cleared') return ['unlabeled'];
    if (action !== 'label_updated') return [action];
    if (!labels) return isPull ? ['labeled'] : ['labeled', 'unlabeled'];
    return [...(labels.added ? ['labeled'] : []), ...(labels.removed ? ['unlabeled'] : [])];
  }
  if (event === 'release') return [action === 'updated' ? 'edited' : action];
  if (event === 'package') return [action === 'created' ? 'published' : action];
  return [action];
}

const isPullTrigger = (trigger: Trigger): boolean => /^pull_request(?:_target)?$/.test(trigger.event);

function typeMatches(trigger: Trigger, properties: EventProperties): boolean {
  const wanted = trigger.types ?? (isPullTrigger(trigger) ? defaultPullTypes : undefined);
  if (!wanted) return true;
  const types = typesOf(properties);
  return types !== undefined && types.some((type) => matchesPatterns(wanted, type));
}

/** The entries of `on:` that the event concerns, in the order of the file; others are left out. */
export function matchTriggers(workflow: Workflow, properties: EventProperties): readonly TriggerMatch[] {
  const names = triggersOfEvent(properties.event);
  return workflow.on
    .filter(
      (trigger) =>
        names.includes(trigger.event) && trigger.event !== 'workflow_call' && typeMatches(trigger, properties),
    )
    .map((trigger) => ({
      trigger,
      outcome: trigger.unknown.length > 0 ? 'broken' : filtersMatch(trigger, properties) ? 'match' : 'filtered',
    }));
}

const hasPathFilter = (trigger: Trigger): boolean => !!(trigger.paths ?? trigger.pathsIgnore);
const isTag = (properties: EventProperties): boolean => properties.ref?.startsWith('refs/tags/') ?? false;

/** Whether `matchTriggers` needs `changedFiles`. */
export function wantsChangedFiles(workflow: Workflow, properties: EventProperties): boolean {
  if (properties.event === 'push' && isTag(properties)) return false;
  return matchTriggers({ ...workflow, on: workflow.on.filter(hasPathFilter).map(withoutPaths) }, properties).some(
    ({ outcome }) => outcome === 'match',
  );
}

const withoutPaths = (trigger: Trigger): Trigger => ({ ...trigger, paths: undefined, pathsIgnore: undefined });

function filtersMatch(trigger: Trigger, properties: EventProperties): boolean {
  if (trigger.event === 'push')
    return refMatches(trigger, properties.ref ?? '') && (isTag(properties) || pathsMatch(trigger, properties));
  if (isPullTrigger(trigger))
    return branchMatches(trigger, properties.baseBranch ?? '') && pathsMatch(trigger, properties);
  if (trigger.event === 'workflow_run') {
    const { name = '', headBranch = '' } = properties.workflowRun ?? {};
    return (!trigger.workflows || matchesPatterns(trigger.workflows, name)) && branchMatches(trigger, headBranch);
  }
  return true;
}

function refMatches(trigger: Trigger, ref: string): boolean {
  const hasBranches = !!(trigger.branches ?? trigger.branchesIgnore);
  const hasTags = !!(trigger.tags ?? trigger.tagsIgnore);
  if (!hasBranches && !hasTags) return true;
  if (ref.startsWith('refs/tags/')) {
    const tag = ref.slice('refs/tags/'.length);
    return (
      hasTags &&
      (!trigger.tags || matchesPatterns(trigger.tags, tag)) &&
      (!trigger.tagsIgnore || !matchesPatterns(trigger.tagsIgnore, tag))
    );
  }
  return hasBranches && branchMatches(trigger, ref.replace(/^refs\/heads\//, ''));
}

const branchMatches = ({ branches, branchesIgnore }: Trigger, branch: string): boolean =>
  (!branches || matchesPatterns(branches, branch)) && (!branchesIgnore || !matchesPatterns(branchesIgnore, branch));

function pathsMatch({ paths, pathsIgnore }: Trigger, { changedFiles = [] }: EventProperties): boolean {
  if (paths && !filesWithinBudget(changedFiles, paths).some(patternMatcher(paths))) return false;
  if (!pathsIgnore) return true;
  const isIgnored = patternMatcher(pathsIgnore);
  return filesWithinBudget(changedFiles, pathsIgnore).some((file) => !isIgnored(file));
}

/** Signs of patterns times signs of paths that one filter is worth: the time of a match grows with both. */
const maxWork = 50_000_000;

/** The first of the files, fewer of them when the patterns are long. */
function filesWithinBudget(files: readonly string[], patterns: readonly string[]): readonly string[] {
  const cost = patterns.reduce((sum, pattern) => sum + pattern.length, 1);
  let left = maxWork;
  const max = files.slice(0, limits.changedFiles);
  const end = max.findIndex((file) => (left -= cost * (file.length + 1)) < 0);
  return end < 0 ? max : max.slice(0, Math.max(end, 1));
}

/** Does one of the words stand in a commit message or title? */
export const isSkipped = (text: string, skipTexts: readonly string[]): boolean =>
  skipTexts.some((skipText) => skipText !== '' && text.includes(skipText));
