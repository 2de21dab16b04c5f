import type { StoredSubject } from '@mortise/accounts/api';

const repositories: readonly StoredSubject[] = ['size:repos:public', 'size:repos:private'];
const attachments: readonly StoredSubject[] = ['size:assets:attachments:issues', 'size:assets:attachments:releases'];
const assets: readonly StoredSubject[] = [...attachments, 'size:assets:artifacts', 'size:assets:packages:all'];

/** What rules may be about, each with what is counted for it (Forgejo, "Soft-Quota": subjects). */
const counted = {
  none: [],
  'size:all': [...repositories, 'size:git:lfs', 'size:wiki', ...assets],
  'size:repos:all': repositories,
  'size:repos:public': ['size:repos:public'],
  'size:repos:private': ['size:repos:private'],
  'size:git:all': [...repositories, 'size:git:lfs'],
  'size:git:lfs': ['size:git:lfs'],
  'size:assets:all': assets,
  'size:assets:attachments:all': attachments,
  'size:assets:attachments:issues': ['size:assets:attachments:issues'],
  'size:assets:attachments:releases': ['size:assets:attachments:releases'],
  'size:assets:artifacts': ['size:assets:artifacts'],
  'size:assets:packages:all': ['size:assets:packages:all'],
  'size:wiki': ['size:wiki'],
  // as clients of Forgejo write it
  'size:assets:wiki': ['size:wiki'],
} as const satisfies Record<string, readonly StoredSubject[]>;

export type Subject = keyof typeof counted;
export const subjects = Object.keys(counted) as readonly Subject[];

/** What is counted for subjects together, each once. */
export const countedFor = (some: readonly Subject[]): ReadonlySet<StoredSubject> =>
  new Set(some.flatMap((subject): readonly StoredSubject[] => counted[subject]));
